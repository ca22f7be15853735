// 2^x of 16 floats. Only for files with isa=avx512f; static only.
#pragma once

#include <immintrin.h>

namespace ridge {

/// A polynomial of degree 5 for the part behind the point, in [0, 1) (Remez's algorithm, relative error 1.5e-7);
/// scalef adds the whole part to the exponent. Nine instructions, of which the FMA units see five.
/// floor and the zero-masked scalef, because their plain forms start from an undefined register, of which GCC warns; the
/// instructions are the same.
static inline __m512 exp2_of(__m512 x) {
  const __m512 r = _mm512_sub_ps(x, _mm512_floor_ps(x));
  __m512 y = _mm512_set1_ps(0.00187757669f);
  y = _mm512_fmadd_ps(y, r, _mm512_set1_ps(0.00898933969f));
  y = _mm512_fmadd_ps(y, r, _mm512_set1_ps(0.0558263175f));
  y = _mm512_fmadd_ps(y, r, _mm512_set1_ps(0.240153611f));
  y = _mm512_fmadd_ps(y, r, _mm512_set1_ps(0.693153083f));
  y = _mm512_fmadd_ps(y, r, _mm512_set1_ps(0.99999994f));
  return _mm512_maskz_scalef_ps(0xffff, y, x);
}

}  // namespace ridge
