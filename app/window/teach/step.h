// One step of a tour, or of the presenter without one, as it is worked out for the canvas: its bars and where each comes
// from, what is asked, what was answered, and what became of it. No ImGui here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/study/tour.h"
#include "app/window/shell/state.h"

namespace ridge::window {

/// A bar of the step in view.
struct LessonBar {
  study::StepBar asked;
  std::string title, detail;       ///< "loop order"; "n = 512", empty where the title says all
  const Series* series = nullptr;  ///< null: `reason` says why
  const Run* run = nullptr;        ///< where the series comes from
  std::string machine;             ///< of a recording or a saved run; empty: measured here
  bool can_run = false;
  int measured_at = -1;  ///< the earlier step of this tour, from 0, that measured it; -1: none did
  std::string reason;
  /// Measured here, and no earlier result of this session at the same point agrees: one sentence. Empty: none contradicts.
  std::string contradiction = {};
  double value = 0;  ///< in StepBars::unit; 0: there is none
};

struct StepBars {
  std::vector<LessonBar> bars;
  std::string unit;  ///< "FLOP/s", "images/s"; "×": how far a trap's figure is off, either way
  bool is_factor() const { return unit == "×"; }
  const LessonBar* last() const { return bars.empty() ? nullptr : &bars.back(); }
};

/// The step that the canvas shows: the tour's, else the selected rung beside the rung before it and the fastest library,
/// all of one data type and size.
study::TourStep shown_step(const State& state);
/// What it is asked at: "n = 256 · fp32 · 1 thread". Of a recording they are its own. Empty: at several sizes.
std::string asked_at(const State& state);
StepBars step_bars(const State& state, const study::TourStep& step);

/// Other programs took processor time while it was measured.
bool is_disturbed(const Series& series);
/// Measured here while other programs ran, or contradicted: its time alone settles no ratio.
bool is_doubtful(const LessonBar& bar);
/// Why the step is worth measuring again, one sentence; empty: nothing speaks for it.
std::string doubt_of(const StepBars& bars);

/// Null: none of that name. A learner's own rung is in the ladder alone.
const Rung* rung_in(const State& state, const std::string& kernel);

/// What the answer may be: labels to choose from; empty: a number is asked for.
std::vector<std::string> choices_of(const study::TourStep& step, const StepBars& bars);
/// What a number says: "time of one call", "times as fast as “n = 512”".
std::string asked_for(const study::TourStep& step, const StepBars& bars);

/// What a number that was typed says, in other words: "one call takes 80 ms, so 12.5 calls a second".
std::string read_back(const study::TourStep& step, const StepBars& bars, double value);

/// The answer at this step as it was given; never null.
const StepAnswer& answer_here(const State& state);
void type_answer(State& state, const std::string& text);
void choose_answer(State& state, int choice);
/// A choice by its key, 1 to 9.
void answer_digit(State& state, int digit);
/// Nanoseconds, a share, or a ratio. usage: no number, or none above 0.
Result<double> parse_answer(study::Ask ask, const std::string& text);
/// Whether the field for a number takes this sign after what stands in it: what continues a number only after a digit, so that
/// the keys of the stage stay keys while it is empty.
bool takes_sign(study::Ask ask, std::string_view typed, uint32_t sign);
inline constexpr const char* kDigitsFirst = "The answer is a number: digits first, then its unit.";
/// The step in view asks for a number, which a field takes.
bool asks_for_number(const State& state);
/// Why Run is locked: no answer yet, or none that can be read. Empty: it is not.
std::string answer_blocker(const State& state);
/// "4.0×", "12 ms", or the label that was chosen; empty: nothing was answered.
std::string answer_text(const study::TourStep& step, const StepBars& bars,
                        const StepAnswer& answer);

/// What the bars came to. Read only at Reveal and after.
struct StepOutcome {
  std::string missing;     ///< why there is no outcome; empty: there is one
  double value = 0;        ///< of a number: nanoseconds, a share, or a ratio
  std::vector<int> right;  ///< of a choice: those that are right
  std::string shown;       ///< "6.21×", "12.3 ms", "77.0 %", or the labels that are right
  std::string interval;  ///< of a number: "95 % interval [6.19, 6.24]", or that it has none and why
  /// Of a number: where it lies, in its unit. An answer inside is right, at whatever step; absent: the figure alone counts.
  std::optional<Interval> range;
  bool is_bound = false;  ///< of a share: its ceiling is in doubt, and more than `value` it cannot be
  /// Why no answer is judged by the figure, one sentence; empty: it is judged.
  std::string ungraded;
  const Comparison* pair =
      nullptr;               ///< of a comparison step; null: none was made, or it was cancelled
  std::string pair_machine;  ///< where it was recorded; empty: here
};
StepOutcome outcome_of(const State& state, const study::TourStep& step, const StepBars& bars);
/// By what factor a number misses what was measured, and to which side: "11.2× too low"; of an interval by how much at
/// least: "at least 2.03× too high". Empty: it is right, within the interval, it is not judged, or there is no number or no
/// outcome.
std::string how_far(const study::TourStep& step, const StepBars& bars, const StepAnswer& answer,
                    const StepOutcome& outcome);
/// "You said 80 ms: 11.2× too low. It is 899 ms." or the answer, what is missing, and what stands in its place.
std::string outcome_sentence(const study::TourStep& step, const StepBars& bars,
                             const StepAnswer& answer, const StepOutcome& outcome);
/// What the session measured later at a point that this grade rests on, where that is beyond the spread of one machine; a
/// sentence. Empty: nothing speaks against it.
std::string contradicted_later(const Run& run, const StepResult& result);
StepResult result_of(const study::TourStep& step, const StepBars& bars, const StepAnswer& answer,
                     const StepOutcome& outcome);
/// Whether a step may be about this rung: in a saved run, where nothing can be measured, it needs a result.
bool can_be_asked(const State& state, const std::string& kernel);
/// The headline of a pair: its ratio with the digits that its interval bears, or that no difference was shown or settled.
std::string pair_headline(const Comparison& pair);
/// The paired verdict in words, with ratio and interval.
std::string verdict_sentence(const Comparison& pair, const std::string& baseline,
                             const std::string& candidate);
/// Where the answer stands on the axis of the bars; none: it is no number, or nothing was measured.
std::optional<double> answer_mark(const study::TourStep& step, const StepBars& bars,
                                  const StepAnswer& answer, const StepOutcome& outcome);

// ---- its run -----------------------------------------------------------------------------------

/// Earlier steps of this tour measured all that this one shows: nothing has to run.
bool is_known(const study::TourStep& step, const StepBars& bars);
/// What has to be measured, in order: the bars that can run here and that no earlier step measured, then the comparison.
std::vector<WorkRequest> requests_of(const State& state, const study::TourStep& step,
                                     const StepBars& bars);
/// One that was cancelled during this step's run, of a bar's place or behind them of the comparison.
bool is_row_cancelled(const State& state, const StepBars& bars, size_t place);
/// What this step's run asked for was cancelled.
bool is_step_cancelled(const State& state);
/// How far each bar's run is, 0 to 1; and behind them that of the comparison, where the step has one.
std::vector<double> progress_of(const State& state, const study::TourStep& step,
                                const StepBars& bars);
/// "round 4 of 12, about 8 s left", of this step's comparison; empty: its rounds have not begun, or are over.
std::string rounds_so_far(const State& state);
/// How long the recorded bars are played: their own measuring time, but no longer than a room waits.
double playback_s(const StepBars& bars);
/// Parameters of this rung for a bar, as a request names them.
Params params_of_bar(const State& state, const KernelInfo& info, const study::StepBar& bar);

}  // namespace ridge::window
