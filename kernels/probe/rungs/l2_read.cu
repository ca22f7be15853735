// ridge: arch=75
// Ceiling: reading the L2.
//
// Idea        dram_read's loads over 2 MiB, again and again: the L2 holds them, and __ldcg passes the
//             L1 by. Blocks start at different chunks, so that the reads spread over the whole L2.
// Look at     The factor to DRAM: it is what a tile shared by many blocks gains.
// Source      As dram_read; CUDA C++ Programming Guide, "Load Functions Using Cache Hints".
#include "common/harness/kernel/cuda_check.h"
#include "kernels/probe/probe_cuda.h"

namespace {

using namespace ridge::probe;

constexpr int kThreads = 256;
constexpr int kLoads = kReadChunk / 4 / kThreads;

__global__ void __launch_bounds__(kThreads)
    probe_l2_read_kernel(const uint4* __restrict__ in, uint32_t* __restrict__ out) {
  uint32_t sum = 0;
  for (int pass = 0; pass < kL2Passes; ++pass) {
    const int64_t chunk = (int64_t{blockIdx.x} + pass) % kL2Chunks;
    const uint4* from = in + chunk * (kReadChunk / 4) + threadIdx.x;
    uint4 value[kLoads];
#pragma unroll
    for (int i = 0; i < kLoads; ++i) value[i] = __ldcg(from + i * kThreads);
#pragma unroll
    for (int i = 0; i < kLoads; ++i) sum += value[i].x + value[i].y + value[i].z + value[i].w;
  }
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
  probe_l2_read_kernel<<<static_cast<unsigned>(launch.shape.dim[kUnits]), kThreads, 0,
                         static_cast<cudaStream_t>(launch.stream)>>>(
      static_cast<const uint4*>(launch.buffers[0]), static_cast<uint32_t*>(launch.buffers[1]));
  return RIDGE_CUDA_LAUNCHED(probe_l2_read_kernel);
}

}  // namespace

RIDGE_KERNEL(probe, cuda, l2_read, .launch = launch);
