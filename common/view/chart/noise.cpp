#include "common/view/chart/noise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/core/format.h"
#include "common/stats/stats.h"

namespace ridge::chart {

ChartModel noise_chart(const NoiseFloor& floor, const std::string& label) {
  ChartModel model{.id = "noise"};  // its heading is the panel's
  model.rows.push_back({.label = label, .sublabel = "against itself"});
  Panel panel{.title = "Time ÷ time of the same rung", .metric = "ratio"};
  panel.subtitle =
      fmt::format("dots: {} comparisons, box: quartiles, diamond: median", floor.runs());
  panel.axis = {.title = "Ratio", .scale = Scale::log};
  double reach = 1 + 1.5 * floor.margin, spread = 0;
  for (const double ratio : floor.ratios) {
    if (!std::isfinite(ratio) || !(ratio > 0)) continue;
    // By the golden ratio, as in the forest: neighbours in time do not cover one another.
    spread = std::fmod(spread + 0.6180339887, 1.0);
    Mark dot{.value = ratio, .role = Role::series0, .marker = Marker::dot};
    dot.quiet = true;
    dot.offset = static_cast<float>(spread * 1.6 - 0.8);
    panel.marks.push_back(dot);
    reach = std::max({reach, ratio, 1 / ratio});
  }
  if (panel.marks.empty()) {
    panel.empty_reason = "unavailable: no comparison has a ratio";
  } else {
    Mark box{.value = stats::quantile(floor.ratios, 0.75), .role = Role::muted};
    box.from = stats::quantile(floor.ratios, 0.25);
    box.quiet = true;
    panel.marks.push_back(box);
    Mark median{
        .value = stats::median(floor.ratios), .role = Role::text, .marker = Marker::diamond};
    median.label = format_ratio(median.value);
    median.note = floor.sentence();
    panel.marks.push_back(median);
  }
  panel.axis.high = std::pow(reach, 1.05);
  panel.axis.low = 1 / panel.axis.high;
  panel.bands.push_back(
      {1 / (1 + floor.margin), 1 + floor.margin, format_percent_width(floor.margin) + " margin"});
  panel.rules.push_back({1, "1: no difference", Role::text});
  model.panels = {panel};
  model.summary = floor.sentence();
  return model;
}

}  // namespace ridge::chart
