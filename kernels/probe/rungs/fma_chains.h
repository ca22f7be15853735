// The body of every CPU fma probe. The including file has said, inside namespace ridge,
//   Vec             its vector of floats
//   fma(a, v, b)    a * v + b
// and gets launch_fma(): 12 independent chains of Vec, as many times over as fill kProbeLanes, so that
// every probe does the same work. ISA-flagged files include this: static inline only.
#pragma once

#include "kernels/probe/rungs/chains.h"

namespace ridge {

enum { kFmaChains = 12, kFmaWidth = sizeof(Vec) / sizeof(float) };
static_assert(kProbeLanes % (kFmaChains * kFmaWidth) == 0, "chains must fill the lanes");

static inline Vec load_vec(const float* from) {
  Vec v;
  __builtin_memcpy(&v, from, sizeof(v));
  return v;
}

static inline void add_to(float* to, Vec v) {
  v += load_vec(to);
  __builtin_memcpy(to, &v, sizeof(v));
}

#define RIDGE_CHAIN_START(i) Vec v##i = load_vec(x + i * kFmaWidth);
#define RIDGE_CHAIN_STEP(i) v##i = fma(a, v##i, b);
#define RIDGE_CHAIN_ADD(i) add_to(out + i * kFmaWidth, v##i);

static inline void fma_part(void* context, int index) {
  const ProbeFma* p = (const ProbeFma*)context;
  const float* x = p->x + (int64_t)index * kProbeLanes;
  float* out = p->out + (int64_t)index * kProbeLanes;
  const float* end = x + kProbeLanes;
  const Vec a = Vec{} + p->a, b = Vec{} + p->b;
  for (; x < end; x += kFmaChains * kFmaWidth, out += kFmaChains * kFmaWidth) {
    for (int i = 0; i < kFmaChains * kFmaWidth; ++i) out[i] = 0;
    RIDGE_CHAIN_PASSES(p->n)
  }
}

static inline Status launch_fma(const Launch& launch) {
  const Status status = probe_expects(launch, kProbeFma, kProbeLanes);
  if (!status.ok()) return status;
  ProbeFma p = probe_fma_of(launch);
  probe_run_threads(launch.shape.threads, fma_part, &p);
  return status;
}

#undef RIDGE_CHAIN_ADD
#undef RIDGE_CHAIN_STEP
#undef RIDGE_CHAIN_START

}  // namespace ridge
