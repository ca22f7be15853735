// The lab's parameters above the chart.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "app/window/shell/ui.h"

namespace ridge::window {

/// A parameter, and what may be chosen for it.
struct ParamGroup {
  std::string name, label, tip;
  std::vector<std::string> options;
  int chosen = -1;
  bool is_integer = false;
};

/// The lab's parameters as rows of stops (as steppers where those do not fit), cache state and mode.
struct ParamsBar {
  /// Height it needs for this width.
  float height(Ui& ui, float width);
  void draw(Ui& ui, Area area);

 private:
  const std::array<std::vector<ParamGroup>, 2>& groups(const State& state);
  std::array<std::vector<ParamGroup>, 2> groups_;  ///< all; and what the selected rung takes
  uint64_t version_ = ~0ull;
  const ViewDesc* chart_ = nullptr;
};

}  // namespace ridge::window
