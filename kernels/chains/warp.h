// Chains of a warp: each of its 32 lanes is a float, so an FMA of the warp is one instruction. For .cu files.
#pragma once

#include "common/harness/kernel/cuda_check.h"
#include "kernels/chains/chains.h"

namespace ridge {

/// p.n passes of kChains chains side by side; this thread's lane of chain i is x[i * kWarpWidth], as is that of `out`.
template <int kChains>
__device__ inline void run_warp_chains(const FmaChains& p, const float* x, float* out) {
  const float a = p.ab[0], b = p.ab[1];
  float sum[kChains] = {};
  for (int64_t pass = 0; pass < p.n; ++pass) {
    float acc[kChains];
#pragma unroll
    for (int i = 0; i < kChains; ++i) acc[i] = x[i * kWarpWidth];
#pragma unroll(128 / kChains)  // three instructions of the loop for 128 that count
    for (int step = 0; step < kFmaSteps; ++step) {
#pragma unroll
      for (int i = 0; i < kChains; ++i) acc[i] = fmaf(a, acc[i], b);
    }
#pragma unroll
    for (int i = 0; i < kChains; ++i) sum[i] += acc[i];
  }
#pragma unroll
  for (int i = 0; i < kChains; ++i) out[i * kWarpWidth] = sum[i];
}

/// What prepare() does: refuses another width. Nothing is prepared.
inline Status expect_warps(const Shape& shape, Plan*) {
  if (shape.dim[kChainsWidth] == kWarpWidth) return {};
  return refuse("takes instructions of a warp (width=32)");
}

}  // namespace ridge
