// ridge: arch=75
//
// Idea      x in int8 too: dp4a multiplies four pairs of bytes and adds the products to an int32, in one instruction.
// Changed   Nothing is unpacked and nothing rounded: sums are exact, and the scales come once, behind them.
// Limits    As vectors: launches end and begin with the memory idle. x costs as many bytes from the L1 as W from
//           memory.
// Look at   epilogue = none: the sums themselves, checked bit by bit. Then the error of w8a8's output beside int8's.
// Source    CUDA Programming Guide, __dp4a; Dettmers et al., LLM.int8(), arXiv:2208.07339 (a scale for each row).
#include "common/harness/kernel/cuda_check.h"
#include "kernels/gemv/rungs/gemv_cuda.h"

namespace {

using namespace ridge;
using namespace ridge::device;

constexpr int kWarps = 4, kLoads = 4;

__device__ int dot_16(const uint4& a, const uint4& b, int sum) {
  sum = __dp4a(static_cast<int>(a.x), static_cast<int>(b.x), sum);
  sum = __dp4a(static_cast<int>(a.y), static_cast<int>(b.y), sum);
  sum = __dp4a(static_cast<int>(a.z), static_cast<int>(b.z), sum);
  return __dp4a(static_cast<int>(a.w), static_cast<int>(b.w), sum);
}

__global__ void __launch_bounds__(32 * kWarps) gemv_dp4a_kernel(Gemv g) {
  const int64_t row = int64_t{blockIdx.x} * kWarps + threadIdx.x / 32;
  if (row >= g.n) return;
  const int lane = static_cast<int>(threadIdx.x) % 32, vectors = static_cast<int>(g.k) / 16;
  const auto* w = static_cast<const uint4*>(g.w) + row * vectors;
  for (int64_t i = 0; i < g.batch; ++i) {
    const auto* x = static_cast<const uint4*>(g.x) + i * vectors;
    int sum = 0;
    for (int at = lane; at < vectors; at += 32 * kLoads) {
      uint4 weights[kLoads] = {};
#pragma unroll
      for (int l = 0; l < kLoads; ++l)
        if (at + 32 * l < vectors) weights[l] = __ldcs(w + at + 32 * l);
#pragma unroll
      for (int l = 0; l < kLoads; ++l)
        if (at + 32 * l < vectors) sum = dot_16(weights[l], __ldg(x + at + 32 * l), sum);
    }
    sum = warp_sum(sum);
    if (lane == 0) write_w8a8(g, i, row, sum);
  }
}

Status launch(const Launch& launch) {
  const Gemv g = gemv_next(launch);
  gemv_dp4a_kernel<<<static_cast<unsigned>((g.n + kWarps - 1) / kWarps), 32 * kWarps, 0,
                     static_cast<cudaStream_t>(g.stream)>>>(g);
  return RIDGE_CUDA_LAUNCHED(gemv_dp4a_kernel);
}

}  // namespace

RIDGE_KERNEL(gemv, cuda, dp4a, .dtypes = "w8a8", .prepare = prepare_gemv, .launch = launch);
