// One warp of a counted CUDA rung, request by request (KernelCounts::steps): whose requests are shown, and which one. The
// view Trace shows them of the selected rung, the workbench of a puzzle's last save. No ImGui here; steps_draw.cpp draws it.
#pragma once

#include <string>

#include "common/record/kernel_counts.h"

namespace ridge::window {

struct State;

struct Stepping {
  std::string of;            ///< the counts whose request `at` is
  int at = 0;                ///< from 0
  bool hides_lanes = false;  ///< of a rung that has lanes too: its requests were asked for
};

/// The counts of the selected rung, where they hold a warp's requests; null: they do not.
const KernelCounts* shown_steps(const State& state);
/// The view Trace is about them.
bool shows_steps(const State& state);
/// The request of these counts that is shown, from 0.
int step_of(const State& state, const KernelCounts& counts);
/// The request `at` of these counts, as far as there are requests.
Stepping stepping_at(const KernelCounts& counts, int at);
void step_to(State& state, const Stepping& to);
/// Of the request that is shown: the line of the rung's file; 0: of none, or none is shown.
int stepped_line(const State& state, const KernelCounts& counts);

/// Why the selected rung's warp cannot be stepped; empty: it can.
std::string steps_blocker(const State& state);
/// In the view Trace, with the source beside it.
void open_steps(State& state);
/// Why the view Trace is empty in this lab; empty: it is not.
std::string trace_blocker(const State& state);

/// Whether < and > move something: a lesson's diagrams, or the warp that is shown.
std::string diagram_step_blocker(const State& state);
void step_diagrams(State& state, int by);

}  // namespace ridge::window
