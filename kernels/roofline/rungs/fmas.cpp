// ridge: isa=avx2 flags=-O2
//
// Idea      The rate is the lower of two roofs: what the units can compute, and what memory can feed them: bandwidth
//           times FLOP a byte. `fmas` sets the FLOP for each byte, and nothing else changes.
// Changed   Elements that are read in order, with arithmetic between two loads: eight chains of 8 floats, as many as
//           fill two units with a latency of four.
// Limits    Few fmas: memory, and the time does not grow with them. Many: the units, and it grows in proportion.
// Look at   A sweep over `fmas` in the view Roofline: along the slope, round the corner, then along the level line.
// Source    Williams, Waterman, Patterson, Roofline, Communications of the ACM 2009.
#include <immintrin.h>

#include "kernels/roofline/roofline.h"

namespace ridge {
namespace {

enum { kVectors = 8, kStep = kVectors * kRoofSums };

#define RIDGE_EACH(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#define RIDGE_LOAD(i) __m256 v##i = _mm256_loadu_ps(x + i * kRoofSums);
#define RIDGE_FMA(i) v##i = _mm256_fmadd_ps(a, v##i, b);

/// The sums of a block; its vectors are summed in pairs, so that none waits long for another.
__m256 sum_block(const float* x, int64_t fmas, __m256 a, __m256 b) {
  __m256 sum = _mm256_setzero_ps();
  for (const float* end = x + kRoofBlock; x < end; x += kStep) {
    RIDGE_EACH(RIDGE_LOAD)
    for (int64_t i = 0; i < fmas; ++i) {
      RIDGE_EACH(RIDGE_FMA)
    }
    const __m256 low = _mm256_add_ps(_mm256_add_ps(v0, v1), _mm256_add_ps(v2, v3));
    const __m256 high = _mm256_add_ps(_mm256_add_ps(v4, v5), _mm256_add_ps(v6, v7));
    sum = _mm256_add_ps(sum, _mm256_add_ps(low, high));
  }
  return sum;
}

Status launch_fmas(const Launch& launch) {
  const Roofline r = roofline_of(launch);
  const __m256 a = _mm256_set1_ps(r.ab[0]), b = _mm256_set1_ps(r.ab[1]);
  for (int64_t i = 0; i < r.blocks; ++i)
    _mm256_storeu_ps(r.out + i * kRoofSums, sum_block(r.x + i * kRoofBlock, r.fmas, a, b));
  return {};
}

RIDGE_KERNEL(roofline, cpu, fmas, .launch = launch_fmas);

}  // namespace
}  // namespace ridge
