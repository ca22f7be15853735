// The launch of every CPU fma probe: 12 independent chains of Vec, as many times over as fill kProbeLanes, so
// that every probe does the same work. The including file has said what Vec and fma() are
// (kernels/runtime/cpu/fma_chains.h).
#pragma once

#include "kernels/probe/probe.h"
#include "kernels/runtime/cpu/fma_chains.h"

namespace ridge {

constexpr int kProbeChains = 12;
static_assert(kProbeLanes % (kProbeChains * kFmaWidth) == 0, "chains must fill the lanes");

static inline void fma_part(void* context, int index) {
  const FmaChains* p = (const FmaChains*)context;
  const float* x = p->x + (int64_t)index * kProbeLanes;
  float* out = p->out + (int64_t)index * kProbeLanes;
  for (int lane = 0; lane < kProbeLanes; lane += kProbeChains * kFmaWidth)
    run_fma_chains<kProbeChains>(*p, x + lane, out + lane);
}

static inline Status launch_fma(const Launch& launch) {
  const Status status = probe_expects(launch, kProbeFma, kProbeLanes);
  if (!status.ok()) return status;
  FmaChains p = fma_chains_of(launch);
  probe_run_threads(launch.shape.threads, fma_part, &p);
  return status;
}

}  // namespace ridge
