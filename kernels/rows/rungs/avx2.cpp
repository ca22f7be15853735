// ridge: isa=avx2 flags=-O3
//
// Idea      Eight elements an instruction; the exponential is a polynomial, so that it fits into lanes. Four
//           sums run side by side, since each addition waits for the one before it.
// Changed   The same passes as naive: maximum, sum, result. No function is called for an element.
// Limits    Where a row fits the L2: arithmetic and bytes, about equally by the lesson's count. Where it does not: each
//           pass fetches it again.
// Look at   gelu against rmsnorm: an exponential and a division an element against none.
// Source    The online texts on softmax stop at the algorithm; the split 2^x = 2^i 2^f is Cody and Waite's
//           (Software Manual for the Elementary Functions, 1980).
#include <immintrin.h>

#include <stdint.h>

#include "kernels/runtime/problems/rows.h"

namespace ridge {

typedef __m256 Vec;
enum { kLanes = 8 };

static inline Vec broadcast(float f) {
  return _mm256_set1_ps(f);
}
static inline Vec load(const float* p) {
  return _mm256_loadu_ps(p);
}
static inline void store(float* p, Vec v) {
  _mm256_storeu_ps(p, v);
}
static inline void stream(float* p, Vec v) {
  _mm256_stream_ps(p, v);
}
static inline Vec maximum(Vec a, Vec b) {
  return _mm256_max_ps(a, b);
}
static inline Vec fma(Vec a, Vec b, Vec c) {
  return _mm256_fmadd_ps(a, b, c);
}
static inline Vec load_some(const float* p, int count, float fill) {
  float lane[kLanes];
  for (int i = 0; i < kLanes; ++i) lane[i] = i < count ? p[i] : fill;
  return load(lane);
}
static inline void store_some(float* p, int count, Vec v) {
  float lane[kLanes];
  store(lane, v);
  for (int i = 0; i < count; ++i) p[i] = lane[i];
}

/// 2^f for |f| <= 1/2, by its Taylor polynomial of degree 6: 2 units in the last place.
static inline Vec poly_exp2(Vec f) {
  Vec p = broadcast(1.54035304e-4f);
  p = fma(p, f, broadcast(1.33335581e-3f));
  p = fma(p, f, broadcast(9.61812911e-3f));
  p = fma(p, f, broadcast(5.55041087e-2f));
  p = fma(p, f, broadcast(2.40226507e-1f));
  p = fma(p, f, broadcast(6.93147181e-1f));
  return fma(p, f, broadcast(1.0f));
}
/// The power of two is put together from its bits: 2^-127 comes out as 0, 2^128 as infinity.
static inline Vec exp2_of(Vec x) {
  x = _mm256_min_ps(_mm256_max_ps(x, _mm256_set1_ps(-127.0f)), _mm256_set1_ps(128.0f));
  const Vec whole = _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  const __m256i exponent = _mm256_add_epi32(_mm256_cvtps_epi32(whole), _mm256_set1_epi32(127));
  return poly_exp2(x - whole) * _mm256_castsi256_ps(_mm256_slli_epi32(exponent, 23));
}

static inline Vec exp_of(Vec x) {
  return exp2_of(x * broadcast(1.44269504f));
}

static const float kGeluScale = 1.0f;
typedef struct {
} GeluTable;
static inline GeluTable gelu_table() {
  return GeluTable{};
}

/// What lies 100 octaves below its x is 0, and so its divisor may be anything; NaN stays NaN. Several vectors
/// step by step: one alone would be a chain of 20 instructions that wait for each other.
static inline __attribute__((always_inline)) void gelu_all(const GeluTable*, Vec* v, int count) {
  Vec z[4], power[4];
  for (int q = 0; q < count; ++q)
    z[q] = v[q] * fma(v[q] * v[q], broadcast(-kGeluB), broadcast(-kGeluA));
  for (int q = 0; q < count; ++q) power[q] = exp2_of(z[q]);
  for (int q = 0; q < count; ++q) {
    const Vec y = v[q] / (broadcast(1.0f) + power[q]);
    v[q] = z[q] >= broadcast(100.0f) ? broadcast(0.0f) : y;
  }
}

}  // namespace ridge

#include "kernels/rows/rungs/row_stream.h"

namespace ridge {

extern const RowCode rows_avx2;
const RowCode rows_avx2 = {vector_row, stream_rows};

static Status launch(const Launch& launch) {
  return rows_run(launch, vector_row);
}

RIDGE_KERNEL(rows, cpu, avx2, .launch = launch);

}  // namespace ridge
