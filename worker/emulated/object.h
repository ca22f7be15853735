// A rung's shared object, made for emulation: where its places are in the source, and which floating-point operations
// and branches each of its basic blocks has.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "common/core/result.h"
#include "worker/emulated/counts.h"

namespace ridge::emulated {

struct SourceLine {
  std::string file;  ///< its name without folders
  int line = 0;
};

/// Where a place is: `innermost` may be in a header; `own` is the line of the rung's file that led there.
struct Where {
  SourceLine innermost, own;
};

struct Object {
  std::string path;      ///< of the shared object
  std::string own_file;  ///< the rung's file, without folders
  uintptr_t base = 0;    ///< where it is loaded
};

/// Of all these places, by addr2line of binutils. Errors: unavailable, it is not there.
Result<std::map<Site, Where>> lines_of(const Object& object, const std::set<Site>& sites);

/// What is counted of a basic block's instructions.
struct BlockCode {
  std::map<Site, int>
      instructions;       ///< floating-point operations, by the place behind each instruction
  Site branch = nullptr;  ///< behind its conditional jump; null: it has none
};

/// Of every basic block that has some, by the place of its first call, by objdump: a fused multiply-add is two operations.
/// Errors as above.
Result<std::map<Site, BlockCode>> code_of_blocks(const Object& object);

/// Of a launch.
int64_t flop_of(const LaunchCounts& counts, const std::map<Site, BlockCode>& blocks);

}  // namespace ridge::emulated
