// The ladder as a climb: a bar for each rung in the lab's own rate, linear from zero, and beside it what its step
// brought: the speed over that of the rung that it goes on from.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "common/record/step_down.h"
#include "common/record/types.h"
#include "common/view/chart/model.h"

namespace ridge::chart {

/// What a step brought.
struct ClimbStep {
  double ratio = 0;  ///< speed over that of the rung before: above 1 is faster
  /// Of the two rungs' paired comparison; absent: each was timed alone, and the ratio is that of their medians.
  std::optional<Verdict> verdict{};
  std::string from{};     ///< the rung before, for the tooltip
  bool is_clear = false;  ///< the intervals of the two times do not overlap (are_clear)
  bool is_noisy = false;  ///< without a verdict: the ratio is rough (is_rough_ratio)
  std::optional<Interval>
      range{};  ///< without a verdict, of times that are not steady (alone_range)
  // With a verdict:
  std::optional<Interval> interval{};  ///< 95 %, of the ratio
  double margin = 0;                   ///< 0.02: a difference of 2 % does not count
  std::optional<double> alone{};       ///< the ratio of the two bars, each timed alone
  bool is_alone_rough = false;  ///< it is of two requests, or noisy: seen in the bars, never quoted
  StepCause why{};                     ///< of a step down; empty: it is none
  bool equal_clock = false;            ///< both sides at one clock, where each alone has its own
};
/// Whether the 95 % intervals of the two times per call are known and do not overlap.
bool are_clear(const Series& a, const Series& b);
/// Whether the step makes a rung slower: by its verdict; of two that were not compared only where their intervals do not
/// overlap, by more than clocks differ from minute to minute.
bool is_step_down(const ClimbStep& step);
/// Whether the pair says another thing than the bars show: slower beside a longer bar, say.
bool bars_disagree(const ClimbStep& step);
/// Whether the ratio of the two bars, each timed alone and not rough, lies outside the pair's interval by more than a factor
/// 1.5, and not because each alone had a clock of its own: the machine was another one meanwhile.
bool is_bar_apart(const ClimbStep& step);
/// The step in whole sentences: the pair with its interval, the bars, and whether the two agree.
std::string step_note(const ClimbStep& step);

struct ClimbRow {
  std::string label{}, sublabel{};
  std::string section{};         ///< as Row::section
  std::optional<double> rate{};  ///< in the chart's unit; absent: `reason` says why
  std::optional<Interval> interval{};
  std::optional<double> time_s{};  ///< of a call; shown where the chart is of times
  std::optional<Interval> time_interval_s{};
  std::string reason{};
  bool has_failed = false;           ///< the reason is that its check, or the rung, failed
  std::optional<ClimbStep> step{};   ///< absent: it goes on from none of the others
  std::string no_step{};             ///< why its idea has nothing to work on here: it is no step
  std::string no_ratio{};            ///< why the step has no ratio: "8 minutes apart"
  bool is_refused = false;           ///< no claim is made of its step: it is drawn as none
  bool is_peer = false;              ///< a library: no step of the ladder
  std::vector<std::string> cells{};  ///< of the options' columns, in order
  bool is_best = false;              ///< the fastest step
  bool selected = false;
  bool is_baseline = false;
  bool hatched = false;     ///< stale, recorded elsewhere, or at another size
  bool other_unit = false;  ///< it computes in another unit than the options' ceiling is of
};

/// Figures of a row in words, beside its bar. A column without any is left out.
struct ClimbColumn {
  std::string title{}, subtitle{}, metric{};  ///< metric: key into assets/metrics.json
};

struct ClimbOptions {
  std::string unit = "FLOP/s";  ///< of the rates, without prefix
  /// The one that all rates are under, in their unit: a line. It is left out where the fastest rung is far below it,
  /// so that the bars keep their lengths.
  std::optional<Ceiling> ceiling{};
  /// Faster rungs are still to come: the axis reaches to the ceiling however far that is, so that no bar shrinks as they do.
  bool is_climbing = false;
  std::vector<ClimbColumn> columns{};
  bool has_sentences =
      false;  ///< under the chart, as in a report: then a row does not say what its step needs
  /// Times as dots on a logarithmic axis in place of the bars: the axis has no zero that a bar could begin at.
  bool log_time = false;
  std::string step_from = "the rung before";  ///< what each step is over
  std::string timed = "each alone";  ///< how the bars were: "in turns" where all are of comparisons
};

/// "≈ 12×", of a rough ratio "≈ 12× noisy".
std::string alone_text(double ratio, bool is_noisy);
/// "▲ 11.8×" where it was compared in pairs (▼ slower, = same, ? unresolved, ≠ the bars disagree), else "≈ 12×",
/// "8.1–17×" and "≈ 12× noisy". Its interval does not stand beside it: as supported_ratio_text().
std::string step_text(const ClimbStep& step);

/// What is said under every bar, taken from the rows to be said once above them: "busy". Empty where bars differ, or are few.
std::string take_shared_words(std::vector<ClimbRow>* rows);

ChartModel climb_chart(std::span<const ClimbRow> rows, const ClimbOptions& options = {});

}  // namespace ridge::chart
