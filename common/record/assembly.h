// A rung's assembly in words.
#pragma once

#include <string>

#include "common/record/types.h"

namespace ridge {

/// "The loop at lines 29 to 35: 7 instructions, of them 0 FMA, 2 other arithmetic, 2 loads, 0 stores."
/// or why none is marked.
std::string loop_sentence(const AssemblyText& assembly);

/// Arithmetic of the marked loop, by how many numbers one instruction computes.
struct LoopLanes {
  int packed = 0, scalar = 0;  ///< instructions
  int bytes = 0;               ///< of the widest packed one's registers: 16, 32, 64
};
/// Of x86-64; zeros for other targets, and where no loop is marked.
LoopLanes loop_lanes(const AssemblyText& assembly);
/// The same of all instructions that were made of these lines of the rung's file, from 1, both inside. Zeros where the
/// listing is not linked with its lines.
LoopLanes lanes_of_lines(const AssemblyText& assembly, int first, int last);

/// How many numbers a line of a listing of x86-64 computes in a vector register, taken as floats unless it says doubles:
/// 1 where it is scalar, 0 where it computes none.
int numbers_computed(const std::string& line);

}  // namespace ridge
