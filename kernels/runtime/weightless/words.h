// Bit-sliced classification on a GPU: a word holds one bit of 32 images, a thread owns a word, and lop3
// computes any function of three words. Included by kernels that are compiled here and, as text, by the
// programs that lop3_source.h writes: no other header, so that NVRTC needs no include path.
//
// Scores are carry-save counters, the argmax compares them from the top bit down: as in bit_sliced.h.
#pragma once

namespace ridge::words {

using Word = unsigned;

enum { kMaxCounters = 14, kClassCount = 10, kWordImages = 32, kTileOfWords = 16, kImageColumns = 196 };

template <int kFunction>
__device__ __forceinline__ Word lop3(Word a, Word b, Word c) {
  Word r;
  asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(a), "r"(b), "r"(c), "n"(kFunction));
  return r;
}
__device__ __forceinline__ Word mux(Word s, Word a, Word b) {
  return lop3<0xca>(s, a, b);
}
__device__ __forceinline__ Word full_add(Word a, Word b, Word c, Word* carry) {
  *carry = lop3<0xe8>(a, b, c);
  return lop3<0x96>(a, b, c);
}

/// Adds eight outputs; what leaves the first three counters ripples upwards.
template <int kCounters>
__device__ __forceinline__ void add_eight(Word* score, const Word* x) {
  Word two[4], four[2], carry;
  for (int i = 0; i < 4; ++i) score[0] = full_add(score[0], x[2 * i], x[2 * i + 1], &two[i]);
  for (int i = 0; i < 2; ++i) score[1] = full_add(score[1], two[2 * i], two[2 * i + 1], &four[i]);
  score[2] = full_add(score[2], four[0], four[1], &carry);
#pragma unroll
  for (int k = 3; k < kCounters; ++k) {
    const Word both = score[k] & carry;
    score[k] ^= carry;
    carry = both;
  }
}

/// The best class so far of a word's images, four bits of its number and its score.
template <int kCounters>
struct Best {
  Word score[kCounters] = {}, index[4] = {};

  /// Replaced only by a higher score: a tie stays with the lower class.
  __device__ __forceinline__ void offer(const Word* other, int number) {
    Word higher = 0, equal = ~0u;
#pragma unroll
    for (int k = kCounters - 1; k >= 0; --k) {
      higher |= equal & other[k] & ~score[k];
      equal &= ~(other[k] ^ score[k]);
    }
#pragma unroll
    for (int k = 0; k < kCounters; ++k) score[k] = mux(higher, other[k], score[k]);
    for (int k = 0; k < 4; ++k)
      index[k] = (number >> k & 1) != 0 ? index[k] | higher : index[k] & ~higher;
  }

  /// Of `images` images at most 32, a byte each; `classes` at a multiple of 4.
  __device__ __forceinline__ void write(unsigned char* classes, long long images) const {
    for (int s = 0; s < kWordImages && s < images; s += 4) {
      Word four = 0;  // the copies of a nibble, 7 bits apart, put its bit i at bit 8 i
      for (int k = 0; k < 4; ++k) four |= ((index[k] >> s & 15) * 0x00204081u & 0x01010101u) << k;
      if (images - s >= 4) {
        *reinterpret_cast<Word*>(classes + s) = four;
      } else {
        for (int i = 0; i < images - s; ++i)
          classes[s + i] = static_cast<unsigned char>(four >> (8 * i));
      }
    }
  }
};

// ---- pixels into bit planes -------------------------------------------------------------------------
//
// 32 images and four pixels a thread. 8 images' words of four pixels are 8 x 8 bits four times: transposed (Warren,
// Hacker's Delight, 2nd ed., 7-3) they are bit planes of the pixels, and x > t is then one lop3 a bit for 8 images of
// four pixels: from the lowest bit up, where t has a 0 the bit or what was, where it has a 1 the bit and what was.

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
