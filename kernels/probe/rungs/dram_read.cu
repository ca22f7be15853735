// ridge: arch=75
// Ceiling: reading device memory.
//
// Idea        Each block sums one 64 KiB chunk: 16-byte loads side by side across a warp, sixteen of
//             them independent in each thread, so that enough requests are under way to hide the
//             800 or so clocks each takes. The sum is of whole numbers: it is exact in any order.
// Look at     Bandwidth against the datasheet's: 93-95 % is what the memory itself can give.
// Source      Little's law; Volkov, "Better Performance at Lower Occupancy" (GTC 2010).
#include "common/harness/kernel/cuda_check.h"
#include "kernels/probe/probe_cuda.h"

namespace {

using namespace ridge::probe;

constexpr int kThreads = 256;
constexpr int kLoads = kReadChunk / 4 / kThreads;

__global__ void __launch_bounds__(kThreads)
    probe_dram_read_kernel(const uint4* __restrict__ in, uint32_t* __restrict__ out) {
  const uint4* chunk = in + int64_t{blockIdx.x} * (kReadChunk / 4) + threadIdx.x;
  uint4 value[kLoads];
#pragma unroll
  for (int i = 0; i < kLoads; ++i) value[i] = __ldcs(chunk + i * kThreads);
  uint32_t sum = 0;
#pragma unroll
  for (int i = 0; i < kLoads; ++i) sum += value[i].x + value[i].y + value[i].z + value[i].w;

  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  __shared__ uint32_t acc[kThreads / 32];
  if (threadIdx.x % 32 == 0) acc[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < kThreads / 32; ++i) sum += acc[i];
    out[blockIdx.x] = sum;
  }
}

ridge::Status launch(const ridge::Launch& launch) {
  probe_dram_read_kernel<<<static_cast<unsigned>(launch.shape.dim[kUnits]), kThreads, 0,
                           static_cast<cudaStream_t>(launch.stream)>>>(
      static_cast<const uint4*>(launch.buffers[0]), static_cast<uint32_t*>(launch.buffers[1]));
  return RIDGE_CUDA_LAUNCHED(probe_dram_read_kernel);
}

}  // namespace

RIDGE_KERNEL(probe, cuda, dram_read, .launch = launch);
