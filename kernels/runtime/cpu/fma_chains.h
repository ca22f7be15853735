// The body of what runs chains of fused multiply-adds on the CPU. The including file has said, inside
// namespace ridge,
//   Vec             its vector of floats
//   fma(a, v, b)    a * v + b
// and gets run_fma_chains<count>(). ISA-flagged files include this: static inline only.
#pragma once

#include "kernels/runtime/cpu/chains.h"
#include "kernels/runtime/problems/fma_chains.h"

namespace ridge {

constexpr int kMostFmaChains = 12, kFmaWidth = sizeof(Vec) / sizeof(float);

static inline Vec load_vec(const float* from) {
  Vec v;
  __builtin_memcpy(&v, from, sizeof(v));
  return v;
}

static inline void add_to(float* to, Vec v) {
  v += load_vec(to);
  __builtin_memcpy(to, &v, sizeof(v));
}

#define RIDGE_CHAIN_START(i) \
  Vec v##i = {};             \
  if constexpr (i < kChains) v##i = load_vec(x + i * kFmaWidth);
#define RIDGE_CHAIN_STEP(i) \
  if constexpr (i < kChains) v##i = fma(a, v##i, b);
#define RIDGE_CHAIN_ADD(i) \
  if constexpr (i < kChains) add_to(out + i * kFmaWidth, v##i);

/// p.n passes of kChains chains side by side, the first at the first of p.lanes from `x` on.
template <int kChains>
static inline void run_fma_chains(const FmaChains& p, const float* x, float* out) {
  static_assert(kChains <= kMostFmaChains, "a register each");
  const Vec a = Vec{} + p.ab[0], b = Vec{} + p.ab[1];
  for (int i = 0; i < kChains * kFmaWidth; ++i) out[i] = 0;
  RIDGE_CHAIN_PASSES(p.n, kFmaSteps)
}

#undef RIDGE_CHAIN_ADD
#undef RIDGE_CHAIN_STEP
#undef RIDGE_CHAIN_START

}  // namespace ridge
