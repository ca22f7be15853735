// ridge: isa=avx512f flags=-O3
//
// Idea      The same passes, 16 elements an instruction, and a mask for the end of a row.
// Changed   What a vector is; and gelu is a table of cubics, 32 to a coefficient in two registers.
// Limits    Mostly bytes, by the lesson's count. Zen 4 works off 512 bits in two halves, so the gain there is in
//           instructions saved, not in twice the arithmetic.
// Look at   Bandwidth: the same figure for softmax with its exponentials and for rmsnorm without would mean that
//           memory decides.
// Source    Table and polynomial: Tang, "Table-Driven Implementation of the Exponential Function" (1989).
#include <immintrin.h>

#include <stdint.h>

#include "kernels/rows/rungs/gelu_table.h"

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

/// e^x = 2^whole 2^(i/16) 2^f: x log2(e) is rounded to sixteenths by adding 1.5 2^19, whose last bits then
/// are whole and i. A table in a register has 2^(i/16) less i sixteenths of an exponent, so that adding all
/// those bits to the exponent's place puts `whole` there; |f| <= 1/32 needs a polynomial of degree 2
/// (Chebyshev's: 7 units in the last place). What is below 2^-127 becomes that, whose bits are 0's.
static inline Vec exp_of(Vec x) {
  const __m512i table =
      _mm512_setr_epi32(0x3f800000, 0x3f7daac3, 0x3f7b95c2, 0x3f79c3d3, 0x3f7837f0, 0x3f76f532,
                        0x3f75fed7, 0x3f75583f, 0x3f7504f3, 0x3f7508a4, 0x3f75672a, 0x3f76248c,
                        0x3f7744fd, 0x3f78ccdf, 0x3f7ac0c7, 0x3f7d257d);
  const Vec magic = broadcast(786432.0f), log2e = broadcast(1.44269504f);
  x = maximum(broadcast(-88.0296919f), x);
  const Vec rounded = fma(x, log2e, magic), f = _mm512_fmsub_ps(x, log2e, rounded - magic);
  const __m512i bits = _mm512_castps_si512(rounded);
  const __m512i power = _mm512_add_epi32(_mm512_maskz_permutexvar_epi32(0xffff, bits, table),
                                         _mm512_maskz_slli_epi32(0xffff, bits, 19));
  const Vec p = fma(fma(broadcast(0.240235900f), f, broadcast(0.693187830f)), f, broadcast(1.0f));
  return p * _mm512_castsi512_ps(power);
}

typedef struct {
  Vec low[4], high[4];  ///< of each degree: segments 0 to 15, and the others
} GeluTable;

/// Eight registers. Left to itself the compiler loads each where it is used: 8 loads an element more.
static inline __attribute__((always_inline)) GeluTable gelu_table() {
  GeluTable t;
  for (int i = 0; i < 4; ++i) {
    t.low[i] = load(kGeluTable[i]), t.high[i] = load(kGeluTable[i] + kLanes);
    asm("" : "+v"(t.low[i]), "+v"(t.high[i]));
  }
  return t;
}
static inline Vec coefficient(const GeluTable* t, int degree, Vec rounded) {
  return _mm512_permutex2var_ps(t->low[degree], _mm512_castps_si512(rounded), t->high[degree]);
}
/// 13 instructions, no exponential and no division (gelu_table.h); 1.5 2^23 rounds to whole numbers.
static inline __attribute__((always_inline)) void gelu_all(const GeluTable* t, Vec* v, int count) {
  const Vec magic = broadcast(12582912.0f), segments = broadcast(kGeluSegments);
  for (int i = 0; i < count; ++i) {
    const Vec size = _mm512_abs_ps(v[i]);
    const Vec at = _mm512_maskz_min_ps(0xffff, broadcast(31 / kGeluSegments), size);
    const Vec rounded = fma(at, segments, magic),
              f = _mm512_fmsub_ps(at, segments, rounded - magic);
    Vec c = fma(coefficient(t, 3, rounded), f, coefficient(t, 2, rounded));
    c = fma(c, f, coefficient(t, 1, rounded));
    c = fma(c, f, coefficient(t, 0, rounded));
    v[i] = fma(size, c, v[i]);
  }
}

}  // namespace ridge

#include "kernels/rows/rungs/row_stream.h"

namespace ridge {

extern const RowCode rows_avx512;
const RowCode rows_avx512 = {vector_row, stream_rows};

static Status launch(const Launch& launch) {
  return rows_run(launch, vector_row);
}

RIDGE_KERNEL(rows, cpu, avx512, .launch = launch);

}  // namespace ridge
