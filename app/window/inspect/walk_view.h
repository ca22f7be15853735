// The walk of a CPU rung through its matrices and caches (Inspection::walk): what is asked of the worker while it is
// looked at, which of the answers are shown, and where the player stands. No ImGui here; walk_panel.cpp draws it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/record/inspection.h"

namespace ridge::window {

struct State;
struct RungView;
struct ViewDesc;

/// How much of a walk is in view: all of it, a 64th of it, or so many accesses that each is a frame.
enum class WalkPart { whole, closer, each };

struct Walking {
  int size = -1;  ///< which of the lab's sizes; -1: its first look
  bool machine_caches = false;
  bool is_alone = false;  ///< without the rung before beside it
  WalkPart part = WalkPart::whole;
  double from = 0;   ///< where the part begins, as a share of the walk
  double place = 0;  ///< of the player within the part, 0 to 1
  bool plays = false;
  int speed = 1;                                ///< an index of kWalkSpeeds
  double moved_s = 0;                           ///< clock at which the player moved last
  int64_t request = 0;                          ///< open; 0: none
  std::string key;                              ///< what it is for
  std::map<std::string, int64_t> asked;         ///< what was asked for, and by which request
  std::map<std::string, std::string> problems;  ///< why there is none, by the same key
  std::set<std::string> broken_off;             ///< of those, what would go on if asked again
};

/// Seconds that a part takes from its beginning to its end.
inline constexpr double kWalkSpeeds[] = {48, 16, 5};

/// The view is in front: what it asks of the worker is what the person waits for.
bool shows_walk(const State& state);
/// The selected rung; null: none is selected.
const RungView* walking_row(const State& state);
/// The rung of the CPU before it whose walk stands beside; null: none.
const RungView* row_before(const State& state);
/// Why a rung's walk cannot be recorded, whatever is asked; empty: it can.
std::string no_walk_of(const State& state, const RungView& row);
/// What is known of a rung's walk, the part in view; null: nothing yet.
const Inspection* shown_walk(const State& state, const RungView& row);
/// Why the worker had none of it; empty: it was not asked, or it had.
std::string walk_problem(const State& state, const RungView& row);

/// While the view is shown: moves the player, sends what is wanted, and takes note of how the last request ended.
/// True when something changed.
bool tick_walk(State& state, double now_s);

std::string walk_blocker(const State& state);
void toggle_play(State& state);
void step_walk(State& state, int frames);
void seek_walk(State& state, double place);
/// Closer: the part begins where the player is.
void show_part(State& state, WalkPart part);
void set_walk_size(State& state, int size);
void set_machine_caches(State& state, bool machine);
void walk_again(State& state);

extern const ViewDesc kWalkView;

}  // namespace ridge::window
