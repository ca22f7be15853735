// Bytes into bit planes, 32 images and four pixels a thread. 8 images' words of four pixels are 8 x 8 bits
// four times: transposed (Warren, Hacker's Delight, 2nd ed., 7-3) they are bit planes of the pixels, and
// x > t is then one lop3 a bit for 8 images of four pixels: from the lowest bit up, where t has a 0 the bit or
// what was, where it has a 1 the bit and what was. Also text for NVRTC, as words.h.
#pragma once

#include "kernels/runtime/weightless/words.h"

namespace ridge::words {

enum { kImageColumns = 196 };

template <int kShift>
__device__ __forceinline__ void exchange(Word* low, Word* high, Word mask) {
  const Word l = (*low & mask) | (*high << kShift & ~mask);
  *high = (*low >> kShift & mask) | (*high & ~mask);
  *low = l;
}

/// Bit i of byte q of x[b] becomes what bit b of byte q of x[i] was.
__device__ __forceinline__ void transpose_bits(Word* x) {
#pragma unroll
  for (int i = 0; i < 4; ++i) exchange<4>(x + i, x + i + 4, 0x0f0f0f0f);
#pragma unroll
  for (int i = 0; i < 8; i += i % 2 == 0 ? 1 : 3) exchange<2>(x + i, x + i + 2, 0x33333333);
#pragma unroll
  for (int i = 0; i < 8; i += 2) exchange<1>(x + i, x + i + 1, 0x55555555);
}

/// One column's pixels of 32 images; of images beyond the last, the last's.
__device__ __forceinline__ void load_column(const Word* pixels, long long images, long long first,
                                            int column, Word* x) {
  const long long base = first < images ? first : images - 1, left = images - 1 - base;
  const Word* from = pixels + base * kImageColumns + column;
  if (left >= 31) {
#pragma unroll
    for (int s = 0; s < 32; ++s) x[s] = from[s * kImageColumns];
  } else {
#pragma unroll
    for (int s = 0; s < 32; ++s) x[s] = from[(s < left ? s : left) * kImageColumns];
  }
}

/// Byte q of r[g] becomes byte g of r[q].
__device__ __forceinline__ void transpose_bytes(Word* r) {
  const Word a = __byte_perm(r[0], r[1], 0x5140), b = __byte_perm(r[0], r[1], 0x7362);
  const Word c = __byte_perm(r[2], r[3], 0x5140), d = __byte_perm(r[2], r[3], 0x7362);
  r[0] = __byte_perm(a, c, 0x5410), r[1] = __byte_perm(a, c, 0x7632);
  r[2] = __byte_perm(b, d, 0x5410), r[3] = __byte_perm(b, d, 0x7632);
}

/// r[q]: which of 32 images lie above pixel q's threshold. x: transposed; keep[b * stride]: bit b's masks.
__device__ __forceinline__ void above(const Word* x, const Word* keep, int stride, Word* r) {
#pragma unroll
  for (int g = 0; g < 4; ++g) r[g] = 0;
#pragma unroll
  for (int b = 0; b < 8; ++b) {
    const Word mask = keep[b * stride];
#pragma unroll
    for (int g = 0; g < 4; ++g) r[g] = lop3<0xe8>(x[8 * g + b], r[g], mask);
  }
  transpose_bytes(r);
}

}  // namespace ridge::words
