// ridge: arch=75
//
// Exercise  Softmax
// Level     3
// Task      Each row of y is exp(a - m) / the sum of exp(a - m), with m the
//           largest element of the row. A warp has a row.
// Hint      Three walks along the row: the largest element, the sum, the
//           result. In each, lane l takes the elements l, l + 32 and so on.
// Hint      warp_max() and warp_sum() give every lane the result over the row.
// Hint      A lane without an element begins with -INFINITY for the largest,
//           and 0 for the sum.
// Target    sectors 456, barriers 0
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

__global__ void softmax_kernel(const float* a, float* y, int columns) {
  const float* row = a + blockIdx.x * columns;
  float* to = y + blockIdx.x * columns;
  // solution: the row's largest element, the sum of its exponentials, and the quotients
  float most = -INFINITY, sum = 0.0f;
  for (int j = threadIdx.x; j < columns; j += 32) most = fmaxf(most, row[j]);
  most = warp_max(most);
  for (int j = threadIdx.x; j < columns; j += 32) sum += expf(row[j] - most);
  sum = warp_sum(sum);
  for (int j = threadIdx.x; j < columns; j += 32) to[j] = expf(row[j] - most) / sum;
  // end of solution
}

ridge::Status launch(const ridge::Launch& launch) {
  const ridge::Puzzle p = ridge::puzzle_of(launch);
  const auto stream = static_cast<cudaStream_t>(p.stream);
  softmax_kernel<<<p.rows, 32, 0, stream>>>(p.a, p.y, p.columns);
  return RIDGE_CUDA_LAUNCHED(softmax_kernel);
}

}  // namespace

RIDGE_KERNEL(puzzles, cuda, softmax, .launch = launch);
