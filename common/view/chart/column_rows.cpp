#include "common/view/chart/column_rows.h"

#include <utility>

#include "common/view/chart/xy_parts.h"

namespace ridge::chart::parts {

void put_in_rows(const std::string& metric, ChartModel* model) {
  const Plot plot = *std::exchange(model->plot, std::nullopt);
  Panel panel{.title = plot.y.title, .metric = metric, .axis = plot.y};
  for (const Curve& curve : plot.curves) {
    for (const Datum& datum : curve.data) {
      const int index = static_cast<int>(model->rows.size());
      model->rows.push_back({.label = curve.name,
                             .selected = datum.strong,
                             .muted = curve.role == Role::baseline,
                             .source = datum.row});
      panel.marks.push_back({.row = index,
                             .value = datum.y,
                             .interval = datum.interval,
                             .role = curve.role,
                             .marker = curve.marker,
                             .hatched = datum.hollow,
                             .label = datum.value_text,
                             .note = datum.note});
    }
  }
  for (const Guide& guide : plot.guides) {
    if (guide.kind == Guide::Kind::horizontal)
      panel.rules.push_back({guide.value, guide.label, guide.role});
  }
  std::erase(model->legend, kRingText);  // a row that is selected has a ground
  model->panels = {std::move(panel)};
}

}  // namespace ridge::chart::parts
