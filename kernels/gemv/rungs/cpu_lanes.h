// Dot products of a row of W with x in vectors, of 16 floats or of 8: the same text for AVX-512 and AVX2. Four sums
// side by side, so that no addition waits for the one before. RIDGE_GEMV_KIND says of which weights.
#pragma once

#include <immintrin.h>

#include "kernels/gemv/cpu_rows.h"

namespace ridge {

#ifdef __AVX512F__
enum { kLanes = 16 };
typedef __m512 Lanes;
static inline Lanes lanes_zero() {
  return _mm512_setzero_ps();
}
static inline Lanes lanes_load(const float* x) {
  return _mm512_loadu_ps(x);
}
static inline Lanes lanes_fma(Lanes a, Lanes b, Lanes c) {
  return _mm512_fmadd_ps(a, b, c);
}
static inline Lanes lanes_add(Lanes a, Lanes b) {
  return _mm512_add_ps(a, b);
}
static inline Lanes lanes_set(float x) {
  return _mm512_set1_ps(x);
}
static inline float lanes_sum(Lanes a) {
  return _mm512_reduce_add_ps(a);
}
static inline Lanes lanes_bf16(const uint16_t* w) {
  return _mm512_castsi512_ps(
      _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i*)w)), 16));
}
static inline Lanes lanes_bytes(__m128i bytes) {
  return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(bytes));
}
static inline __m128i lanes_raw(const uint8_t* w) {
  return _mm_loadu_si128((const __m128i*)w);
}
#else
enum { kLanes = 8 };
typedef __m256 Lanes;
static inline Lanes lanes_zero() {
  return _mm256_setzero_ps();
}
static inline Lanes lanes_load(const float* x) {
  return _mm256_loadu_ps(x);
}
static inline Lanes lanes_fma(Lanes a, Lanes b, Lanes c) {
  return _mm256_fmadd_ps(a, b, c);
}
static inline Lanes lanes_add(Lanes a, Lanes b) {
  return _mm256_add_ps(a, b);
}
static inline Lanes lanes_set(float x) {
  return _mm256_set1_ps(x);
}
static inline float lanes_sum(Lanes a) {
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}
static inline Lanes lanes_bf16(const uint16_t* w) {
  return _mm256_castsi256_ps(
      _mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i*)w)), 16));
}
static inline Lanes lanes_bytes(__m128i bytes) {
  return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes));
}
static inline __m128i lanes_raw(const uint8_t* w) {
  return _mm_loadl_epi64((const __m128i*)w);
}
#endif

/// The dot product of x and kLanes weights(p) at a time, k a multiple of 4 * kLanes.
template <class Weights>
static inline __attribute__((always_inline)) float dot(const float* x, int64_t k,
                                                       const Weights& weights) {
  Lanes acc[4] = {};
  for (int64_t p = 0; p < k; p += 4 * kLanes) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i)
      acc[i] = lanes_fma(weights(p + i * kLanes), lanes_load(x + p + i * kLanes), acc[i]);
  }
  return lanes_sum(lanes_add(lanes_add(acc[0], acc[1]), lanes_add(acc[2], acc[3])));
}

static inline float row_fp32(const void* row, const void*, const float* x, const float*,
                             int64_t k) {
  return dot(x, k, [=](int64_t p) { return lanes_load((const float*)row + p); });
}

static inline float row_bf16(const void* row, const void*, const float* x, const float*,
                             int64_t k) {
  return dot(x, k, [=](int64_t p) { return lanes_bf16((const uint16_t*)row + p); });
}

static inline float row_int8(const void* row, const void* scale, const float* x, const float*,
                             int64_t k) {
  const uint8_t* bytes = (const uint8_t*)row;
  const auto weights = [bytes](int64_t p) { return lanes_bytes(lanes_raw(bytes + p)); };
  return dot(x, k, weights) * *(const float*)scale;
}

/// Half bytes are 0 to 15, value + 8: the eight is taken off by the sum of x, once for a group.
static inline float row_int4(const void* row, const void* scales, const float* x, const float* group_acc, int64_t k) {
  const __m128i low = _mm_set1_epi8(15);
  Lanes a = lanes_zero(), b = a;
  float offset = 0;
  for (int64_t group = 0; group < k / RIDGE_GEMV_GROUP; ++group) {
    const float scale = gemv_from_bf16(((const uint16_t*)scales)[group]);
    const uint8_t* w = (const uint8_t*)row + group * (RIDGE_GEMV_GROUP / 2);
    const float* part = x + group * RIDGE_GEMV_GROUP;
    Lanes even = lanes_zero(), odd = even;
    for (int64_t p = 0; p < RIDGE_GEMV_GROUP; p += 2 * kLanes) {
      const __m128i two = lanes_raw(w + p / 2);
      even = lanes_fma(lanes_bytes(_mm_and_si128(two, low)), lanes_load(part + p), even);
      odd = lanes_fma(lanes_bytes(_mm_and_si128(_mm_srli_epi16(two, 4), low)),
                      lanes_load(part + p + kLanes), odd);
    }
    a = lanes_fma(even, lanes_set(scale), a);
    b = lanes_fma(odd, lanes_set(scale), b);
    offset += scale * group_acc[group];
  }
  return lanes_sum(lanes_add(a, b)) - 8 * offset;
}

static inline Status gemv_launch_lanes(const Launch& launch) {
  const int64_t kind = launch.shape.dim[kGemvKind];
  return gemv_run_cpu(launch,
                      kind == kGemvFp32   ? row_fp32
                      : kind == kGemvBf16 ? row_bf16
                      : kind == kGemvInt8 ? row_int8
                                          : row_int4,
                      kLanes);
}

}  // namespace ridge
