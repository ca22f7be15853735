// ridge: isa=avx2 flags=-O2
//
// Idea      The same multiply-adds in 8-wide vectors: 12 independent chains, twice over, so that
//           every probe does the same work.
// Changed   Half the width of fma_avx512; 16 registers hold 12 chains and both factors.
// Limits    The FMA units. On a CPU without AVX-512 this is the compute ceiling.
#include <immintrin.h>

#include "kernels/probe/probe.h"

namespace ridge {
namespace {

void part(void* context, int index) {
  const ProbeFma* p = (const ProbeFma*)context;
  const float* x = p->x + (int64_t)index * kProbeLanes;
  float* out = p->out + (int64_t)index * kProbeLanes;
  const __m256 a = _mm256_set1_ps(p->a), b = _mm256_set1_ps(p->b);
  for (int group = 0; group < 2; ++group, x += 96, out += 96) {
    for (int i = 0; i < 96; ++i) out[i] = 0;
    for (int64_t pass = 0; pass < p->n; ++pass) {
      __m256 v0 = _mm256_loadu_ps(x);
      __m256 v1 = _mm256_loadu_ps(x + 8);
      __m256 v2 = _mm256_loadu_ps(x + 16);
      __m256 v3 = _mm256_loadu_ps(x + 24);
      __m256 v4 = _mm256_loadu_ps(x + 32);
      __m256 v5 = _mm256_loadu_ps(x + 40);
      __m256 v6 = _mm256_loadu_ps(x + 48);
      __m256 v7 = _mm256_loadu_ps(x + 56);
      __m256 v8 = _mm256_loadu_ps(x + 64);
      __m256 v9 = _mm256_loadu_ps(x + 72);
      __m256 v10 = _mm256_loadu_ps(x + 80);
      __m256 v11 = _mm256_loadu_ps(x + 88);
      for (int i = 0; i < kProbeSteps; ++i) {
        v0 = _mm256_fmadd_ps(a, v0, b);
        v1 = _mm256_fmadd_ps(a, v1, b);
        v2 = _mm256_fmadd_ps(a, v2, b);
        v3 = _mm256_fmadd_ps(a, v3, b);
        v4 = _mm256_fmadd_ps(a, v4, b);
        v5 = _mm256_fmadd_ps(a, v5, b);
        v6 = _mm256_fmadd_ps(a, v6, b);
        v7 = _mm256_fmadd_ps(a, v7, b);
        v8 = _mm256_fmadd_ps(a, v8, b);
        v9 = _mm256_fmadd_ps(a, v9, b);
        v10 = _mm256_fmadd_ps(a, v10, b);
        v11 = _mm256_fmadd_ps(a, v11, b);
      }
      _mm256_storeu_ps(out, _mm256_add_ps(_mm256_loadu_ps(out), v0));
      _mm256_storeu_ps(out + 8, _mm256_add_ps(_mm256_loadu_ps(out + 8), v1));
      _mm256_storeu_ps(out + 16, _mm256_add_ps(_mm256_loadu_ps(out + 16), v2));
      _mm256_storeu_ps(out + 24, _mm256_add_ps(_mm256_loadu_ps(out + 24), v3));
      _mm256_storeu_ps(out + 32, _mm256_add_ps(_mm256_loadu_ps(out + 32), v4));
      _mm256_storeu_ps(out + 40, _mm256_add_ps(_mm256_loadu_ps(out + 40), v5));
      _mm256_storeu_ps(out + 48, _mm256_add_ps(_mm256_loadu_ps(out + 48), v6));
      _mm256_storeu_ps(out + 56, _mm256_add_ps(_mm256_loadu_ps(out + 56), v7));
      _mm256_storeu_ps(out + 64, _mm256_add_ps(_mm256_loadu_ps(out + 64), v8));
      _mm256_storeu_ps(out + 72, _mm256_add_ps(_mm256_loadu_ps(out + 72), v9));
      _mm256_storeu_ps(out + 80, _mm256_add_ps(_mm256_loadu_ps(out + 80), v10));
      _mm256_storeu_ps(out + 88, _mm256_add_ps(_mm256_loadu_ps(out + 88), v11));
    }
  }
}

Status launch_fma(const Launch& launch) {
  const Status status = probe_expects(launch, kProbeFma, kProbeLanes);
  if (!status.ok()) return status;
  ProbeFma p = probe_fma_of(launch);
  probe_run_threads(launch.shape.threads, part, &p);
  return status;
}

RIDGE_KERNEL(probe, cpu, fma_avx2, .launch = launch_fma);

}  // namespace
}  // namespace ridge
