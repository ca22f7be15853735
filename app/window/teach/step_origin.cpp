#include "app/window/teach/step_origin.h"

#include <algorithm>
#include <vector>

#include "app/query/recordings.h"
#include "app/window/teach/step.h"
#include "app/window/teach/step_outcome.h"

namespace ridge::window {
namespace {

/// "NVIDIA H200, 2026-11-26"
std::string machine_and_day(const Run& run) {
  constexpr size_t kDay = 10;  // of "2026-11-26T02:10:00Z"
  const auto& environment = run.environment();
  return environment
             ? app::machine_name(*environment) + ", " + environment->time_utc.substr(0, kDay)
             : machine_named(run);
}

/// One name for each machine: recordings of several days are named by the first.
struct Machines {
  std::vector<std::string> names, with_days;
  void add(const std::string& name, const std::string& with_day) {
    if (std::find(names.begin(), names.end(), name) != names.end()) return;
    names.push_back(name);
    with_days.push_back(with_day);
  }
};

}  // namespace

std::string origin_line(const State& state) {
  const bool is_over = state.teaching.beat == Beat::done;
  const study::TourStep step = is_over ? study::TourStep() : shown_step(state);
  const bool measures = !is_over && step.measures();
  const StepBars bars = measures ? step_bars(state, step) : StepBars();
  Machines recorded;
  bool is_here = false;
  for (const LessonBar& bar : bars.bars) {
    if (bar.series && !bar.machine.empty())
      recorded.add(bar.machine, machine_and_day(*bar.run));
    else
      is_here |= bar.series || bar.can_run;
  }
  if (!bars.bars.empty()) {
    const std::string paired_on = outcome_of(state, step, bars).pair_machine;
    if (!paired_on.empty()) recorded.add(paired_on, paired_on);
  }
  if (recorded.names.empty() && state.is_replay() && state.run().environment())
    recorded.add("", machine_and_day(state.run()));
  if (recorded.names.empty()) return {};
  std::string line = is_here                      ? "Measured here; recorded: "
                     : recorded.names.size() == 1 ? "Recording: "
                                                  : "Recordings: ";
  for (size_t i = 0; i < recorded.with_days.size(); ++i)
    line += (i == 0 ? "" : "; ") + recorded.with_days[i];
  return line;
}

}  // namespace ridge::window
