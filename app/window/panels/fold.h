// Expert rungs are folded away at first: each run of them in the ladder stands under one line, and one
// choice opens or closes all of them.
#pragma once

#include <string>

#include "app/window/shell/state.h"

namespace ridge::window {

/// Neighbouring expert rungs of the ladder.
struct Fold {
  size_t first = 0, count = 0;  ///< rows of State::ladder
  size_t results = 0;           ///< how many of them have a result
  bool can_show = false;        ///< one of them can run here or has a result
};

bool is_folded(const State& state, const Rung& rung);
/// The fold that begins at this row of the ladder; count 0 where none begins.
Fold fold_at(const State& state, size_t row);
bool has_folds(const State& state);
/// "5 expert rungs", and how many have results.
std::string fold_text(const Fold& fold);
/// Opens the folds where this rung is in one.
void unfold_for(State& state, const std::string& kernel);
/// A selection inside a fold that closes moves to the rung before it.
void toggle_folds(State& state);

}  // namespace ridge::window
