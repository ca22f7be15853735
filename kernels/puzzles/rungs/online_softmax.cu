// ridge: arch=75
//
// Exercise  Online softmax
// Level     3
// Task      The same rows, with one walk less: the largest element so far and
//           the sum so far are kept together. Where a larger element comes, the
//           sum is scaled to it.
// Hint      With a new largest element m', sum becomes sum * exp(m - m') before
//           exp(a - m') is added.
// Hint      Two lanes are joined the same way: both sums are scaled to the
//           larger of the two largest elements.
// Hint      Begin with -FLT_MAX and 0: exp(-FLT_MAX - m) is 0, and nothing is
//           divided by nothing.
// Target    sectors 342, barriers 0
#include <cfloat>
#include <cmath>

#include "common/harness/kernel/cuda_check.h"
#include "kernels/puzzles/puzzles.h"

namespace {

/// The largest value of a warp's lanes, in each of them.
__device__ float warp_max(float value) {
  for (int step = 16; step > 0; step /= 2)
    value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, step));
  return value;
}

/// The sum over a warp's lanes, in each of them.
__device__ float warp_sum(float value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffffu, value, step);
  return value;
}

__global__ void online_softmax_kernel(const float* a, float* y, int columns) {
  const float* row = a + blockIdx.x * columns;
  float* to = y + blockIdx.x * columns;
  // solution: the largest element and the sum in one walk; join the lanes; the quotients
  float most = -FLT_MAX, sum = 0.0f;
  for (int j = threadIdx.x; j < columns; j += 32) {
    const float value = row[j], larger = fmaxf(most, value);
    sum = sum * expf(most - larger) + expf(value - larger);
    most = larger;
  }
  const float largest = warp_max(most);
  sum = warp_sum(sum * expf(most - largest));
  for (int j = threadIdx.x; j < columns; j += 32) to[j] = expf(row[j] - largest) / sum;
  // given: float most = -FLT_MAX, sum = 0.0f;
  // given: for (int j = threadIdx.x; j < columns; j += 32) most = fmaxf(most, row[j]);
  // given: most = warp_max(most);
  // given: for (int j = threadIdx.x; j < columns; j += 32) sum += expf(row[j] - most);
  // given: sum = warp_sum(sum);
  // given: for (int j = threadIdx.x; j < columns; j += 32) to[j] = expf(row[j] - most) / sum;
  // end of solution
}

ridge::Status launch(const ridge::Launch& launch) {
  const ridge::Puzzle p = ridge::puzzle_of(launch);
  const auto stream = static_cast<cudaStream_t>(p.stream);
  online_softmax_kernel<<<p.rows, 32, 0, stream>>>(p.a, p.y, p.columns);
  return RIDGE_CUDA_LAUNCHED(online_softmax_kernel);
}

}  // namespace

RIDGE_KERNEL(puzzles, cuda, online_softmax, .launch = launch);
