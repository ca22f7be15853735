// What became of the last save of a puzzle: whether it is right, and what it was counted by beside its targets. Counted on
// this CPU, never timed.
#pragma once

#include <string>

#include "app/query/editing.h"
#include "app/window/inspect/steps_draw.h"
#include "app/window/shell/screens.h"
#include "common/record/kernel_counts.h"

namespace ridge::window {

/// The open exercise is a puzzle: a save is counted.
bool is_puzzle_open(const State& state);
/// Of the last save; null: it is being counted, or could not be.
const KernelCounts* puzzle_counts(const State& state);
/// In a sentence, under the headline.
std::string puzzle_status(const State& state, bool* is_error);

/// Its targets would answer what its lesson asks, and that has no answer yet.
bool hides_targets(const State& state, const std::string& kernel);
/// "no bank conflicts, at most 72 barriers"; while it hides_targets() what is counted: "sectors".
std::string targets_words(const State& state, const app::Exercise& puzzle);
inline constexpr const char* kHiddenTargets =
    "How many is what its lesson asks: the target stands here once you have answered.";

/// Headline, status and targets.
void draw_puzzle(Ui& ui, Area* rest);
/// The line of the last save whose request is shown in `draw_counted_lines`; 0: none is.
int puzzle_line(const State& state);
/// In place of a listing: what one warp of the last save asks for, request by request, and what each line does.
void draw_counted_lines(Ui& ui, Area area, StepsPicture* steps);

}  // namespace ridge::window
