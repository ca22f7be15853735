// ridge: arch=75
//
// Exercise  Scan
// Level     3
// Task      y[i] is the sum of the elements from the start of its block of 256
//           up to a[i]. In step 1, 2, 4 and so on each thread adds what stands
//           that many places before it.
// Hint      After the step of 1 a place holds two elements, after that of 2
//           four: eight steps are enough for 256.
// Hint      What you read must be what the step before wrote: read into a
//           register, __syncthreads(), then write, and __syncthreads() again.
// Target    conflicts 0, barriers 68, shared 804
#include "common/harness/kernel/cuda_check.h"
#include "kernels/puzzles/puzzles.h"

namespace {

constexpr int kBlock = ridge::kPuzzleBlock;

__global__ void scan_kernel(const float* a, float* y, int n) {
  __shared__ float tile[kBlock];
  const int t = threadIdx.x, i = blockIdx.x * kBlock + t;
  tile[t] = i < n ? a[i] : 0.0f;
  __syncthreads();
  // solution: add what stands 1, 2, 4 ... places before, one step after the other
  for (int step = 1; step < kBlock; step *= 2) {
    const float before = t >= step ? tile[t - step] : 0.0f;
    __syncthreads();
    tile[t] += before;
    __syncthreads();
  }
  // end of solution
  if (i < n) y[i] = tile[t];
}

ridge::Status launch(const ridge::Launch& launch) {
  const ridge::Puzzle p = ridge::puzzle_of(launch);
  const auto stream = static_cast<cudaStream_t>(p.stream);
  scan_kernel<<<(p.columns + kBlock - 1) / kBlock, kBlock, 0, stream>>>(p.a, p.y, p.columns);
  return RIDGE_CUDA_LAUNCHED(scan_kernel);
}

}  // namespace

RIDGE_KERNEL(puzzles, cuda, scan, .launch = launch);
