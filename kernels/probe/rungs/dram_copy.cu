// ridge: arch=75
// Ceiling: copying within device memory, half reading and half writing.
//
// Idea        16 bytes a thread and step, four loads under way before the first store; neighbouring
//             threads on neighbouring addresses, both ways.
// Look at     It stays below the reading ceiling: the memory bus loses time each time it turns from
//             reading to writing. Kernels that do both should be held against this one.
// Source      NVIDIA CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory".
#include "common/harness/kernel/cuda_check.h"
#include "kernels/probe/probe_cuda.h"

namespace {

using namespace ridge::probe;

constexpr int kThreads = 256;
constexpr int kLoads = 4;
constexpr int64_t kPerBlock = int64_t{kThreads} * kLoads;

__global__ void __launch_bounds__(kThreads)
    probe_dram_copy_kernel(const uint4* __restrict__ in, uint4* __restrict__ out) {
  const int64_t first = blockIdx.x * kPerBlock + threadIdx.x;
  uint4 value[kLoads];
#pragma unroll
  for (int i = 0; i < kLoads; ++i) value[i] = __ldcs(in + first + i * kThreads);
#pragma unroll
  for (int i = 0; i < kLoads; ++i) __stcs(out + first + i * kThreads, value[i]);
}

ridge::Status launch(const ridge::Launch& launch) {
  static_assert(kReadChunk % (4 * kPerBlock) == 0, "a unit is a whole number of blocks");
  const int64_t blocks = launch.shape.dim[kUnits] * (kReadChunk / (4 * kPerBlock));
  probe_dram_copy_kernel<<<static_cast<unsigned>(blocks), kThreads, 0,
                           static_cast<cudaStream_t>(launch.stream)>>>(
      static_cast<const uint4*>(launch.buffers[0]), static_cast<uint4*>(launch.buffers[1]));
  return RIDGE_CUDA_LAUNCHED(probe_dram_copy_kernel);
}

}  // namespace

RIDGE_KERNEL(probe, cuda, dram_copy, .launch = launch);
