// What the window shows, in lines: for tests that aim with a real mouse, at a window (tests/window_probe.cpp) and at a page.
#pragma once

#include <string>

namespace ridge::window {

class Shell;
struct State;

/// "selected RUNG", "lab ID", "screen NAME", "worker STATE", "reason WHY IT IS LOST", "error 0|1", "baseline RUNG",
/// "running 0|1", "asked REQUESTS", "notice TEXT", "written FILE"; "row RUNG STATE REASON" for each rung; "x y w h NAME" for each widget, in pixels.
std::string look_text(const Shell& shell, const State& state);

}  // namespace ridge::window
