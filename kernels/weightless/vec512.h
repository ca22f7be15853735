// 512 images in a register, where any function of three bits is one instruction: what the AVX-512 rungs
// mean by Vec, mux and full_add in bit_sliced.h, and an encoder that compares 64 pixels at once.
#pragma once

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#include "kernels/weightless/weightless.h"

namespace ridge {

typedef uint64_t Vec __attribute__((vector_size(64)));
enum { kVecWords = 8 };

static inline Vec mux(Vec s, Vec a, Vec b) {
  return (Vec)_mm512_ternarylogic_epi64((__m512i)s, (__m512i)a, (__m512i)b, 0xca);
}
static inline Vec full_add(Vec a, Vec b, Vec c, Vec* carry) {
  *carry = (Vec)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)c, 0xe8);
  return (Vec)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)c, 0x96);
}

}  // namespace ridge
