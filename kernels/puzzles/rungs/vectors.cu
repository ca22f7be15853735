// ridge: arch=75
//
// Exercise  Sixteen bytes at a time
// Level     2
// Task      y[i] = a[i] / 2. Each thread has four elements in a row, and the
//           kernel asks for them one by one. Ask for them as one float4.
// Hint      reinterpret_cast<const float4*>(a)[i] is the i-th group of four
//           floats, read by one instruction.
// Hint      A float4 has the members x, y, z and w; make_float4(x, y, z, w)
//           makes one, and it is stored like a float.
// Target    sectors 1024, requests 64
#include "common/harness/kernel/cuda_check.h"
#include "kernels/puzzles/puzzles.h"

namespace {

constexpr int kThreads = 128;

__global__ void vectors_kernel(const float* a, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // solution: read four elements at once, and write four at once
  const float4 four = reinterpret_cast<const float4*>(a)[i];
  reinterpret_cast<float4*>(y)[i] =
      make_float4(four.x * 0.5f, four.y * 0.5f, four.z * 0.5f, four.w * 0.5f);
  // given: for (int k = 0; k < 4; ++k) y[4 * i + k] = a[4 * i + k] * 0.5f;
  // end of solution
}

ridge::Status launch(const ridge::Launch& launch) {
  const ridge::Puzzle p = ridge::puzzle_of(launch);
  const auto stream = static_cast<cudaStream_t>(p.stream);
  vectors_kernel<<<p.columns / (4 * kThreads), kThreads, 0, stream>>>(p.a, p.y);
  return RIDGE_CUDA_LAUNCHED(vectors_kernel);
}

}  // namespace

RIDGE_KERNEL(puzzles, cuda, vectors, .launch = launch);
