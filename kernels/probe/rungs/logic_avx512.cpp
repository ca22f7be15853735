// ridge: isa=avx512f flags=-O2
//
// Idea      The most logic a core can do: vpternlogq, any function of three bits in each of 512 places.
// Changed   The chains lean on their neighbours, so that no step can be left out unnoticed; ten of twelve
//           need nothing that was computed just before.
// Limits    The units for 512-bit logic: on Zen 4 one a clock.
#include <immintrin.h>

#include "kernels/probe/probe.h"

namespace ridge {
namespace {

typedef struct {
  int64_t n;
  const uint64_t *x, *c;
  uint64_t* out;
} Logic;

#define RIDGE_EACH_CHAIN(DO) \
  DO(0, 1)                   \
  DO(1, 2)                   \
  DO(2, 3) DO(3, 4) DO(4, 5) DO(5, 6) DO(6, 7) DO(7, 8) DO(8, 9) DO(9, 10) DO(10, 11) DO(11, 0)
#define RIDGE_CHAIN_START(i, next) __m512i v##i = _mm512_loadu_si512(x + i * kLogicWidth);
#define RIDGE_CHAIN_STEP(i, next) v##i = _mm512_ternarylogic_epi64(v##i, v##next, c, 0x96);
#define RIDGE_CHAIN_ADD(i, next)             \
  _mm512_storeu_si512(out + i * kLogicWidth, \
                      _mm512_add_epi64(_mm512_loadu_si512(out + i * kLogicWidth), v##i));

void logic_part(void* context, int index) {
  const Logic* p = (const Logic*)context;
  const uint64_t* x = p->x + (int64_t)index * kLogicLanes;
  uint64_t* out = p->out + (int64_t)index * kLogicLanes;
  const __m512i c = _mm512_set1_epi64((long long)*p->c);
  for (int i = 0; i < kLogicLanes; ++i) out[i] = 0;
  for (int64_t pass = 0; pass < p->n; ++pass) {
    RIDGE_EACH_CHAIN(RIDGE_CHAIN_START)
    for (int step = 0; step < kProbeSteps; ++step) {
      RIDGE_EACH_CHAIN(RIDGE_CHAIN_STEP)
    }
    RIDGE_EACH_CHAIN(RIDGE_CHAIN_ADD)
  }
}

Status launch_logic(const Launch& launch) {
  const Status status = probe_expects(launch, kProbeLogic, kLogicLanes);
  if (!status.ok()) return status;
  Logic p = {launch.shape.dim[kProbeDimN], (const uint64_t*)launch.buffers[0],
             (const uint64_t*)launch.buffers[1], (uint64_t*)launch.buffers[2]};
  probe_run_threads(launch.shape.threads, logic_part, &p);
  return status;
}

RIDGE_KERNEL(probe, cpu, logic_avx512, .dtypes = "bits", .launch = launch_logic);

}  // namespace
}  // namespace ridge
