// A file that the build put into the program (cmake/write_embedded.cmake).
#pragma once

namespace ridge {

struct EmbeddedFile {
  const char* path;  ///< from the source tree's root: "kernels/gemm/rungs/naive.cpp"
  const char* text;
};

}  // namespace ridge
