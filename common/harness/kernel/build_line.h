// The first line of a rung's file, which says how it wants to be compiled:
//
//   // ridge: isa=avx512f variants=o1:-O1,o3:-O3 flags=-fno-math-errno needs=onednn
//
// cmake/kernels.cmake reads it to build the rungs and explains the items; registry_test holds both to the same.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ridge {

struct BuildLine {
  struct Variant {
    std::string name;  ///< "o1"; empty: the file makes one rung
    std::string flag;  ///< "-O1"
  };

  std::string isa;                   ///< "avx512f"
  std::string arch;                  ///< "90a"
  std::string needs;                 ///< "onednn"
  bool stamped = false;              ///< "stamped=yes": compiled once more with clock stamps
  std::vector<std::string> options;  ///< of flags=, then what is no item: "-O3", "-fno-math-errno"
  std::vector<Variant> variants;     ///< at least one
  std::vector<std::string> words;    ///< isa=, arch= and options, as written

  /// What a variant is compiled with, as a catalogue shows it: "isa=avx512f -O1".
  std::string flags(const Variant& variant) const;
};

/// Of a file's text. Without a build line: one variant without a name, and nothing else.
BuildLine build_line_of(std::string_view text);

}  // namespace ridge
