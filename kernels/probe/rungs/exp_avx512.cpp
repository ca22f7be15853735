// ridge: isa=avx512f flags=-O2
//
// Idea      The most exponentials a core can do as this program's softmax does them (exp2_avx512.h): 12 independent
//           chains, each of whose arguments is the result before with the other sign, and a sum of all, which a
//           softmax needs as well. No CPU has a unit for them: an exponential is nine instructions.
// Limits    The FMA units, which see five of the nine.
#include "kernels/probe/probe.h"
#include "kernels/runtime/cpu/chains.h"
#include "kernels/runtime/cpu/exp2_avx512.h"

namespace ridge {
namespace {

typedef struct {
  int64_t n;
  const float* x;
  float* out;
} Exponentials;

#define RIDGE_CHAIN_START(i) __m512 v##i = _mm512_loadu_ps(x + i * 16);
#define RIDGE_EXP_STEP(i, sum)                                                            \
  v##i = exp2_of(_mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(v##i), sign))); \
  sum = _mm512_add_ps(sum, v##i);

void exp_part(void* context, int index) {
  const Exponentials* p = (const Exponentials*)context;
  const float* x = p->x + (int64_t)index * kProbeLanes;
  float* out = p->out + (int64_t)index * kExpSums;
  const __m512i sign = _mm512_set1_epi32((int)0x80000000u);
  for (int i = 0; i < kExpSums; ++i) out[i] = 0;
  for (int64_t pass = 0; pass < p->n; ++pass) {
    RIDGE_EACH_CHAIN(RIDGE_CHAIN_START)
    __m512 sum0 = _mm512_setzero_ps(), sum1 = sum0, sum2 = sum0, sum3 = sum0;
    for (int step = 0; step < kProbeSteps; ++step) {
      RIDGE_EXP_STEP(0, sum0)
      RIDGE_EXP_STEP(1, sum1) RIDGE_EXP_STEP(2, sum2) RIDGE_EXP_STEP(3, sum3)
          RIDGE_EXP_STEP(4, sum0) RIDGE_EXP_STEP(5, sum1) RIDGE_EXP_STEP(6, sum2)
              RIDGE_EXP_STEP(7, sum3) RIDGE_EXP_STEP(8, sum0) RIDGE_EXP_STEP(9, sum1)
                  RIDGE_EXP_STEP(10, sum2) RIDGE_EXP_STEP(11, sum3)
    }
    _mm512_storeu_ps(out, _mm512_add_ps(_mm512_loadu_ps(out), sum0));
    _mm512_storeu_ps(out + 16, _mm512_add_ps(_mm512_loadu_ps(out + 16), sum1));
    _mm512_storeu_ps(out + 32, _mm512_add_ps(_mm512_loadu_ps(out + 32), sum2));
    _mm512_storeu_ps(out + 48, _mm512_add_ps(_mm512_loadu_ps(out + 48), sum3));
  }
}

Status launch_exp(const Launch& launch) {
  const Status status = probe_expects(launch, kProbeExp, kProbeLanes);
  if (!status.ok()) return status;
  Exponentials p = {launch.shape.dim[kProbeDimN], (const float*)launch.buffers[0],
                    (float*)launch.buffers[1]};
  probe_run_threads(launch.shape.threads, exp_part, &p);
  return status;
}

RIDGE_KERNEL(probe, cpu, exp_avx512, .launch = launch_exp);

}  // namespace
}  // namespace ridge
