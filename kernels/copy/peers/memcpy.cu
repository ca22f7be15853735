// Idea      What the driver's own copy reaches between two buffers of one GPU.
// Look at   Beside copy.cuda.streamed: whether our measure of a copy is honest.
// Source    CUDA Runtime API, cudaMemcpyAsync.
#include <cstdio>

#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/problems/rows.h"

namespace {

ridge::Status launch(const ridge::Launch& launch) {
  const ridge::Rows r = ridge::rows_of(launch);
  const size_t bytes = static_cast<size_t>(r.m * r.n) * ridge::dtype_size(launch.shape.dtype);
  RIDGE_CUDA_CHECK(cudaMemcpyAsync(r.y, r.x, bytes, cudaMemcpyDeviceToDevice,
                                   static_cast<cudaStream_t>(launch.stream)));
  return {};
}

const char* version() {
  static char text[16] = "";
  int number = 0;
  if (cudaRuntimeGetVersion(&number) == cudaSuccess)
    snprintf(text, sizeof text, "%d.%d", number / 1000, number % 1000 / 10);
  return text;
}

}  // namespace

RIDGE_KERNEL(copy, cuda, memcpy, .dtypes = "bf16 fp32", .library = "cudaMemcpy", .version = version,
             .launch = launch);
