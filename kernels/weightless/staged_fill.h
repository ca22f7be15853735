// What a staged program's block does before and after its tables: the planes of 1024 images come into
// shared memory, copied or made from the pixels; and the best class of ten. Text for NVRTC, with
// lop3_source.cpp's RIDGE_ macros; without them the argument alone, for who launches it.
//
// Encoding: 8 images' words of four pixels are 8 x 8 bits four times: transposed (Warren, Hacker's Delight,
// 2nd ed., 7-3) they are bit planes of the pixels, and x > t is then one lop3 a bit for 8 images of four
// pixels: from the lowest bit up, where t has a 0 the bit or what was, where it has a 1 the bit and what was.
#pragma once

#include "kernels/weightless/words.h"

namespace ridge::words {

enum { kStagedWords = 32, kStagedRow = 33, kImageColumns = 196 };

/// The thresholds of four neighbouring pixels of one level, and the planes that they make.
struct EncodeLevel {
  Word keep[8];    ///< byte q: 0xff where bit b of pixel q's threshold is 0
  short plane[4];  ///< -1: not read by any table
  short unused[4];
};

struct Staged {
  const unsigned char* pixels;        ///< images x 784
  const Word* planes;                 ///< as weightless.h has them, in words of 32
  const unsigned short* hot_feature;  ///< [RIDGE_HOT]
  const EncodeLevel* levels;          ///< [column][RIDGE_BITS]
  Word* workspace;                    ///< [block][RIDGE_COLD][32]
  unsigned char* classes;
  long long images;
};

#ifdef RIDGE_WARPS

__device__ __forceinline__ Word* block_workspace(const Staged& job) {
  return job.workspace + 1ll * blockIdx.x * RIDGE_COLD * 32 + threadIdx.x % 32;
}

/// A word's planes where they lie. Words beyond the last tile are given the first's; nobody reads what
/// comes of it.
__device__ __forceinline__ const Word* own_planes(const Staged& job) {
  const long long word = 32ll * blockIdx.x + threadIdx.x % 32;
  const long long tile = 32 * word < job.images ? word / kTileOfWords : 0;
  return job.planes + tile * RIDGE_FEATURES * kTileOfWords + word % kTileOfWords;
}

__device__ __forceinline__ void fill_from_planes(const Staged& job, Word* shared) {
  const Word* from = own_planes(job);
#pragma unroll 8
  for (int p = threadIdx.x / 32; p < RIDGE_HOT; p += RIDGE_WARPS)
    shared[p * kStagedRow + threadIdx.x % 32] = from[job.hot_feature[p] * kTileOfWords];
}

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
__device__ __forceinline__ void load_column(const Staged& job, long long first, int column,
                                            Word* x) {
  const long long base = first < job.images ? first : job.images - 1, left = job.images - 1 - base;
  const Word* from =
      reinterpret_cast<const Word*>(job.pixels + base * (4 * kImageColumns)) + column;
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

/// A warp: 8 columns, whose pixels of an image are 32 bytes, and 4 words.
__device__ __forceinline__ void fill_from_pixels(const Staged& job, Word* shared) {
  const int lane = threadIdx.x % 32;
  for (int item = threadIdx.x / 32; item < (kImageColumns + 7) / 8 * 8; item += RIDGE_WARPS) {
    const int column = item / 8 * 8 + lane % 8, w = item % 8 * 4 + lane / 8;
    if (column >= kImageColumns) continue;
    Word x[32];
    load_column(job, 1024ll * blockIdx.x + 32 * w, column, x);
#pragma unroll
    for (int g = 0; g < 32; g += 8) transpose_bits(x + g);
    const EncodeLevel* level = job.levels + column * RIDGE_BITS;
    for (int i = 0; i < RIDGE_BITS; ++i, ++level) {
      Word r[4];
#pragma unroll
      for (int g = 0; g < 4; ++g) {
        r[g] = 0;
#pragma unroll
        for (int b = 0; b < 8; ++b) r[g] = lop3<0xe8>(x[8 * g + b], r[g], level->keep[b]);
      }
      transpose_bytes(r);
#pragma unroll
      for (int q = 0; q < 4; ++q) {
        const int plane = level->plane[q];
        if (plane >= RIDGE_HOT)
          job.workspace[(1ll * blockIdx.x * RIDGE_COLD + plane - RIDGE_HOT) * 32 + w] = r[q];
        else if (plane >= 0)
          shared[plane * kStagedRow + w] = r[q];
      }
    }
  }
}

/// Adds up each class's parts and writes the classes; `shared` is free to be written by then.
__device__ __forceinline__ void write_best(const Staged& job, const Word* score, Word* shared) {
  __syncthreads();
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
  for (int k = 0; k < RIDGE_COUNTERS; ++k)
    shared[(warp * RIDGE_COUNTERS + k) * 32 + lane] = score[k];
  __syncthreads();
  if (warp != 0) return;
  Best<RIDGE_COUNTERS> best;
  for (int c = 0; c < kClassCount; ++c) {
    Word sum[RIDGE_COUNTERS] = {};
#pragma unroll
    for (int part = 0; part < RIDGE_PARTS; ++part) {
      const Word* more = shared + (c * RIDGE_PARTS + part) * RIDGE_COUNTERS * 32 + lane;
      Word carry = 0;
#pragma unroll
      for (int k = 0; k < RIDGE_COUNTERS; ++k)
        sum[k] = full_add(sum[k], more[k * 32], carry, &carry);
    }
    best.offer(sum, c);
  }
  const long long first = 1024ll * blockIdx.x + 32 * lane;
  best.write(job.classes + first, job.images - first);
}

#endif

}  // namespace ridge::words
