// The rungs that the files of kernels/ make by convention, read from their texts: whether or not they are compiled here.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/core/embedded.h"
#include "common/record/enums.h"

namespace ridge {

class CodeHashes;  // common/harness/kernel/code_hash.h

/// kernels/<family>/<trick>.cpp or .cu makes one id per variant. Headers and helpers (no registration in the text) make
/// none.
struct KernelSource {
  std::string id;                    ///< "gemm.cpu.naive_o1"
  RungKind kind = RungKind::kernel;  ///< by the macro that registers it
  std::string path;
  std::string flags;                 ///< "-O1", "isa=avx512f", "arch=90a"; of this variant
  std::string isa, arch;             ///< "avx512f", "90a"
  std::vector<std::string> options;  ///< of the flags, those that the compiler gets as they are
  std::string needs;     ///< the library its build line asks for, "onednn"; empty for none
  bool stamped = false;  ///< its build line asks for a copy with clock stamps (stamps.h)
  std::string library;   ///< "oneDNN" for a peer: whose work it is, also where it is not compiled
  std::string text;
  std::string
      hash;  ///< 16 hex digits: its code, that of the kernel headers it includes (code_hash.h), its flags
};

/// The rungs that `files` make; `hashes` are over the files that they include.
std::vector<KernelSource> sources_in(std::span<const EmbeddedFile> files, const CodeHashes& hashes);

/// Comments and white-space runs removed; string literals kept.
std::string strip_comments(std::string_view text);

}  // namespace ridge
