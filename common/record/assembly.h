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

}  // namespace ridge
