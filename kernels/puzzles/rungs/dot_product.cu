// ridge: arch=75
//
// Exercise  Dot product
// Level     2
// Task      y[0] = the sum of a[i] b[i] over all elements; it is 0 to begin
//           with. Each thread has a sum of its own, and adds it to y with an
//           atomic. Atomics on one address wait for each other: let one a block
//           do.
// Hint      Reduce in the warp with warp_sum(), then put one sum a warp into
//           shared memory.
// Hint      After a barrier the first warp reads these sums, reduces once more,
//           and lane 0 adds to y.
// Hint      There are only four warps: lanes 4 to 31 of the first warp take
//           part with 0.
// Target    atomics 8
#include "common/harness/kernel/cuda_check.h"
#include "kernels/puzzles/puzzles.h"

namespace {

constexpr int kBlocks = 8, kThreads = 128;

/// The sum over a warp's lanes, in each of them.
__device__ float warp_sum(float value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffffu, value, step);
  return value;
}

__global__ void dot_product_kernel(const float* a, const float* b, float* y, int n) {
  float sum = 0.0f;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads)
    sum += a[i] * b[i];
  // solution: add up the block's sums, and let one thread add them to y
  __shared__ float of_warp[kThreads / 32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  sum = warp_sum(sum);
  if (lane == 0) of_warp[warp] = sum;
  __syncthreads();
  if (warp != 0) return;
  sum = warp_sum(lane < kThreads / 32 ? of_warp[lane] : 0.0f);
  if (lane == 0) atomicAdd(y, sum);
  // given: atomicAdd(y, sum);
  // end of solution
}

ridge::Status launch(const ridge::Launch& launch) {
  const ridge::Puzzle p = ridge::puzzle_of(launch);
  const auto stream = static_cast<cudaStream_t>(p.stream);
  RIDGE_CUDA_CHECK(cudaMemsetAsync(p.y, 0, 1 * sizeof(float), stream));
  dot_product_kernel<<<kBlocks, kThreads, 0, stream>>>(p.a, p.b, p.y, p.columns);
  return RIDGE_CUDA_LAUNCHED(dot_product_kernel);
}

}  // namespace

RIDGE_KERNEL(puzzles, cuda, dot_product, .launch = launch);
