// ridge: arch=75
//
// Idea      The same bytes as a row operation moves, on the same buffers, and nothing computed: the ceiling
//           that those rungs are held against. 16 bytes a thread and step, four loads under way.
// Limits    The memory's turns between reading and writing.
// Look at   compare with it as the baseline: a ratio of 0.95 is 95 % of what copying reaches.
// Source    As probe.cuda.dram_copy.
#include <cstdint>

#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/problems/rows.h"

namespace {

using namespace ridge;

constexpr int kThreads = 256, kLoads = 4;
constexpr int64_t kPerBlock = int64_t{kThreads} * kLoads;

__global__ void __launch_bounds__(kThreads)
    copy_streamed_kernel(const uint4* __restrict__ x, uint4* __restrict__ y, int64_t vectors,
                         int64_t bytes) {
  const int64_t first = blockIdx.x * kPerBlock + threadIdx.x;
  uint4 value[kLoads];
#pragma unroll
  for (int i = 0; i < kLoads; ++i)
    if (first + i * kThreads < vectors) value[i] = __ldcs(x + first + i * kThreads);
#pragma unroll
  for (int i = 0; i < kLoads; ++i)
    if (first + i * kThreads < vectors) __stcs(y + first + i * kThreads, value[i]);
  const int64_t end = vectors * 16 + first;  // the last bytes: fewer than 16
  if (end < bytes)
    reinterpret_cast<unsigned char*>(y)[end] = reinterpret_cast<const unsigned char*>(x)[end];
}

Status launch(const Launch& launch) {
  const Rows r = rows_of(launch);
  const int64_t bytes = r.m * r.n * static_cast<int64_t>(dtype_size(launch.shape.dtype));
  const int64_t vectors = bytes / 16, blocks = (vectors + kPerBlock) / kPerBlock;
  copy_streamed_kernel<<<static_cast<unsigned>(blocks), kThreads, 0,
                         static_cast<cudaStream_t>(launch.stream)>>>(
      reinterpret_cast<const uint4*>(r.x), reinterpret_cast<uint4*>(r.y), vectors, bytes);
  return RIDGE_CUDA_LAUNCHED(copy_streamed_kernel);
}

}  // namespace

RIDGE_KERNEL(copy, cuda, streamed, .dtypes = "bf16 fp32", .launch = launch);
