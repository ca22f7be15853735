// What became of a step: the figure or the choice that is right, how near the answer was, and the grade that the end card
// keeps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/window/teach/step_answer.h"

namespace ridge::window {

/// What the bars came to. Read only at Reveal and after.
struct StepOutcome {
  std::string missing;     ///< why there is no outcome; empty: there is one
  bool is_invalid = false;  ///< of a pair: a side failed its check
  double value = 0;        ///< of a number: nanoseconds, a share, or a ratio
  std::vector<int> right;  ///< of a choice: those that are right
  std::string shown;       ///< "6.21×", "12.3 ms", "77.0 %", or the labels that are right
  std::string interval;  ///< of a number: "95 % interval [6.19, 6.24]", or that it has none and why
  /// Of a number: where it lies, in its unit. An answer inside is right, at whatever step; absent: the figure alone counts.
  std::optional<Interval> range;
  bool is_between_clocks = false;  ///< `range` is from processor time to wall time, no interval
  bool is_bound =
      false;  ///< of a share: its ceiling is in doubt, and more than `value` it cannot be
  /// In a lab that judges by a task, what the last bar's rung has of it beside the one that it is judged against: "accuracy
  /// 0.8730, mean of 8 seeds; “fp32” has 0.8742". Empty: no such lab, or it was not judged.
  std::string task;
  /// Why no answer is judged by the figure, one sentence; empty: it is judged.
  std::string ungraded;
  bool is_apart = false;  ///< `ungraded` is because two times were taken apart
  /// Of a choice between bars that times taken apart do not tell from each other, all of them in `right`: why, one sentence.
  std::string toss_up;
  /// Of a comparison step, as the step asks it; absent: none was made, or it was cancelled.
  std::optional<Comparison> pair;
  std::string pair_machine;  ///< where it was recorded; empty: here
  /// Of a step that asks for something else: what runs in turns say of its first and last bar, the faster one against the
  /// other. Empty: there are none.
  std::string beside;
  /// Of a pair at one clock that was held down: what recorded sustained turns say, a sentence without its full stop. Empty:
  /// no recording of that machine has any.
  std::string sustained;
};
/// What was measured settles no verdict, or judges no answer.
bool is_unsettled(const StepOutcome& outcome);
/// The comparison of a bar with the bar before it, run in turns; absent: there is none.
std::optional<Comparison> gain_pair(const State& state, const StepBars& bars, size_t place);
/// The figure alone, as it stands in large letters: of a pair its ratio, settled or not.
std::string outcome_figure(const StepOutcome& outcome);
StepOutcome outcome_of(const State& state, const study::TourStep& step, const StepBars& bars);
/// By what factor a number misses what was measured, and to which side: "11.2× too low"; of an interval by how much at
/// least: "at least 2.03× too high". Empty: it is right, within the interval, it is not judged, or there is no number or no
/// outcome.
std::string how_far(const study::TourStep& step, const StepBars& bars, const StepAnswer& answer,
                    const StepOutcome& outcome);
/// "You said 80 ms: 11.2× too low. It is 899 ms." or the answer, what is missing, and what stands in its place. `is_brief`: on
/// a busy machine a few words, where the figure stands above them and the whole is said elsewhere.
std::string outcome_sentence(const study::TourStep& step, const StepBars& bars,
                             const StepAnswer& answer, const StepOutcome& outcome,
                             bool is_brief = false);
/// What the session measured later at a point that this grade rests on, where that is beyond the spread of one machine; a
/// sentence. Empty: nothing speaks against it.
std::string contradicted_later(const Run& run, const StepResult& result);
StepResult result_of(const study::TourStep& step, const StepBars& bars, const StepAnswer& answer,
                     const StepOutcome& outcome);
/// The headline of a pair: its ratio with the digits that its interval bears, or that no difference was shown or settled.
std::string pair_headline(const Comparison& pair);
/// The paired verdict in words, with ratio and interval. `says_open`: false where "unresolved" stands right above it;
/// `says_uneven`: false where what other programs took of either side is said beside it.
std::string verdict_sentence(const Comparison& pair, const std::string& baseline,
                             const std::string& candidate, bool says_open = true,
                             bool says_uneven = true);
/// Whether the outcome's own sentence says what other programs took.
bool tells_uneven(const StepOutcome& outcome);
/// Where the answer stands on the axis of the bars; none: it is no number, or nothing was measured.
std::optional<double> answer_mark(const study::TourStep& step, const StepBars& bars,
                                  const StepAnswer& answer, const StepOutcome& outcome);

}  // namespace ridge::window
