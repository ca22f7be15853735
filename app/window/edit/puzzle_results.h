// What became of the last save of a puzzle: whether it is right, and what it was counted by beside its targets. Counted on
// this CPU, never timed.
#pragma once

#include <string>

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

/// Headline, status and targets.
void draw_puzzle(Ui& ui, Area* rest);
/// The line of the last save whose request is shown in `draw_counted_lines`; 0: none is.
int puzzle_line(const State& state);
/// In place of a listing: what one warp of the last save asks for, request by request, and what each line does.
void draw_counted_lines(Ui& ui, Area area, StepsPicture* steps);

}  // namespace ridge::window
