// The command palette: everything that can be done, found by a few letters. No ImGui here.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/window/shell/state.h"

namespace ridge::window {

/// How well `text` matches letters typed in order, not necessarily side by side; nullopt: not at all.
/// Higher is better: beginnings of words and runs of letters count most. Case does not matter.
std::optional<int> fuzzy_score(std::string_view typed, std::string_view text);

struct PaletteEntry {
  std::string title, kind, keys;  ///< kind: "action", "lab", "rung"
  std::string blocker;            ///< cannot be done now, and why; empty: it can
  std::function<void(State&)> act;
};

/// Actions (screens among them), labs, and the rungs of the lab in view; those that match, best first.
std::vector<PaletteEntry> palette_entries(const State& state, std::string_view typed);

}  // namespace ridge::window
