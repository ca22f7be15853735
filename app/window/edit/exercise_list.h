// The exercises of all labs, each with what was done of it and a button that opens it: on Your turn and on Class.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/query/editing.h"
#include "app/window/shell/ui.h"

namespace ridge::window {

class ExerciseList {
 public:
  /// True when one of them was opened.
  bool draw(Ui& ui, const Area& area) const;
  /// The next behind this one that is not solved and can be done here; empty: none is left.
  std::optional<app::Exercise> after(const State& state, const std::string& name) const;

 private:
  Result<std::vector<app::Exercise>> all_ = app::all_exercises();
};

}  // namespace ridge::window
