// ridge: isa=avx512bf16 flags=-O2
//
// Idea      The most bf16 work a core can do: 12 independent chains of vdpbf16ps, each of which adds
//           two products of bf16 to each of 16 sums in fp32: 64 FLOP an instruction.
// Changed   Another instruction than fma_avx512, the same chains.
// Limits    The dot-product units: how many bf16 multiply-adds a clock, against fp32's, is theirs.
#include <immintrin.h>

#include "kernels/probe/probe.h"
#include "kernels/runtime/cpu/chains.h"

namespace ridge {
namespace {

#define RIDGE_CHAIN_START(i)                                      \
  const __m512bh x##i = (__m512bh)_mm512_loadu_si512(x + i * 32); \
  __m512 v##i = _mm512_setzero_ps();
#define RIDGE_CHAIN_STEP(i) v##i = _mm512_dpbf16_ps(v##i, x##i, factors);
#define RIDGE_CHAIN_ADD(i) \
  _mm512_storeu_ps(out + i * 16, _mm512_add_ps(_mm512_loadu_ps(out + i * 16), v##i));

void dot_part(void* context, int index) {
  const ProbeDot* p = (const ProbeDot*)context;
  const uint16_t* x = p->x + (int64_t)index * 2 * kProbeLanes;
  float* out = p->out + (int64_t)index * kProbeLanes;
  const __m512bh factors = (__m512bh)_mm512_set1_epi32((int)p->factors);
  for (int i = 0; i < kProbeLanes; ++i) out[i] = 0;
  RIDGE_CHAIN_PASSES(p->n, kProbeSteps)
}

Status launch_dot(const Launch& launch) {
  const Status status = probe_expects(launch, kProbeDot, kProbeLanes);
  if (!status.ok()) return status;
  ProbeDot p = probe_dot_of(launch);
  probe_run_threads(launch.shape.threads, dot_part, &p);
  return status;
}

RIDGE_KERNEL(probe, cpu, dot_bf16, .dtypes = "bf16", .launch = launch_dot);

}  // namespace
}  // namespace ridge
