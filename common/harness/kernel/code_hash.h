// The hash of a rung's code: what a recorded figure is held against to know whether its kernel has changed since.
//
// Two texts have one hash where they hold the same code. A text is read as the compiler reads it, token by token, and
// cut at its outermost declarations; the hashes of these pieces are sorted. So the hash ignores
//   comments, white space, line breaks, #include and #pragma once;
//   where code lies: file names, folders, which header of the closure has it, the order of declarations;
//   `namespace X {`, its end, and `using namespace X;`;
//   of a registration the family, the name of the rung, and the members that are words for people (kWords).
// It changes with every other token of the rung's file and of the kernel headers that it includes.
//
// Files that are compiled beside a rung (an engine's or a search's .cpp or .cu) and scripts that lie in them are not in
// it: who changes one of these takes the rungs that call it again.
//
// It is no hash of what the preprocessor makes of a file: that would need nvcc wherever a CUDA rung is listed, and would
// change with each release of the toolkit's headers.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/core/embedded.h"

namespace ridge {

/// FNV-1a, 64 bits: enough to tell one version of a text from another; nothing here is secret.
uint64_t fnv1a(std::string_view text, uint64_t hash = 0xcbf29ce484222325ULL);
/// 16 hex digits.
std::string hex16(uint64_t value);

/// The code of one text, a piece for each outermost declaration, in the order of the text.
std::vector<std::string> code_pieces(std::string_view text);

/// Hashes over a set of files that include each other by their paths from the source tree's root. `files` outlive it.
class CodeHashes {
 public:
  explicit CodeHashes(std::span<const EmbeddedFile> files);
  /// Of `file`, which need not be one of the set, with the headers of the set that it includes.
  uint64_t of(const EmbeddedFile& file);

 private:
  struct Part {
    std::vector<uint64_t> pieces;
    std::vector<std::string_view> includes;
  };
  static Part read(std::string_view text);
  const Part* header(std::string_view path);

  std::map<std::string_view, std::string_view> texts_;
  std::map<std::string_view, Part> parts_;
};

}  // namespace ridge
