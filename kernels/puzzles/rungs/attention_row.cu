// ridge: arch=75
//
// Exercise  A row of attention
// Level     3
// Task      Row i of y is softmax(q k / sqrt(32)) v, for the query in row i of
//           a, all keys in b and all values in c. A warp has a query, a lane
//           one of its 32 elements. No score is ever stored.
// Hint      The score of a key is a product of 32 elements: every lane
//           multiplies two, and warp_sum() adds.
// Hint      Keep the largest score so far, the sum so far, and the lane's
//           element of the result so far. All three are scaled where a larger
//           score comes.
// Hint      At the end the result is divided by the sum.
// Target    sectors 13120, shared 0
#include <cfloat>
#include <cmath>

#include "common/harness/kernel/cuda_check.h"
#include "kernels/puzzles/puzzles.h"

namespace {

constexpr int kHead = ridge::kPuzzleHead;

/// The sum over a warp's lanes, in each of them.
__device__ float warp_sum(float value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffffu, value, step);
  return value;
}

__global__ void attention_row_kernel(const float* a, const float* b, const float* c, float* y,
                                     int keys) {
  const int lane = threadIdx.x, at = blockIdx.x * kHead + lane;
  const float query = a[at] * rsqrtf(float(kHead));
  float most = -FLT_MAX, sum = 0.0f, result = 0.0f;
  for (int j = 0; j < keys; ++j) {
    // solution: this key's score, then scale and add to sum and result
    const float score = warp_sum(query * b[j * kHead + lane]);
    const float larger = fmaxf(most, score), kept = expf(most - larger);
    const float weight = expf(score - larger);
    sum = sum * kept + weight;
    result = result * kept + weight * c[j * kHead + lane];
    most = larger;
    // end of solution
  }
  y[at] = result / sum;
}

ridge::Status launch(const ridge::Launch& launch) {
  const ridge::Puzzle p = ridge::puzzle_of(launch);
  const auto stream = static_cast<cudaStream_t>(p.stream);
  attention_row_kernel<<<p.rows, kHead, 0, stream>>>(p.a, p.b, p.c, p.y, p.rows);
  return RIDGE_CUDA_LAUNCHED(attention_row_kernel);
}

}  // namespace

RIDGE_KERNEL(puzzles, cuda, attention_row, .launch = launch);
