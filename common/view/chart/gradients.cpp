#include "common/view/chart/gradients.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "common/core/format.h"
#include "common/view/chart/xy_parts.h"

namespace ridge::chart {
namespace {

constexpr std::string_view kPrefix = "gradient_2^";
/// Half of fp16's least subnormal number, 2^-24, still rounds up to it; all below becomes zero.
constexpr int kFp16Least = -24, kFp16Normal = -14, kFp16Beyond = 16;
constexpr int kMostExponent = 1100;  ///< of a double, either way: a file may name any

struct Spread {
  std::map<int, double> share;  ///< of 2^E
  double zeros = 0, scale = 1;
  int64_t step = 0;
  double below(int exponent) const {
    double all = 0;
    for (const auto& [e, part] : share) all += e < exponent ? part : 0;
    return all;
  }
};

std::optional<Spread> spread_of(const CurvePoint& point) {
  Spread spread{.step = point.step};
  for (const auto& [name, value] : point.values) {
    if (!name.starts_with(kPrefix) || !std::isfinite(value)) continue;
    int exponent = 0;
    const char* first = name.data() + kPrefix.size();
    if (std::from_chars(first, name.data() + name.size(), exponent).ec == std::errc{} &&
        std::abs(double(exponent)) <= kMostExponent)
      spread.share[exponent] = value;
  }
  if (const auto zeros = point.values.find("gradient_zero"); zeros != point.values.end())
    spread.zeros = zeros->second;
  else if (spread.share.empty())
    return {};
  if (const auto scale = point.values.find("loss_scale");
      scale != point.values.end() && scale->second > 0 && std::isfinite(scale->second))
    spread.scale = scale->second;
  return spread;
}

std::optional<Spread> last_spread(const Series& series) {
  for (auto point = series.curve.rbegin(); point != series.curve.rend(); ++point) {
    if (const auto spread = spread_of(*point)) return spread;
  }
  return {};
}

std::string power(int exponent) {
  return fmt::format("2^{}", exponent);
}

void add_row(const LadderRow& row, int index, size_t place, const Spread& spread,
             ChartModel* model) {
  Curve curve{.name = row.label, .marker = Marker::none, .line = true};
  curve.role = parts::look_of_rung(row, place).role;
  // Without marks the second of a colour is told apart by its dashes.
  const auto& known = model->plot->curves;
  curve.dashed = std::any_of(known.begin(), known.end(),
                             [&](const Curve& other) { return other.role == curve.role; });
  if (!spread.share.empty()) {
    // Bins without any are zero between the first and the last.
    const int first = spread.share.begin()->first, last = spread.share.rbegin()->first;
    for (int e = first; e <= last; ++e) {
      const auto found = spread.share.find(e);
      Datum datum{.x = double(e), .y = found == spread.share.end() ? 0 : found->second};
      datum.row = index;
      datum.value_text = format_share(datum.y);
      datum.note = fmt::format("{}: {} of the gradients between {} and {}, at step {}.", row.label,
                               format_share(datum.y), power(e), power(e + 1), spread.step);
      curve.data.push_back(std::move(datum));
    }
    model->plot->curves.push_back(std::move(curve));
  }
  const double lost = spread.below(kFp16Least);
  model->table.rows.push_back({row.label, format_count(double(spread.step)),
                               format_share(spread.zeros), format_share(lost),
                               spread.scale == 1 ? "1" : power(std::ilogb(spread.scale))});
  model->summary += fmt::format(" {}: {} are zero, {} lie below fp16's least number.", row.label,
                                format_share(spread.zeros), format_share(lost));
}

void add_guides(Plot* plot) {
  const auto add = [&](int exponent, const char* label, const char* note) {
    Guide guide{.kind = Guide::Kind::vertical, .value = double(exponent), .label = label};
    guide.note = note, guide.role = Role::limit, guide.dashed = true;
    plot->guides.push_back(std::move(guide));
  };
  add(kFp16Least, "fp16 floor, 2^-24",
      "The least number of fp16: what is below half of it becomes zero.");
  add(kFp16Beyond, "fp16 ends, 2^16", "Beyond 65504 fp16 has only infinity.");
  Guide normal{
      .kind = Guide::Kind::vertical, .value = double(kFp16Normal), .label = "normal, 2^-14"};
  normal.note = "Below the least normal number of fp16 significant bits go, one a power of two.";
  normal.dashed = true, normal.quiet = true;
  plot->guides.push_back(std::move(normal));
}

}  // namespace

bool has_gradients(const Series& series) {
  return last_spread(series).has_value();
}

ChartModel gradient_chart(std::span<const LadderRow> all, const std::string& title) {
  const std::vector<LadderRow> rows = with_marks(all);
  ChartModel model{.id = "gradients", .title = title};
  model.plot = Plot{};
  model.summary = "Magnitudes of the gradients that flow back, loss scale included.";
  model.table.columns = {"Training", "Step", "Zero", "Below 2^-24", "Loss scale"};
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].series) continue;
    if (const auto spread = last_spread(*rows[i].series))
      add_row(rows[i], static_cast<int>(i), model.table.rows.size(), *spread, &model);
  }
  if (model.table.rows.empty()) {
    model.plot->empty_reason = model.summary =
        "No training here has counted its gradients yet: run one (Ctrl F5).";
    return model;
  }
  double low = kFp16Least - 2, high = kFp16Beyond + 1, most = 0;
  for (const Curve& curve : model.plot->curves) {
    for (const Datum& datum : curve.data) {
      low = std::min(low, datum.x - 1), high = std::max(high, datum.x + 1);
      most = std::max(most, datum.y);
    }
  }
  model.plot->x = {.title = "Magnitude, power of two", .unit = "", .low = low, .high = high};
  model.plot->y = {
      .title = "Share of the gradients", .unit = "", .low = 0, .high = most > 0 ? most * 1.1 : 1};
  model.plot->y.is_share = true;
  add_guides(&*model.plot);
  model.plot->name_ends = true;
  return model;
}

}  // namespace ridge::chart
