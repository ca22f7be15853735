#include "common/view/chart/model_pair.h"

#include <algorithm>

#include "common/core/format.h"
#include "common/record/ratio_text.h"

namespace ridge::chart {
namespace {

constexpr float kApart = 0.5f;  ///< of the two bars of a row, from its middle

Panel time_panel(const ModelPairInput& input) {
  Panel panel{.title = "Time in a pass",
              .subtitle = "upper bar: baseline",
              .metric = "time_per_call",
              .weight = 1.2f};
  panel.axis = {.title = "All calls of the part", .unit = "s", .high = 0};
  for (size_t i = 0; i < input.rows.size(); ++i) {
    const ModelPairRow& row = input.rows[i];
    panel.row_reasons.push_back(row.baseline_s ? "" : row.why);
    const auto add = [&](const std::optional<double>& seconds, const char* whose, Role role,
                         float offset) {
      if (!seconds) return;
      Mark mark{.row = static_cast<int>(i), .value = *seconds, .role = role, .offset = offset};
      mark.note = row.label + ", " + whose + ": " + format_time_ns(*seconds * 1e9) + ", " +
                  row.rungs + ", " + row.shape + ".";
      panel.marks.push_back(mark);
      panel.axis.high = std::max(panel.axis.high, *seconds * 1.3);
    };
    add(row.baseline_s, "baseline", Role::baseline, -kApart);
    add(row.candidate_s, "candidate", Role::series0, kApart);
  }
  if (panel.marks.empty()) {
    panel.axis.high = 1;
    panel.empty_reason = "Not compared yet: Compare both measures every part in pairs.";
  }
  return panel;
}

Role role_of(Verdict verdict) {
  return verdict == Verdict::faster   ? Role::faster
         : verdict == Verdict::slower ? Role::slower
                                      : Role::muted;
}

Panel ratio_panel(const ModelPairInput& input) {
  Panel panel{.title = "One call: as fast", .metric = "ratio"};
  double low = 1 - 2 * input.margin, high = 1 + 2 * input.margin;
  for (size_t i = 0; i < input.rows.size(); ++i) {
    const ModelPairRow& row = input.rows[i];
    panel.row_reasons.push_back(row.is_shared ? "the same call" : row.judged ? "" : "no ratio yet");
    if (row.is_shared || !row.judged) continue;
    Mark mark{.row = static_cast<int>(i),
              .value = row.judged->ratio,
              .interval = row.judged->ci,
              .role = role_of(row.judged->verdict),
              .marker = Marker::diamond};
    mark.label = ratio_text(row.judged->ratio, row.judged->ci);
    mark.note = row.label + ": " + to_string(row.judged->verdict) + ", " +
                ratio_text(row.judged->ratio, row.judged->ci) + " " +
                ratio_interval_text(row.judged->ci, input.margin) + ", " +
                std::to_string(row.judged->rounds) + " rounds.";
    panel.marks.push_back(mark);
    const Interval reach = row.judged->ci.value_or(Interval{row.judged->ratio, row.judged->ratio});
    low = std::min(low, reach.low), high = std::max(high, reach.high);
  }
  constexpr double kAir = 1.15;
  panel.axis = {.title = "Baseline's time over candidate's", .scale = Scale::log};
  panel.axis.low = low / kAir, panel.axis.high = high * kAir;
  panel.rules.push_back({.value = 1, .label = "", .role = Role::text});
  panel.bands.push_back({1 / (1 + input.margin), 1 + input.margin, "no difference that counts"});
  if (panel.marks.empty()) panel.bands.clear();
  return panel;
}

}  // namespace

ChartModel model_pair_chart(const ModelPairInput& input) {
  ChartModel model{.id = "models",
                   .title = input.title,
                   .subtitle = input.subtitle,
                   .summary = input.summary,
                   .table = input.table};
  for (const ModelPairRow& row : input.rows)
    model.rows.push_back({.label = row.label, .sublabel = row.shape, .section = row.phase});
  model.panels = {time_panel(input), ratio_panel(input)};
  model.legend = {"upper bar: baseline, lower bar: candidate",
                  "diamond: ratio of one call, measured in turns, with its 95 % interval"};
  return model;
}

}  // namespace ridge::chart
