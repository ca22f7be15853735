// A rung's file with the kernel headers that it includes folded in, each once, where the first #include stands: one
// text to read from top to bottom.
#pragma once

#include <string>
#include <vector>

#include "common/record/run.h"

namespace ridge::app {

struct FlatSource {
  std::string text;
  int headers = 0;  ///< folded in
  std::vector<std::string>
      missing;  ///< paths of headers that the run does not hold; their #include stays
};

/// Of the rung's source in `run`, which holds a header as the source of its path ("kernels/runtime/cuda/tma.h").
/// Headers of common/ and of the system stay #include lines, each once.
FlatSource flat_source(const Run& run, const SourceText& source);

}  // namespace ridge::app
