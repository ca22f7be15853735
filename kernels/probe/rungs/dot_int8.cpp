// ridge: isa=avx512bitalg flags=-O2
//
// Idea      The most int8 work a core can do: 12 independent chains of vpdpbusd, each of which adds four
//           products of bytes to each of 16 sums: 128 operations an instruction.
// Changed   Another instruction than dot_bf16, the same chains.
// Limits    The dot-product units: on Zen 4 one such instruction a clock.
#include <immintrin.h>

#include "kernels/probe/probe.h"
#include "kernels/runtime/cpu/chains.h"

namespace ridge {
namespace {

typedef struct {
  int64_t n;
  const uint8_t* x;
  int32_t factors;  ///< four signed bytes
  int32_t* out;
} DotInt8;

#define RIDGE_CHAIN_START(i)                           \
  const __m512i x##i = _mm512_loadu_si512(x + i * 64); \
  __m512i v##i = _mm512_setzero_si512();
#define RIDGE_CHAIN_STEP(i) v##i = _mm512_dpbusd_epi32(v##i, x##i, factors);
#define RIDGE_CHAIN_ADD(i) \
  _mm512_storeu_si512(out + i * 16, _mm512_add_epi32(_mm512_loadu_si512(out + i * 16), v##i));

void dot_part(void* context, int index) {
  const DotInt8* p = (const DotInt8*)context;
  const uint8_t* x = p->x + (int64_t)index * 4 * kProbeLanes;
  int32_t* out = p->out + (int64_t)index * kProbeLanes;
  const __m512i factors = _mm512_set1_epi32(p->factors);
  for (int i = 0; i < kProbeLanes; ++i) out[i] = 0;
  RIDGE_CHAIN_PASSES(p->n, kProbeSteps)
}

Status launch_dot(const Launch& launch) {
  const Status status = probe_expects(launch, kProbeDotInt8, kProbeLanes);
  if (!status.ok()) return status;
  DotInt8 p = {launch.shape.dim[kProbeDimN], (const uint8_t*)launch.buffers[0],
               *(const int32_t*)launch.buffers[1], (int32_t*)launch.buffers[2]};
  probe_run_threads(launch.shape.threads, dot_part, &p);
  return status;
}

RIDGE_KERNEL(probe, cpu, dot_int8, .dtypes = "int8", .launch = launch_dot);

}  // namespace
}  // namespace ridge
