// The hash of a rung's code: what a recorded figure is held against to know whether its kernel has changed since.
//
// Two texts have one hash where they hold the same code. A text is read as the compiler reads it, token by token, and
// cut at its outermost declarations; the hashes of these pieces are sorted. So the hash ignores
//   comments, white space, line breaks, #include and #pragma once;
//   where code lies: file names, folders, which header of the closure has it, the order of declarations;
//   `namespace X {`, its end, and `using namespace X;`;
//   of a registration the family, the name of the rung, and the members that are words for people (kWords).
// It changes with every other token of the rung's file, of the kernel headers that it includes, and of what is linked
// with them: an engine, a search, a script in a .cpp. A file is linked where it defines a name that a reached header
// declares and reached code uses; it then counts whole, with all that it includes and uses in turn. What registers a
// family makes inputs and judges outputs: no timed call reaches it, and it is in no hash. What a library does is its
// version's affair, which the recording names.
//
// It is no hash of what the preprocessor makes of a file: that would need nvcc wherever a CUDA rung is listed, and would
// change with each release of the toolkit's headers.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/core/embedded.h"
#include "common/core/hash.h"

namespace ridge {

/// 16 hex digits.
std::string hex16(uint64_t value);

/// The code of one outermost declaration.
struct CodePiece {
  std::string text;
  std::vector<std::string> names{};  ///< what it declares or defines for other files
  std::vector<std::string> words{};  ///< every word of it
};

/// The code of one text, a piece for each outermost declaration, in the order of the text.
std::vector<CodePiece> code_pieces(std::string_view text);

/// Hashes over a set of files that include each other by their paths from the source tree's root. `files` outlive it.
class CodeHashes {
 public:
  explicit CodeHashes(std::span<const EmbeddedFile> files);
  /// Of `file`, which need not be one of the set, with the headers of the set that it includes and what is linked with them.
  uint64_t of(const EmbeddedFile& file) const;

 private:
  struct Part {
    std::vector<uint64_t> pieces;
    std::vector<std::string_view> includes;
    std::set<std::string> names;
    std::map<std::string, int> words;  ///< how often it has each
  };
  struct Link {
    std::string name;
    std::string_view path;  ///< of the file that defines it
  };
  using Links = std::map<std::string_view, std::vector<Link>>;  ///< by the header that declares it

  static Part read(std::string_view text);
  void link(std::string_view path);
  /// The files of the set that `from` includes, and what `links` links with them.
  std::set<std::string_view> reached(const Part& from, const Links& links) const;

  std::map<std::string_view, Part> parts_;
  Links links_;
};

}  // namespace ridge
