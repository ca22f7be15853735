// ridge: arch=75
//
// Exercise  A step of a sort
// Level     3
// Task      Each row of 64 elements is sorted by its block of 64 threads, in
//           bitonic steps. In a step the elements t and t ^ distance are
//           compared, and exchanged where they are in the wrong order. Write
//           the step.
// Hint      Of the two threads of a pair one does the work: the one with the
//           smaller number.
// Hint      The pair goes up where (t & size) is 0, else down. Exchange where
//           (tile[t] > tile[other]) == up.
// Target    conflicts 0, barriers 352
#include "common/harness/kernel/cuda_check.h"
#include "kernels/puzzles/puzzles.h"

namespace {

constexpr int kRow = ridge::kPuzzleSorted;

__global__ void sort_step_kernel(const float* a, float* y) {
  __shared__ float tile[kRow];
  const int t = threadIdx.x;
  tile[t] = a[blockIdx.x * kRow + t];
  __syncthreads();
  for (int size = 2; size <= kRow; size *= 2) {
    for (int distance = size / 2; distance > 0; distance /= 2) {
      // solution: compare with the element at t ^ distance, and exchange the two if need be
      const int other = t ^ distance;
      const bool up = (t & size) == 0;
      if (t < other && (tile[t] > tile[other]) == up) {
        const float mine = tile[t];
        tile[t] = tile[other];
        tile[other] = mine;
      }
      // end of solution
      __syncthreads();
    }
  }
  y[blockIdx.x * kRow + t] = tile[t];
}

ridge::Status launch(const ridge::Launch& launch) {
  const ridge::Puzzle p = ridge::puzzle_of(launch);
  const auto stream = static_cast<cudaStream_t>(p.stream);
  sort_step_kernel<<<p.rows, kRow, 0, stream>>>(p.a, p.y);
  return RIDGE_CUDA_LAUNCHED(sort_step_kernel);
}

}  // namespace

RIDGE_KERNEL(puzzles, cuda, sort_step, .launch = launch);
