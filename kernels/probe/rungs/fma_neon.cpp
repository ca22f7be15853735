// ridge: isa=neon flags=-O2
//
// Idea      The most multiply-adds a core can do in NEON: 24 independent chains of four lanes. Cores have up to four
//           units that take 4 cycles each, so 16 chains fill them.
// Changed   NEON adds a product to the register that it overwrites: a * v + b needs a copy of b first. Round its fixed
//           point f = b / (1 - a) a chain is u = v - f, and a step u + (a - 1) u: one instruction.
// Limits    The FMA units. On aarch64 this is the compute ceiling; fma_portable copies registers, two for each multiply-add.
#include <arm_neon.h>

#include "kernels/probe/probe.h"

namespace ridge {

static constexpr int kNeonChains = 24, kNeonWidth = 4;

/// p.n passes of the chains side by side, the first at the first of p.lanes from `x` on. a - 1 is exact for an `a` near -1
/// that has a bit to spare, as the problem's has.
static inline void neon_chains(const FmaChains* p, const float* x, float* out) {
  static_assert(kProbeLanes % (kNeonChains * kNeonWidth) == 0, "chains must fill the lanes");
  const float32x4_t factor = vdupq_n_f32(p->ab[0] - 1);
  const float32x4_t fixed = vdupq_n_f32(p->ab[1] / (1 - p->ab[0]));
  for (int i = 0; i < kNeonChains * kNeonWidth; ++i) out[i] = 0;
  for (int64_t pass = 0; pass < p->n; ++pass) {
    float32x4_t u[kNeonChains];  // in registers: every index is a constant once the loops are unrolled
#pragma GCC unroll 24
    for (int i = 0; i < kNeonChains; ++i) u[i] = vsubq_f32(vld1q_f32(x + i * kNeonWidth), fixed);
    for (int step = 0; step < kFmaSteps; ++step) {
#pragma GCC unroll 24
      for (int i = 0; i < kNeonChains; ++i) u[i] = vfmaq_f32(u[i], factor, u[i]);
    }
#pragma GCC unroll 24
    for (int i = 0; i < kNeonChains; ++i) {
      float* to = out + i * kNeonWidth;
      vst1q_f32(to, vaddq_f32(vld1q_f32(to), vaddq_f32(u[i], fixed)));
    }
  }
}

static void fma_part(void* context, int index) {
  const FmaChains* p = (const FmaChains*)context;
  for (int lane = 0; lane < kProbeLanes; lane += kNeonChains * kNeonWidth) {
    const int64_t first = (int64_t)index * kProbeLanes + lane;
    neon_chains(p, p->x + first, p->out + first);
  }
}

static Status launch_fma(const Launch& launch) {
  const Status status = probe_expects(launch, kProbeFma, kProbeLanes);
  if (!status.ok()) return status;
  FmaChains p = fma_chains_of(launch);
  probe_run_threads(launch.shape.threads, fma_part, &p);
  return status;
}

RIDGE_KERNEL(probe, cpu, fma_neon, .launch = launch_fma);

}  // namespace ridge
