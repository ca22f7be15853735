// The view "History": the selected rung's results over time, of all sessions, from the user's history. Its state is here;
// what is read and written is done by app/history/keeper.h on another thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/history/keeper.h"

namespace ridge::window {

struct State;

struct HistoryLook {
  std::shared_ptr<history::Keeper>
      keeper;          ///< null: none is kept (tests, shot, RIDGEPOINT_HISTORY=off)
  uint64_t kept_run = 0, kept_version = 0;  ///< what it has: of which run, up to which of its changes
  std::string asked;   ///< the rung that was asked for last
  std::string kernel;  ///< the rung that `histories` is of
  std::vector<history::RungHistory> histories{};
  size_t shown = 0;  ///< which of them: one a problem, machine and way of timing
};

/// Adds what the session has measured, where a history is kept.
void keep_history(State& state);
/// Asks for the selected rung's history while the view is shown, and takes what has been read. True when something changed.
bool tick_history(State& state);

}  // namespace ridge::window
