// CUDA C++ compiled at run time. The compiler is a library that is looked for when it is first needed
// (libnvrtc, part of the CUDA toolkit), so that a worker starts and runs all else without it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#include "common/harness/kernel/cuda_check.h"

namespace ridge::device {

/// Null where programs can be compiled; else one sentence.
const char* nvrtc_missing();

/// A program on the GPU, and what making it took.
struct Program {
  Program() = default;
  Program(const Program&) = delete;
  ~Program() {
    if (library != nullptr) cudaLibraryUnload(library);
  }
  Status launch(unsigned blocks, int threads, int shared_bytes, void** arguments, const Launch& launch) const;

  cudaLibrary_t library = nullptr;
  cudaKernel_t kernel = nullptr;
  double compile_s = 0;     ///< of the compiler; 0 where it was compiled before by this process
  size_t binary_bytes = 0;  ///< of machine code and what goes with it
};

/// Compiles `source` for the present GPU and loads its kernel `name`. `headers` are paths of embedded
/// files of kernels/ that it includes by these names. Machine code is kept while the process lives.
/// A Status' text stays valid until the next call.
Status compile_program(const std::string& source, const std::vector<std::string>& headers,
                       const char* name, Program* program);

}  // namespace ridge::device
