// ridge: arch=75
//
// Exercise  Layer normalisation
// Level     3
// Task      y = (a - mean) / sqrt(variance + 1e-5) times b plus c, each row
//           with its own mean and variance; b and c have an element a column.
//           Walk twice, not three times: one walk gives the sum and the sum of
//           squares.
// Hint      The variance is the mean of the squares less the square of the
//           mean.
// Hint      rsqrtf(x) is 1 / sqrt(x).
// Hint      Keep two sums a lane, and reduce both with warp_sum().
// Target    sectors 534, barriers 0
#include "common/harness/kernel/cuda_check.h"
#include "kernels/puzzles/puzzles.h"

namespace {

/// The sum over a warp's lanes, in each of them.
__device__ float warp_sum(float value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffffu, value, step);
  return value;
}

__global__ void layernorm_kernel(const float* a, const float* b, const float* c, float* y,
                                 int columns) {
  const float* row = a + blockIdx.x * columns;
  float* to = y + blockIdx.x * columns;
  // solution: sum and sum of squares in one walk, the result in a second
  float sum = 0.0f, squares = 0.0f;
  for (int j = threadIdx.x; j < columns; j += 32) {
    sum += row[j];
    squares += row[j] * row[j];
  }
  const float mean = warp_sum(sum) / columns;
  const float variance = fmaxf(warp_sum(squares) / columns - mean * mean, 0.0f);
  const float scale = rsqrtf(variance + 1e-5f);
  for (int j = threadIdx.x; j < columns; j += 32) to[j] = (row[j] - mean) * scale * b[j] + c[j];
  // end of solution
}

ridge::Status launch(const ridge::Launch& launch) {
  const ridge::Puzzle p = ridge::puzzle_of(launch);
  const auto stream = static_cast<cudaStream_t>(p.stream);
  layernorm_kernel<<<p.rows, 32, 0, stream>>>(p.a, p.b, p.c, p.y, p.columns);
  return RIDGE_CUDA_LAUNCHED(layernorm_kernel);
}

}  // namespace

RIDGE_KERNEL(puzzles, cuda, layernorm, .launch = launch);
