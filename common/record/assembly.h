// A rung's assembly in words.
#pragma once

#include <string>

#include "common/record/types.h"

namespace ridge {

/// "The loop at lines 29 to 35: 7 instructions, of them 0 FMA, 2 other arithmetic, 2 loads, 0 stores."
/// or why none is marked.
std::string loop_sentence(const AssemblyText& assembly);

}  // namespace ridge
