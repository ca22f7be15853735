// 2^x of 16 floats. Only for files with isa=avx512f; static only.
//
// The whole part of x goes into the exponent with one instruction, the rest through a polynomial of degree 5 on
// [-1/2, 1/2] (Remez's algorithm, relative error 7.5e-8).
#pragma once

#include <immintrin.h>

namespace ridge {

/// For finite x <= 0.
static inline __m512 exp2_of(__m512 x) {
  const __m512 whole = _mm512_roundscale_ps(x, 0);
  const __m512 r = _mm512_sub_ps(x, whole);
  __m512 y = _mm512_set1_ps(0.0013276472f);
  y = _mm512_fmadd_ps(y, r, _mm512_set1_ps(0.00967554133f));
  y = _mm512_fmadd_ps(y, r, _mm512_set1_ps(0.0555071327f));
  y = _mm512_fmadd_ps(y, r, _mm512_set1_ps(0.240221197f));
  y = _mm512_fmadd_ps(y, r, _mm512_set1_ps(0.693146967f));
  y = _mm512_fmadd_ps(y, r, _mm512_set1_ps(1.00000007f));
  return _mm512_scalef_ps(y, whole);
}

}  // namespace ridge
