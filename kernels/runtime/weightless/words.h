// Bit-sliced classification on a GPU: a word holds one bit of 32 images, a thread owns a word, and lop3
// computes any function of three words. Included by kernels that are compiled here and, as text, by the
// programs that lop3_source.h writes: no other header, so that NVRTC needs no include path.
//
// Scores are carry-save counters, the argmax compares them from the top bit down: as in bit_sliced.h.
#pragma once

namespace ridge::words {

using Word = unsigned;

enum { kMostCounters = 14, kClassCount = 10, kWordImages = 32, kTileOfWords = 16 };

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

}  // namespace ridge::words
