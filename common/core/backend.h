// Which kind of processor runs a rung: the second part of its id.
//
// Files compiled for one instruction set include this header through common/harness/kernel/kernel.h, so it
// stays C-like. Its names are in common/record/enums.h.
#pragma once

#include <stdint.h>

namespace ridge {

enum class Backend : uint8_t { cpu, cuda };

}  // namespace ridge
