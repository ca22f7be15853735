// x86-64 machine code of a network's LUTs, made at run time. C-like: an ISA-flagged file includes this.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernels/runtime/weightless/weightless.h"

namespace ridge {

/// Computes eight LUTs of one class for the 512 images whose planes are given; writes 8 x 8 words.
typedef void (*EightLuts)(const uint64_t* planes, uint64_t* out);

struct GeneratedCode {
  void* memory;
  size_t bytes;
  EightLuts*
      groups;      ///< [class][ceil(luts_per_class / 8)]; null: the reason says why there is none
  int operations;  ///< vpternlog instructions of all LUTs
  const char* reason;
};

/// Never null. The code's pages are written first and executable only afterwards, never both (W^X);
/// where the system refuses that, groups is null. RIDGE_NO_GENERATED_CODE in the environment refuses too.
GeneratedCode* generate_code(const LutModel* model);
void free_code(void* code);

}  // namespace ridge
