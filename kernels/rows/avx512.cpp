// ridge: isa=avx512f flags=-O3
//
// Idea      The same passes, 16 elements an instruction, and a mask for the end of a row.
// Changed   Only what a vector is.
// Limits    Zen 4 works off 512 bits in two halves, so the gain there is in instructions saved, not in
//           twice the arithmetic; and the passes over memory are already near what one core can load.
// Look at   Bandwidth: the same figure for softmax with its exponentials and for rmsnorm without means that
//           memory decides.
// Source    Table and polynomial: Tang, "Table-Driven Implementation of the Exponential Function" (1989).
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
  return _mm512_maskz_max_ps(0xffff, a, b);  // without a mask GCC 12 warns of lanes not set
}
static inline Vec fma(Vec a, Vec b, Vec c) {
  return _mm512_fmadd_ps(a, b, c);
}
static inline __mmask16 first_lanes(int count) {
  return (__mmask16)((1u << count) - 1);  // all 16: 0xffff
}
static inline Vec load_some(const float* p, int count, float fill) {
  return _mm512_mask_loadu_ps(_mm512_set1_ps(fill), first_lanes(count), p);
}
static inline void store_some(float* p, int count, Vec v) {
  _mm512_mask_storeu_ps(p, first_lanes(count), v);
}

/// 2^x = 2^whole 2^(i/16) 2^f: x is rounded to sixteenths by adding 1.5 2^19, whose last bits then are i; a
/// table in a register has 2^(i/16), and |f| <= 1/32 needs a polynomial of degree 2 (Chebyshev's: 7 units in
/// the last place). VSCALEFPS multiplies by 2^whole, and by -inf gives 0, whatever the rest.
static inline Vec exp2_of(Vec x) {
  const Vec table = {1.0f,        1.04427378f, 1.09050773f, 1.13878863f, 1.18920712f, 1.24185781f,
                     1.29683955f, 1.35425555f, 1.41421356f, 1.47682615f, 1.54221083f, 1.61049033f,
                     1.68179283f, 1.75625216f, 1.83400809f, 1.91520656f};
  const Vec magic = broadcast(786432.0f);
  const Vec rounded = x + magic, sixteenths = rounded - magic, f = x - sixteenths;
  const Vec power = _mm512_maskz_permutexvar_ps(0xffff, _mm512_castps_si512(rounded), table);
  const Vec p = fma(fma(broadcast(0.240235900f), f, broadcast(0.693187830f)), f, broadcast(1.0f));
  return _mm512_maskz_scalef_ps(0xffff, p * power, sixteenths);
}
/// 14 bits from a table, twice as many by a step of Newton's: a division takes ten times as long.
static inline Vec quotient(Vec a, Vec d) {
  const Vec r = _mm512_maskz_rcp14_ps(0xffff, d);
  return a * (r * _mm512_fnmadd_ps(d, r, broadcast(2.0f)));
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
