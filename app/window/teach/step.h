// One step of a tour, or of the presenter without one, as it is worked out for the canvas: its bars and where each comes
// from. What is asked and answered is step_answer.h, what became of it step_outcome.h, its run step_run.h. No ImGui in any
// of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/study/tour.h"
#include "app/window/shell/state.h"
#include "common/record/seed_delta.h"

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
  bool is_invalid =
      false;  ///< its newest result here failed its check: it has no speed, and `reason` says so
  /// Measured here, and no earlier result of this session at the same point agrees: one sentence. Empty: none contradicts.
  std::string contradiction = {};
  double value = 0;  ///< in StepBars::unit; 0: there is none
  /// Where the bar is one of the two readings of a trap (StepBars::drawn()): which; its unit is the trap's.
  const TrapFigure* reading = nullptr;
};

struct StepBars {
  std::vector<LessonBar> bars;
  std::string unit;  ///< "FLOP/s", "images/s"; "×": how far a trap's figure is off, either way
  bool is_factor() const { return unit == "×"; }
  const LessonBar* last() const { return bars.empty() ? nullptr : &bars.back(); }
  /// As they are drawn: of a trap alone what is true, and what it reports, are a bar each.
  StepBars drawn() const;
};

/// The step that the canvas shows: the tour's, else the selected rung beside the rung before it and the fastest library,
/// all of one data type and size.
study::TourStep shown_step(const State& state);
/// In a saved run the rung that gains most over the one before it, by a pair that settles it at the problem in view; empty:
/// it has no such pair.
std::string largest_step(const State& state);
/// What it is asked at, as far as it matters for the step: "n = 256 · fp32 · 1 thread". Of a recording they are its own.
/// Empty: at several sizes.
std::string asked_at(const State& state);
StepBars step_bars(const State& state, const study::TourStep& step);

/// "“loop order, n = 512”"; and without the quotes.
std::string quoted_bar(const LessonBar& bar, const study::TourStep& step);
std::string bar_name(const LessonBar& bar, const study::TourStep& step);
/// "NVIDIA H200", or that the machine of this run was not recorded.
std::string machine_named(const Run& run);
/// The bar as a recording of these very parameters has it; without a series where none does.
LessonBar recorded_bar(const State& state, const study::StepBar& asked);

/// In a lab that judges by a task, as accuracy: the rung that says what the others lose of it, the first of their kind.
/// Null: it is this one, or the lab judges by an error.
const Rung* judged_against(const Lab& lab, const std::string& kernel);

/// What the lab of this bar judges by, as accuracy, over its seeds. None: it judges by an error, or the bar was not judged.
std::optional<SeedMean> task_of(const LessonBar& bar);

/// It ended, passed its check and has a figure.
bool is_result(const Series& series);
/// Of one rung at the same parameters.
bool is_same_point(const Series& one, const Series& other);
/// What two runs of one machine may differ by: a factor.
inline constexpr double kFelt = 1.25;
/// Their times differ beyond the spread of one machine from run to run.
bool tells_apart(const Series& a, const Series& b);
/// Other programs took processor time while it was measured.
bool is_disturbed(const Series& series);
/// Measured here while other programs ran, or contradicted: its time alone settles no ratio.
bool is_doubtful(const LessonBar& bar);
/// Why the step is worth measuring again, one sentence; empty: nothing speaks for it.
std::string doubt_of(const StepBars& bars);

/// Null: none of that name. A learner's own rung is in the ladder alone.
const Rung* rung_in(const State& state, const std::string& kernel);

/// Whether a step may be about this rung: in a saved run, where nothing can be measured, that run needs a result of it.
bool can_be_asked(const State& state, const std::string& kernel);
/// Parameters of this rung for a bar, as a request names them.
Params params_of_bar(const State& state, const KernelInfo& info, const study::StepBar& bar);

}  // namespace ridge::window
