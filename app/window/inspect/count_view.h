// The counts of a CUDA rung that this CPU ran (common/record/kernel_counts.h): which are shown of the selected rung, and what
// a press asks of the worker. No ImGui here; the source tab draws them in its margin.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "app/window/inspect/steps_view.h"
#include "common/record/kernel_counts.h"

namespace ridge::window {

struct State;
struct RungView;

struct Counting {
  int64_t request = 0;                          ///< open; 0: none
  std::string kernel;                           ///< of that request
  std::map<std::string, std::string> problems;  ///< by kernel: why the worker had none
  std::vector<std::string> waiting;             ///< kernels that are counted next, the last first
  Stepping stepping;                            ///< through a warp's requests
};

/// The selected rung is one that could be counted: a CUDA kernel of ours.
bool has_counts_tab(const State& state);
/// Of the selected rung, of the session in view; null: none.
const KernelCounts* shown_counts(const State& state);
/// Above the source: what was counted, what is going on, or why there is nothing. Empty: nothing to say.
struct CountNote {
  std::string text;
  bool is_problem = false;
};
CountNote count_note(const State& state);
/// Why the worker cannot be asked to count the selected rung; empty: it can.
std::string count_blocker(const State& state);
void count_here(State& state);
/// Those of the lab in view that could be counted: CUDA kernels of ours.
std::vector<const RungView*> countable_rungs(const State& state);
std::string count_all_blocker(const State& state);
/// One after the other, until one is cancelled or something else begins.
void count_all(State& state);
/// The source tab goes to the first line of the selected rung that has counts; nothing where it has none.
void look_at_counts(State& state);

/// Takes note of how the last request ended. True when something changed.
bool tick_count(State& state);

}  // namespace ridge::window
