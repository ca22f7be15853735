// ridge: arch=80 variants=bf16:-DRIDGE_GEMV_KIND=bf16,fp8:-DRIDGE_GEMV_KIND=fp8,int8:-DRIDGE_GEMV_KIND=int8,int4:-DRIDGE_GEMV_KIND=int4
//
// Idea      A warp for each row of W, 16 bytes a lane and load, four loads in flight before the first is used.
// Changed   Neighbouring lanes read neighbouring bytes; weights are unpacked in registers (weights.h), so that only
//           their small form ever moves.
// Limits    Little's law: 4.7 TB/s times 0.7 us of latency, an estimate, want 24 KiB in flight on each of 132 SMs at
//           all times, also where one launch ends and the next begins. And x is read for every row again, from the
//           L1: for int4 four times the bytes of the weights.
// Look at   bf16, int8 and int4 in turn: as the bytes shrink, something else sets the pace.
// Source    Volkov, Better Performance at Lower Occupancy (GTC 2010); weights.h for unpacking.
#include "common/harness/kernel/cuda_check.h"
#include "kernels/gemv/rungs/gemv_cuda.h"
#include "kernels/gemv/rungs/weights.h"

namespace {

using namespace ridge;
using namespace ridge::device;

using W = RIDGE_GEMV_WEIGHTS(RIDGE_GEMV_KIND);

constexpr int kWarps = 4, kLoads = 4, kColumns = 4;
constexpr int kElements = 128 / W::kBits;  // of 16 bytes

/// sum += the 16 bytes of weights times as many elements of x.
__device__ void multiply(const uint4& weights, const __nv_bfloat16* x, float& sum) {
  const uint32_t word[4] = {weights.x, weights.y, weights.z, weights.w};
  uint32_t in[kElements / 2];
#pragma unroll
  for (int i = 0; i < kElements / 8; ++i) {
    const uint4 piece = __ldg(reinterpret_cast<const uint4*>(x) + i);
    in[4 * i] = piece.x, in[4 * i + 1] = piece.y, in[4 * i + 2] = piece.z, in[4 * i + 3] = piece.w;
  }
  const auto x_at = [&](int e) {
    return e % 2 == 0 ? low_float(in[e / 2]) : high_float(in[e / 2]);
  };
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    uint32_t pair[W::kPairs];
    W::pairs(word[i], pair);
#pragma unroll
    for (int p = 0; p < W::kPairs; ++p) {
      const int e = i * 2 * W::kPairs + p;
      sum = fmaf(low_float(pair[p]), x_at(e), sum);
      sum = fmaf(high_float(pair[p]), x_at(e + W::kPairs), sum);
    }
  }
}

template <int columns>
__device__ void multiply_row(const Gemv& g, int64_t row, int64_t first) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int vectors = static_cast<int>(g.k) / kElements;
  const auto* w = reinterpret_cast<const uint4*>(static_cast<const char*>(g.w) +
                                                 row * gemv_weight_bytes(W::kKind, g.k));
  const auto* scales = static_cast<const __nv_bfloat16*>(g.scales) + row * gemv_scale_row(g.k);
  const auto* x = static_cast<const __nv_bfloat16*>(g.x) + first * g.k;
  float sum[columns] = {};
  for (int at = lane; at < vectors; at += 32 * kLoads) {
    uint4 weights[kLoads];
#pragma unroll
    for (int l = 0; l < kLoads; ++l)
      if (at + 32 * l < vectors) weights[l] = __ldcs(w + at + 32 * l);
#pragma unroll
    for (int l = 0; l < kLoads; ++l) {
      if (at + 32 * l >= vectors) break;
      const int element = (at + 32 * l) * kElements;
      float scale = 1;
      if constexpr (W::kGroupScale) scale = __bfloat162float(scales[element / RIDGE_GEMV_GROUP]);
#pragma unroll
      for (int i = 0; i < columns; ++i) {
        float part = 0;
        multiply(weights[l], x + i * g.k + element, part);
        sum[i] = fmaf(part, scale, sum[i]);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < columns; ++i) {
    float all = warp_sum(sum[i]);
    if constexpr (W::kRowScale) all *= static_cast<const float*>(g.scales)[row];
    if (lane == 0)
      static_cast<__nv_bfloat16*>(g.y)[(first + i) * g.n + row] = __float2bfloat16(all);
  }
}

__global__ void __launch_bounds__(32 * kWarps) gemv_vectors_kernel(Gemv g) {
  const int64_t row = int64_t{blockIdx.x} * kWarps + threadIdx.x / 32;
  if (row >= g.n) return;
  int64_t i = 0;
  for (; i + kColumns <= g.batch; i += kColumns) multiply_row<kColumns>(g, row, i);
  for (; i < g.batch; ++i) multiply_row<1>(g, row, i);
}

Status launch(const Launch& launch) {
  const Gemv g = gemv_next(launch);
  gemv_vectors_kernel<<<static_cast<unsigned>((g.n + kWarps - 1) / kWarps), 32 * kWarps, 0,
                        static_cast<cudaStream_t>(g.stream)>>>(g);
  return RIDGE_CUDA_LAUNCHED(gemv_vectors_kernel);
}

}  // namespace

RIDGE_KERNEL(gemv, cuda, vectors, .dtypes = RIDGE_GEMV_TEXT(RIDGE_GEMV_KIND),
             .prepare = prepare_gemv, .launch = launch);
