// ridge: isa=avx512f flags=-O3
//
// Idea      The same passes, 16 elements an instruction, and a mask for the end of a row.
// Changed   Only what a vector is.
// Limits    Zen 4 works off 512 bits in two halves, so the gain there is in instructions saved, not in
//           twice the arithmetic; and the passes over memory are already near what one core can load.
// Look at   Bandwidth: the same figure for softmax with its exponentials and for rmsnorm without means that
//           memory decides.
// Source    As avx2; VSCALEFPS multiplies by a power of two, under- and overflow included.
#include <immintrin.h>

#include <stdint.h>

namespace ridge {

typedef __m512 Vec;
enum { kLanes = 16 };

static inline Vec broadcast(float f) {
  return _mm512_set1_ps(f);
}
static inline Vec load(const float* p) {
  return _mm512_loadu_ps(p);
}
static inline void store(float* p, Vec v) {
  _mm512_storeu_ps(p, v);
}
static inline void stream(float* p, Vec v) {
  _mm512_stream_ps(p, v);
}
static inline Vec maximum(Vec a, Vec b) {
  return a > b ? a : b;
}
static inline Vec fma(Vec a, Vec b, Vec c) {
  return _mm512_fmadd_ps(a, b, c);
}
static inline __mmask16 first_lanes(int count) {
  return (__mmask16)((1u << count) - 1);
}
static inline Vec load_some(const float* p, int count, float fill) {
  return _mm512_mask_loadu_ps(_mm512_set1_ps(fill), first_lanes(count), p);
}
static inline void store_some(float* p, int count, Vec v) {
  _mm512_mask_storeu_ps(p, first_lanes(count), v);
}

static inline Vec poly_exp2(Vec f);
/// -inf must not meet -inf: below 2^-150 everything is 0.
static inline Vec exp2_of(Vec x) {
  const __mmask16 all = 0xffff;  // the forms without a mask make GCC 12 warn of lanes not set
  x = maximum(x, broadcast(-150.0f));
  const Vec whole =
      _mm512_maskz_roundscale_ps(all, x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  return _mm512_maskz_scalef_ps(all, poly_exp2(x - whole), whole);
}

}  // namespace ridge

#include "kernels/rows/row_vectors.h"

namespace ridge {

extern const RowFunction rows_avx512;
const RowFunction rows_avx512 = vector_row;

static Status launch(const Launch& launch) {
  return rows_run(launch, vector_row, false);
}

RIDGE_KERNEL(rows, cpu, avx512, .launch = launch);

}  // namespace ridge
