// The device side of packed_taps.cu: rows of the image in shared memory that wgmma reads as the matrix of im2col.
#pragma once

#include <cuda.h>

#include "kernels/conv/rungs/turned_sums.h"
#include "kernels/runtime/cuda/pipeline.h"
#include "kernels/runtime/cuda/tma.h"
#include "kernels/runtime/cuda/wgmma_registers.h"
#include "kernels/runtime/cuda/wgmma_widths.h"

namespace ridge::device {

constexpr int kTapThreads = 128, kTapGroups = 4, kTapFilters = 64, kChunkBytes = 16,
              kMostChunks = 8;

/// The kernel's only argument: the map is read by the copy engine.
struct TapGrid {
  CUtensorMap y;  ///< rows of y's images a matrix each; boxes of a tile's pixels by 64 filters
  const void *x, *f, *bias;
  void* y_data;
  int n, h, w, c, m, r, pad, p, q;
  int chunks;         ///< of a filter's row, even
  int strips, parts;  ///< of an output row; of an image's rows
  int relu, by_engine;
};

/// A chunk is 16 bytes: kStride pixels of kChannels each, so that the next output begins a chunk further on.
template <int pixels, int stride>
struct TapTile {
  static constexpr int kPixels = pixels, kStride = stride, kChannels = 8 / stride;
  static constexpr int kOfThread =
      ((kPixels + kMostChunks) * kStride + kTapThreads - 1) / kTapThreads;
  static __host__ __device__ int row_bytes(int chunks) { return (kPixels + chunks) * kChunkBytes; }
  static __host__ __device__ int slots(int r) { return r + kStride; }
  static __host__ __device__ int filter_bytes(int r, int chunks) {
    return r * chunks * kTapFilters * kChunkBytes;
  }
  static __host__ __device__ int ring_bytes(int r, int chunks) {
    return slots(r) * row_bytes(chunks);
  }
  static int shared_bytes(int r, int chunks) {
    return kTapGroups * (kPixels * kTurnedRow + ring_bytes(r, chunks)) + filter_bytes(r, chunks);
  }
};

/// kStride rows of x on their way to shared memory, channels filled up with zeros.
template <typename Tile>
struct TapRows {
  static constexpr int kWords = Tile::kChannels / 2;
  uint32_t words[Tile::kStride][Tile::kOfThread][kWords];
  const uint16_t* from;  ///< this thread's first pixel of the row to come
  int h, w, row;         ///< where that is, inside or not; elements from row to row
  int thread;

  __device__ TapRows(const TapGrid& g, int n, int h0, int w0)
      : h(h0), row(g.w * g.c), thread(static_cast<int>(threadIdx.x) % kTapThreads) {
    w = w0 + thread;
    from = static_cast<const uint16_t*>(g.x) + (int64_t{n} * g.h + h) * row + w * g.c;
  }
  __device__ __forceinline__ void load(const TapGrid& g) {
#pragma unroll
    for (int down = 0; down < Tile::kStride; ++down) {
      const bool inside_h = h >= 0 && h < g.h;
#pragma unroll
      for (int i = 0; i < Tile::kOfThread; ++i) {
        const int at = w + i * kTapThreads;
        const bool inside = inside_h && at >= 0 && at < g.w;
        const uint16_t* pixel = from + i * kTapThreads * g.c;
#pragma unroll
        for (int word = 0; word < kWords; ++word) {
          const uint32_t first = inside && 2 * word < g.c ? __ldg(pixel + 2 * word) : 0;
          const uint32_t second = inside && 2 * word + 1 < g.c ? __ldg(pixel + 2 * word + 1) : 0;
          words[down][i][word] = first | second << 16;
        }
      }
      ++h;
      from += row;
    }
  }
  __device__ void back(int rows) {
    h -= rows;
    from -= rows * row;
  }
  /// Into the slots from `slot` on, round the ring.
  __device__ __forceinline__ void store(unsigned char* ring, int slot, int slots,
                                        int row_bytes) const {
#pragma unroll
    for (int down = 0; down < Tile::kStride; ++down) {
      const int at = slot + down < slots ? slot + down : slot + down - slots;
#pragma unroll
      for (int i = 0; i < Tile::kOfThread; ++i) {
        const int place = (thread + i * kTapThreads) * Tile::kChannels * 2;
        if (place >= row_bytes) continue;
        auto* to = reinterpret_cast<uint32_t*>(ring + at * row_bytes + place);
        const auto& from_words = words[down][i];
        if constexpr (kWords == 4) {
          *reinterpret_cast<uint4*>(to) =
              make_uint4(from_words[0], from_words[1], from_words[2], from_words[3]);
        } else if constexpr (kWords == 2) {
          *reinterpret_cast<uint2*>(to) = make_uint2(from_words[0], from_words[1]);
        } else {
          *to = from_words[0];
        }
      }
    }
  }
};

/// Without a swizzle: eight rows of 16 bytes follow each other, so do groups of eight; `next` bytes further on are
/// the next 16 bytes of K.
__device__ inline uint64_t plain_descriptor(const void* tile, int next) {
  return ((shared_address(tile) & 0x3ffff) >> 4) | (static_cast<uint64_t>(next >> 4) << 16) |
         (uint64_t{128 >> 4} << 32);
}

template <typename Element, typename Tile>
__device__ __forceinline__ void multiply_row(float (&sums)[Tile::kPixels / 2], const TapGrid& g,
                                             const unsigned char* filters,
                                             const unsigned char* ring, int first) {
  const int row_bytes = Tile::row_bytes(g.chunks), slots = Tile::slots(g.r);
  uint64_t f = plain_descriptor(filters, kTapFilters * kChunkBytes);
  wgmma_fence();
  for (int r = 0; r < g.r; ++r) {
    const int slot = first + r < slots ? first + r : first + r - slots;
    // The next 8 of K are one chunk further on, where the next output begins: the matrix overlaps itself.
    const uint64_t x = plain_descriptor(ring + slot * row_bytes, kChunkBytes);
    for (int chunk = 0; chunk < g.chunks; chunk += 2) {
      Wgmma<Element, Tile::kPixels, false>::multiply(sums, f, x + chunk, r > 0 || chunk > 0);
      f += 2 * kTapFilters;
    }
  }
  wgmma_commit();
}

/// A warpgroup's part: a strip of columns of some rows of an image.
struct TapPart {
  int n, q0, p0, p_end;
};
template <typename Tile>
__device__ TapPart part_of(const TapGrid& g, int group) {
  const int at = static_cast<int>(blockIdx.x) * kTapGroups + group;
  const int strip = at % g.strips, part = at / g.strips % g.parts, n = at / g.strips / g.parts;
  if (n >= g.n) return {0, 0, 0, 0};
  return {n, strip * Tile::kPixels, part * g.p / g.parts, (part + 1) * g.p / g.parts};
}

template <typename Element, typename Tile>
__device__ void convolve_part(const TapGrid& g, const TapPart& at, unsigned char* box,
                              const unsigned char* filters, unsigned char* ring, int group) {
  using Out = typename Element::Out;
  const int row_bytes = Tile::row_bytes(g.chunks), slots = Tile::slots(g.r);
  const int m0 = static_cast<int>(blockIdx.y) * kTapFilters;
  const bool leader = threadIdx.x % kTapThreads == 0;
  TapRows<Tile> rows(g, at.n, at.p0 * Tile::kStride - g.pad, at.q0 * Tile::kStride - g.pad);
  int r = 0;
  for (; r < g.r; r += Tile::kStride) {
    rows.load(g);
    rows.store(ring, r, slots, row_bytes);
  }
  rows.back(r - g.r);
  fence_shared_for_async();
  warpgroup_sync(1 + group);
  int first = 0;  // the slot of the first row that this output row sees
  for (int p = at.p0; p < at.p_end; ++p) {
    const bool last = p + 1 == at.p_end;
    float sums[Tile::kPixels / 2];
    multiply_row<Element, Tile>(sums, g, filters, ring, first);
    if (!last) {
      rows.load(g);
      const int behind = first + g.r < slots ? first + g.r : first + g.r - slots;
      rows.store(ring, behind, slots, row_bytes);
    }
    first = first + Tile::kStride < slots ? first + Tile::kStride : first + Tile::kStride - slots;
    if (leader) bulk_wait_read<0>();  // the box is free again
    warpgroup_sync(1 + group);
    wgmma_wait<0>();
    wgmma_touch(sums);
    if (g.relu) finish_turned<Out, Tile::kPixels>(sums, g.bias, g.m, m0);
    const int row = at.n * g.p + p;
    if (g.by_engine) {
      fill_turned<Out, Tile::kPixels>(sums, box);
    } else {
      auto* y = static_cast<Out*>(g.y_data) + (int64_t{row} * g.q + at.q0) * g.m;
      store_turned<Out, Tile::kPixels>(sums, y, g.q - at.q0, g.m, m0);
    }
    fence_shared_for_async();
    warpgroup_sync(1 + group);
    if (leader && g.by_engine) {
      tma_store_3d(&g.y, m0, at.q0, row, box);
      bulk_commit();
    }
  }
  if (leader) bulk_wait_read<0>();
}

template <typename Element, typename Tile>
__global__ void __launch_bounds__(kTapThreads* kTapGroups, 1)
    conv_packed_taps_kernel(const __grid_constant__ TapGrid g) {
  extern __shared__ __align__(1024) unsigned char shared[];
  const int group = static_cast<int>(threadIdx.x) / kTapThreads;
  unsigned char *boxes = shared, *filters = boxes + kTapGroups * Tile::kPixels * kTurnedRow;
  unsigned char* rings = filters + Tile::filter_bytes(g.r, g.chunks);
  const int pieces = Tile::filter_bytes(g.r, g.chunks) / 16;
  const auto* from = static_cast<const uint4*>(g.f) + int64_t{blockIdx.y} * pieces;
  for (int i = static_cast<int>(threadIdx.x); i < pieces; i += kTapThreads * kTapGroups)
    reinterpret_cast<uint4*>(filters)[i] = __ldg(from + i);
  fence_shared_for_async();
  __syncthreads();
  const TapPart at = part_of<Tile>(g, group);
  if (at.p0 == at.p_end) return;
  convolve_part<Element, Tile>(g, at, boxes + group * Tile::kPixels * kTurnedRow, filters,
                               rings + group * Tile::ring_bytes(g.r, g.chunks), group);
}

}  // namespace ridge::device
