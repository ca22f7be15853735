// The lanes of a GPU rung's warps (Inspection::lanes): which are shown of a rung, whose recording they are of, and what a
// press asks of the worker. No ImGui here; lanes_panel.cpp draws them.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "common/record/inspection.h"

namespace ridge::window {

struct State;
struct RungView;

struct LanesLook {
  bool is_alone = false;                        ///< without the previous rung that has lanes
  int64_t request = 0;                          ///< open; 0: none
  std::string kernel;                           ///< of that request
  std::map<std::string, std::string> problems;  ///< by kernel: why the worker had none
};

struct ShownLanes {
  const Inspection* look = nullptr;  ///< null: none
  std::string machine;               ///< recorded: of which; empty: of the session in view
};

/// Whether the view Trace is about the warps of the selected rung: a rung of a GPU.
bool shows_lanes(const State& state);
/// The newest of the session in view, else of the recordings, where one that is not stale goes first.
ShownLanes shown_lanes(const State& state, const RungView& row);
/// The last rung before the selected one that has lanes; null: none has.
const RungView* lanes_before(const State& state);
/// The first rung of the lab that has lanes, else, of a selected rung that cannot have any, the first with a stamped copy;
/// null: there is none.
const RungView* first_with_lanes(const State& state);
/// Why a rung has no lanes to show, and what to do about it.
struct NoLanes {
  std::string sentence, next;
};
NoLanes why_no_lanes(const State& state, const RungView& row);
/// Why the worker cannot be asked for the lanes of the selected rung; empty: it can.
std::string stamp_blocker(const State& state);
void take_stamps(State& state);

/// Takes note of how the last request ended. True when something changed.
bool tick_lanes(State& state);

}  // namespace ridge::window
