// What a staged program's block does before and after its tables: the planes of 1024 images come into
// shared memory, copied or made from the pixels; and the best class of ten. Text for NVRTC, with
// lop3_source.cpp's RIDGE_ macros; without them the argument alone, for who launches it.
#pragma once

#include "kernels/runtime/weightless/words.h"

namespace ridge::words {

enum { kStagedWords = 32, kStagedRow = 33 };

struct Staged {
  const unsigned char* pixels;        ///< images x 784
  const Word* planes;                 ///< as weightless.h has them, in words of 32
  const unsigned short* hot_feature;  ///< [RIDGE_HOT]
  const Word* keep;                   ///< keep_masks() of words_launch.h
  const short* plane;                 ///< [level][pixel]; -1: read by no table
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

/// A warp: 8 columns, whose pixels of an image are 32 bytes, and 4 words.
__device__ __forceinline__ void fill_from_pixels(const Staged& job, Word* shared) {
  const int lane = threadIdx.x % 32;
  for (int item = threadIdx.x / 32; item < (kImageColumns + 7) / 8 * 8; item += RIDGE_WARPS) {
    const int column = item / 8 * 8 + lane % 8, w = item % 8 * 4 + lane / 8;
    if (column >= kImageColumns) continue;
    Word x[32];
    load_column(reinterpret_cast<const Word*>(job.pixels), job.images, 1024ll * blockIdx.x + 32 * w,
                column, x);
#pragma unroll
    for (int g = 0; g < 32; g += 8) transpose_bits(x + g);
    for (int i = 0; i < RIDGE_BITS; ++i) {
      Word r[4];
      above(x, job.keep + i * 8 * kImageColumns + column, kImageColumns, r);
      const short* planes = job.plane + (i * kImageColumns + column) * 4;
#pragma unroll
      for (int q = 0; q < 4; ++q) {
        const int plane = planes[q];
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
