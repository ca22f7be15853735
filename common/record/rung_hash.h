// The hash of each rung's code as it was when this program was built (common/harness/kernel/code_hash.h): what tells
// whether the kernel behind a saved figure has changed since.
#pragma once

#include <span>

namespace ridge {

struct RungHash {
  const char* rung;      ///< "gemm.cuda.naive"
  const char* hash;      ///< 16 hex digits
  bool stamped = false;  ///< it has a copy with clock stamps (common/record/lanes.h)
};

/// By id. Every rung whose source there is, compiled here or not.
std::span<const RungHash> rung_hashes();  // defined by a generated file

}  // namespace ridge
