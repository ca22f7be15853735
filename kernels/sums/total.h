// The sums of all threads, made into one. For .cu files.
#pragma once

#include "common/harness/kernel/cuda_check.h"
#include "kernels/sums/sums.h"

namespace ridge {

/// Adds the sums of a block's threads to *total. Whole warps, all threads.
__device__ inline void add_to_total(uint64_t sum, uint64_t* total) {
  __shared__ uint64_t acc[32];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  if (threadIdx.x % 32 == 0) acc[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (unsigned warp = 1; warp < blockDim.x / 32; ++warp) sum += acc[warp];
  atomicAdd(reinterpret_cast<unsigned long long*>(total), static_cast<unsigned long long>(sum));
}

/// Launches `kernel` with a total of 0 to begin with.
inline Status launch_sum(void (*kernel)(Sums), int blocks, int threads, const Launch& launch) {
  const Sums s = sums_of(launch);
  const auto stream = static_cast<cudaStream_t>(launch.stream);
  RIDGE_CUDA_CHECK(cudaMemsetAsync(s.out, 0, sizeof(*s.out), stream));
  kernel<<<static_cast<unsigned>(blocks), static_cast<unsigned>(threads), 0, stream>>>(s);
  return RIDGE_CUDA_LAUNCHED(kernel);
}

/// A full SM: 2,048 threads where it holds as many.
enum { kSumThreads = 256, kSumBlocksPerSm = 8 };

}  // namespace ridge
