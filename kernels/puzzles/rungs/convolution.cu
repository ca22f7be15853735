// ridge: arch=75
//
// Exercise  Convolution with a halo
// Level     2
// Task      y[i] is the sum of a[i + j - 4] b[j] over the nine weights b; what
//           lies outside of a is 0. Stage a block's elements with four more at
//           each side.
// Hint      Element i of the block stands at tile[t + kReach]. 136 floats are
//           to be brought by 128 threads: some bring two.
// Hint      The eight extra ones: threads 0 to 7 bring tile[kThreads + t],
//           which is the element kThreads further on.
// Target    requests 359, barriers 8
#include "common/harness/kernel/cuda_check.h"
#include "kernels/puzzles/puzzles.h"

namespace {

constexpr int kThreads = 128, kReach = ridge::kPuzzleTaps / 2;

__global__ void convolution_kernel(const float* a, const float* b, float* y, int n) {
  __shared__ float tile[kThreads + 2 * kReach];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  // solution: fill the tile from a[i - kReach] on, and wait
  for (int k = t; k < kThreads + 2 * kReach; k += kThreads) {
    const int from = i - t + k - kReach;
    tile[k] = from >= 0 && from < n ? a[from] : 0.0f;
  }
  __syncthreads();
  // end of solution
  if (i >= n) return;
  float sum = 0.0f;
  for (int j = 0; j < ridge::kPuzzleTaps; ++j) sum += tile[t + j] * b[j];
  y[i] = sum;
}

ridge::Status launch(const ridge::Launch& launch) {
  const ridge::Puzzle p = ridge::puzzle_of(launch);
  const auto stream = static_cast<cudaStream_t>(p.stream);
  convolution_kernel<<<(p.columns + kThreads - 1) / kThreads, kThreads, 0, stream>>>(p.a, p.b, p.y,
                                                                                     p.columns);
  return RIDGE_CUDA_LAUNCHED(convolution_kernel);
}

}  // namespace

RIDGE_KERNEL(puzzles, cuda, convolution, .launch = launch);
