// ridge: isa=avx512f flags=-O2
//
// Idea      The most multiply-adds a core can do: 12 independent chains of 16-wide FMA. One chain
//           waits 4 cycles for itself; two units take 8 chains to fill, 12 leave room.
// Limits    The FMA units, and the clock under full AVX-512 load.
// Source    Accumulators stand in named registers: as an array they were spilled at -O2, which
//           halved the rate.
#include <immintrin.h>

#include "kernels/probe/probe.h"

namespace ridge {
namespace {

void part(void* context, int index) {
  const ProbeFma* p = (const ProbeFma*)context;
  const float* x = p->x + (int64_t)index * kProbeLanes;
  float* out = p->out + (int64_t)index * kProbeLanes;
  const __m512 a = _mm512_set1_ps(p->a), b = _mm512_set1_ps(p->b);
  for (int i = 0; i < 192; ++i) out[i] = 0;
  for (int64_t pass = 0; pass < p->n; ++pass) {
    __m512 v0 = _mm512_loadu_ps(x);
    __m512 v1 = _mm512_loadu_ps(x + 16);
    __m512 v2 = _mm512_loadu_ps(x + 32);
    __m512 v3 = _mm512_loadu_ps(x + 48);
    __m512 v4 = _mm512_loadu_ps(x + 64);
    __m512 v5 = _mm512_loadu_ps(x + 80);
    __m512 v6 = _mm512_loadu_ps(x + 96);
    __m512 v7 = _mm512_loadu_ps(x + 112);
    __m512 v8 = _mm512_loadu_ps(x + 128);
    __m512 v9 = _mm512_loadu_ps(x + 144);
    __m512 v10 = _mm512_loadu_ps(x + 160);
    __m512 v11 = _mm512_loadu_ps(x + 176);
    for (int i = 0; i < kProbeSteps; ++i) {
      v0 = _mm512_fmadd_ps(a, v0, b);
      v1 = _mm512_fmadd_ps(a, v1, b);
      v2 = _mm512_fmadd_ps(a, v2, b);
      v3 = _mm512_fmadd_ps(a, v3, b);
      v4 = _mm512_fmadd_ps(a, v4, b);
      v5 = _mm512_fmadd_ps(a, v5, b);
      v6 = _mm512_fmadd_ps(a, v6, b);
      v7 = _mm512_fmadd_ps(a, v7, b);
      v8 = _mm512_fmadd_ps(a, v8, b);
      v9 = _mm512_fmadd_ps(a, v9, b);
      v10 = _mm512_fmadd_ps(a, v10, b);
      v11 = _mm512_fmadd_ps(a, v11, b);
    }
    _mm512_storeu_ps(out, _mm512_add_ps(_mm512_loadu_ps(out), v0));
    _mm512_storeu_ps(out + 16, _mm512_add_ps(_mm512_loadu_ps(out + 16), v1));
    _mm512_storeu_ps(out + 32, _mm512_add_ps(_mm512_loadu_ps(out + 32), v2));
    _mm512_storeu_ps(out + 48, _mm512_add_ps(_mm512_loadu_ps(out + 48), v3));
    _mm512_storeu_ps(out + 64, _mm512_add_ps(_mm512_loadu_ps(out + 64), v4));
    _mm512_storeu_ps(out + 80, _mm512_add_ps(_mm512_loadu_ps(out + 80), v5));
    _mm512_storeu_ps(out + 96, _mm512_add_ps(_mm512_loadu_ps(out + 96), v6));
    _mm512_storeu_ps(out + 112, _mm512_add_ps(_mm512_loadu_ps(out + 112), v7));
    _mm512_storeu_ps(out + 128, _mm512_add_ps(_mm512_loadu_ps(out + 128), v8));
    _mm512_storeu_ps(out + 144, _mm512_add_ps(_mm512_loadu_ps(out + 144), v9));
    _mm512_storeu_ps(out + 160, _mm512_add_ps(_mm512_loadu_ps(out + 160), v10));
    _mm512_storeu_ps(out + 176, _mm512_add_ps(_mm512_loadu_ps(out + 176), v11));
  }
}

Status launch_fma(const Launch& launch) {
  const Status status = probe_expects(launch, kProbeFma, kProbeLanes);
  if (!status.ok()) return status;
  ProbeFma p = probe_fma_of(launch);
  probe_run_threads(launch.shape.threads, part, &p);
  return status;
}

RIDGE_KERNEL(probe, cpu, fma_avx512, .launch = launch_fma);

}  // namespace
}  // namespace ridge
