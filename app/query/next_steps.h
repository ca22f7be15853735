// Where a lab leads on from the command line: its exercises, and its CUDA rungs counted without a GPU.
#pragma once

#include <string>

#include "labs/lab.h"

namespace ridge::app {

/// One line of a terminal with its newline: "  next: 'ridgepoint exercise list puzzles' has its 25 exercises; ...". Empty:
/// the lab has no exercise.
std::string next_text(const Lab& lab);

/// Whether exercises of the lab are solved by what is counted, without a GPU.
bool has_puzzles(const Lab& lab);

}  // namespace ridge::app
