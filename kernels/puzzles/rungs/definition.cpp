// ridge: flags=-O3
//
// Idea      What each puzzle asks for, as plain loops on one core: the text of kernels/puzzles/definitions.h, in float.
// Limits    One core, one element at a time.
// Look at   What it says of the puzzle that you are on, before you write a kernel.
// Source    The definitions.
#include "kernels/puzzles/definitions.h"

namespace ridge {
namespace {

Status launch_definition(const Launch& launch) {
  const Puzzle p = puzzle_of(launch);
  const auto* definition = static_cast<const puzzles::Definition*>(launch.shape.constants);
  definition->in_float({p.rows, p.columns, p.a, p.b, p.c, p.y});
  return {};
}

RIDGE_KERNEL(puzzles, cpu, definition, .launch = launch_definition);

}  // namespace
}  // namespace ridge
