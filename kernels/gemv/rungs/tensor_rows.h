// What the rungs share that stream weights through shared memory into the tensor cores: 16 rows of W at a time meet up
// to 16 rows of x, and eight warps divide the columns among them.
//
//   lane    4g + q reads 16 bytes q of rows g and g + 8. What it holds of a row need not be what the instruction calls
//           columns 2q, 2q + 1: sums do not care about the order of k, as long as x lies in the same one. So x is put
//           into shared memory in the order in which weights come out of their words (weights.h), once for each block.
//   chunk   64 bytes of a row, which four lanes read at once; of int4 a group
//   slice   256 bytes of a row: what a warp multiplies of 16 rows at a time
//   tile    16 rows: the warps add up their sums in shared memory at its end
//
// Source    Frantar et al., Marlin, arXiv:2408.11743 (order of weights, asynchronous copies, mma.sync); PTX ISA,
//           "mma.m16n8k16", "mma.m16n8k32".
#pragma once

#include <type_traits>

#include "common/core/ceil_div.h"
#include "kernels/gemv/rungs/gemv_cuda.h"
#include "kernels/gemv/rungs/weights.h"
#include "kernels/runtime/cuda/bulk.h"
#include "kernels/runtime/cuda/mma.h"
#include "kernels/runtime/cuda/pipeline.h"

namespace ridge::device {

constexpr int kRowWarps = 8, kRowThreads = 32 * kRowWarps, kTileRows = 16;
constexpr int kRowSliceBytes = 256, kChunks = kRowSliceBytes / 64;
constexpr int kXPadBytes = 64;  // columns 2i and 2i + 1 of x in different banks

/// d += a * b of int8, 16 x 8 x 32: lane 4g + q has columns 4q and on, and 16 + 4q and on.
__device__ inline void mma_m16n8k32(int (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/// d += a * b, 16 x 8 x 32, of whose a two of each four are left. As m16n8k16 for a (mma.h); b column g at 2q + 8i and
/// on; `positions`: lanes q = 2 `half` and 2 `half` + 1 tell those of eight columns of a, 16 bits for row g, above
/// them row g + 8.
template <int half>
__device__ inline void mma_sparse_m16n8k32(float (&d)[4], const uint32_t (&a)[4], const uint4& b,
                                           uint32_t positions) {
  asm("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9, %10, %11}, {%0, %1, %2, %3}, %12, %13;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b.x), "r"(b.y), "r"(b.z), "r"(b.w),
        "r"(positions), "n"(half));
}

template <class W>
struct RowsOf {
  static constexpr bool kIntegers = W::kKind == kGemvW8a8, kSparse = W::kKind == kGemvSparse;
  using Accumulator = std::conditional_t<kIntegers, int, float>;
  static constexpr int kElements = 128 / W::kBits;        ///< of 16 bytes of W
  static constexpr int kXElements = kIntegers ? 16 : 8;   ///< of 16 bytes of x
  static constexpr int kPieces = kElements / kXElements;  ///< of x for 16 bytes of W
};

/// One column of x takes so many bytes of shared memory.
template <class W>
__host__ __device__ constexpr int column_bytes(int k) {
  return k / RowsOf<W>::kXElements * 16 + kXPadBytes;
}

/// So many all columns of x, and behind them what its groups start their sums from: floats [group][8 tiles].
template <class W>
__host__ __device__ constexpr int x_bytes_of(int k, int batch) {
  return batch * column_bytes<W>(k) +
         (W::kGroupScale ? k / RIDGE_GEMV_GROUP * ceil_div(batch, 8) * 32 : 0);
}

/// The warps' sums of a tile, twice: one is added up while the next one is made.
__host__ __device__ constexpr int partial_acc(int batch) {
  return 2 * kRowWarps * kTileRows * batch;
}

/// 16 bytes of x in the order of the pairs in which weights come.
template <class W>
__device__ inline uint4 in_order_of_pairs(const uint4& v) {
  if constexpr (W::kBits == 16 || W::kKind == kGemvW8a8) {
    return v;
  } else {
    const uint32_t word[4] = {v.x, v.y, v.z, v.w};
    uint32_t out[4];
#pragma unroll
    for (int r = 0; r < 4; ++r) {  // elements e and e + kPairs
      const int e = r / W::kPairs * 2 * W::kPairs + r % W::kPairs, f = e + W::kPairs;
      out[r] = __byte_perm(word[e / 2], word[f / 2],
                           (e % 2 == 0 ? 0x10 : 0x32) | (f % 2 == 0 ? 0x5400 : 0x7600));
    }
    return {out[0], out[1], out[2], out[3]};
  }
}

/// By 16 lanes, of which each has 8 elements of a group of x: the sum of all.
__device__ inline float group_sum(const uint4& v) {
  const uint32_t lanes = 0xffffu << (threadIdx.x & 16);
  float sum = low_float(v.x) + high_float(v.x) + low_float(v.y) + high_float(v.y) + low_float(v.z) +
              high_float(v.z) + low_float(v.w) + high_float(v.w);
#pragma unroll
  for (int step = 8; step > 0; step /= 2) sum += __shfl_xor_sync(lanes, sum, step);
  return sum;
}

/// Eight elements of x, number s of a chunk's eight, to where the sparse instruction's lanes find theirs: two each.
__device__ inline void put_sparse(const uint4& v, int s, unsigned char* chunk) {
  const uint32_t word[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {  // pair i % 2 of group i / 2
    const int group = s / 2 + i / 2 * 4, lane = group % 2 * 2 + i % 2;
    *reinterpret_cast<uint32_t*>(chunk + s % 2 * 64 + lane * 16 + group / 2 * 4) = word[i];
  }
}

/// By kRowThreads threads: x into shared memory.
template <class W>
__device__ void put_x(const Gemv& g, unsigned char* to) {
  using S = RowsOf<W>;
  const int k = static_cast<int>(g.k), in_row = k / S::kXElements;
  for (int i = static_cast<int>(threadIdx.x); i < in_row * static_cast<int>(g.batch);
       i += kRowThreads) {
    const int column = i / in_row, element = i % in_row * S::kXElements;
    const int chunk = element / (4 * S::kElements), q = element / S::kElements % 4;
    const int piece = element / S::kXElements % S::kPieces;
    const uint4 v = __ldg(static_cast<const uint4*>(g.x) + i);
    if constexpr (W::kGroupScale) {
      const float sum = group_sum(v);
      if (i % 16 == 0)
        reinterpret_cast<float*>(
            to +
            g.batch *
                column_bytes<W>(
                    k))[i % in_row / 16 * ceil_div(static_cast<int>(g.batch), 8) * 8 + column] =
            -W::kOffset * sum;
    }
    unsigned char* at = to + column * column_bytes<W>(k) + chunk * S::kPieces * 64;
    if constexpr (S::kSparse) {
      put_sparse(v, element / S::kXElements % 8, at);
    } else {
      *reinterpret_cast<uint4*>(at + (piece * 4 + q) * 16) = in_order_of_pairs<W>(v);
    }
  }
}

/// Those of groups stay as large as they come out: what that adds is taken off the sums (put_group_sums).
template <class W>
__device__ __forceinline__ void unpack(uint32_t word, uint32_t* pairs) {
  if constexpr (W::kGroupScale) {
    W::offset_pairs(word, pairs);
  } else {
    W::pairs(word, pairs);
  }
}

/// sums += 16 rows x 64 bytes of W (lane 4g + q has 16 bytes of rows g and g + 8) times x, whose first column has this
/// lane's part at `at`. In `chains` chains: an instruction waits for the one before that adds to the same sums.
template <class W, int tiles, int chains>
__device__ __forceinline__ void multiply_chunk(const uint4& upper, const uint4& lower, const unsigned char* at,
                                               int x_bytes, int batch, uint32_t positions,
                                               typename RowsOf<W>::Accumulator (&acc)[chains][tiles][4]) {
  using S = RowsOf<W>;
  const int column = static_cast<int>(threadIdx.x) % 32 / 4;
  const uint32_t up[4] = {upper.x, upper.y, upper.z, upper.w};
  const uint32_t low[4] = {lower.x, lower.y, lower.z, lower.w};
#pragma unroll
  for (int piece = 0; piece < S::kPieces; ++piece) {
    uint32_t a[2][4];
    if constexpr (S::kSparse) {
      a[0][0] = up[2 * piece], a[0][1] = low[2 * piece];
      a[0][2] = up[2 * piece + 1], a[0][3] = low[2 * piece + 1];
    } else if constexpr (S::kIntegers) {
      a[0][0] = up[0], a[0][1] = low[0], a[0][2] = up[1], a[0][3] = low[1];
      a[1][0] = up[2], a[1][1] = low[2], a[1][2] = up[3], a[1][3] = low[3];
    } else {
      uint32_t up_pair[4], low_pair[4];
#pragma unroll
      for (int i = 0; i < 4 / W::kPairs; ++i) {
        unpack<W>(up[piece * 4 / W::kPairs + i], up_pair + i * W::kPairs);
        unpack<W>(low[piece * 4 / W::kPairs + i], low_pair + i * W::kPairs);
      }
#pragma unroll
      for (int m = 0; m < 2; ++m) {
        a[m][0] = up_pair[2 * m], a[m][1] = low_pair[2 * m];
        a[m][2] = up_pair[2 * m + 1], a[m][3] = low_pair[2 * m + 1];
      }
    }
#pragma unroll
    for (int t = 0; t < tiles; ++t) {
      uint4 x = {};
      if (8 * t + column <
          batch)  // a load of 4 lanes takes a quarter of the turns that one of 32 takes
        x = *reinterpret_cast<const uint4*>(at + (8 * t + column) * x_bytes + piece * 64);
      if constexpr (S::kSparse) {
        if (piece == 0)
          mma_sparse_m16n8k32<0>(acc[0][t], a[0], x, positions);
        else
          mma_sparse_m16n8k32<1>(acc[1 % chains][t], a[0], x, positions);
      } else if constexpr (S::kIntegers) {
        mma_m16n8k32(acc[0][t], a[0], x.x, x.y);
        mma_m16n8k32(acc[1 % chains][t], a[1], x.z, x.w);
      } else {
        mma_m16n8k16(Bf16{}, acc[0][t], a[0], x.x, x.y);
        mma_m16n8k16(Bf16{}, acc[1 % chains][t], a[1], x.z, x.w);
      }
    }
  }
}

/// What goes with four chunks of rows g and g + 8, 16 bits each: the scales of groups, or positions.
struct ChunkWords {
  uint2 upper, lower;
  __device__ float scale(bool low, int chunk) const {
    const uint2& four = low ? lower : upper;
    const uint32_t two = chunk < 2 ? four.x : four.y;
    return chunk % 2 == 0 ? low_float(two) : high_float(two);
  }
  /// Row g's, above it row g + 8's.
  __device__ uint32_t positions(int chunk) const {
    return __byte_perm(chunk < 2 ? upper.x : upper.y, chunk < 2 ? lower.x : lower.y,
                       chunk % 2 == 0 ? 0x5410 : 0x7632);
  }
};

/// sums += chunk c of a slice times x. `w`: this lane's 16 bytes of row g of chunk 0; `lower_at` bytes on, of row g + 8.
template <class W, int tiles, int chains>
__device__ __forceinline__ void multiply_at(const unsigned char* w, int lower_at, const unsigned char* x, int x_bytes,
                                            int batch, int c, const ChunkWords& words, const float* starts,
                                            typename RowsOf<W>::Accumulator (&acc)[chains][tiles][4]) {
  const uint4 upper = *reinterpret_cast<const uint4*>(w + c * 64);
  const uint4 lower = *reinterpret_cast<const uint4*>(w + lower_at + c * 64);
  const unsigned char* part = x + c * RowsOf<W>::kPieces * 64;
  if constexpr (W::kGroupScale) {
    float of_group[chains][tiles][4] = {};
#pragma unroll
    for (int t = 0; t < tiles; ++t) {
      const float2 start = *reinterpret_cast<const float2*>(starts + (c * tiles + t) * 8);
      of_group[0][t][0] = of_group[0][t][2] = start.x;
      of_group[0][t][1] = of_group[0][t][3] = start.y;
    }
    multiply_chunk<W, tiles, chains>(upper, lower, part, x_bytes, batch, 0, of_group);
#pragma unroll
    for (int t = 0; t < tiles; ++t)
#pragma unroll
      for (int i = 0; i < 4; ++i)
        acc[0][t][i] = fmaf((chains == 1 ? of_group[0][t][i] : of_group[0][t][i] + of_group[chains - 1][t][i]),
                            words.scale(i >= 2, c), acc[0][t][i]);
  } else {
    multiply_chunk<W, tiles, chains>(upper, lower, part, x_bytes, batch, RowsOf<W>::kSparse ? words.positions(c) : 0,
                                     acc);
  }
}

/// A block's rows; unit u is block u % blocks of columns of tile u / blocks.
struct RowShare {
  int row0, rows, row_bytes, blocks, units;
  __device__ RowShare(const Gemv& g, int bits, int block_bytes) {
    const int64_t begin = g.n * blockIdx.x / gridDim.x, end = g.n * (blockIdx.x + 1) / gridDim.x;
    row0 = static_cast<int>(begin), rows = static_cast<int>(end - begin);
    row_bytes = static_cast<int>(g.k) / 8 * bits;
    blocks = ceil_div(row_bytes, block_bytes);
    units = ceil_div(rows, kTileRows) * blocks;
  }
};

/// So many bytes of `scales` belong to a row.
template <class W>
__device__ inline int64_t scale_row_bytes(const Gemv& g) {
  return W::kGroupScale       ? gemv_scale_row(g.k) * 2
         : RowsOf<W>::kSparse ? gemv_position_row(g.k)
         : W::kRowScale       ? 4
                              : 0;
}

/// Of rows g and g + 8 of a tile, for the slice of the row that is number `slice`.
template <class W>
__device__ inline ChunkWords fetch_words(const Gemv& g, const RowShare& share, int tile,
                                         int slice) {
  constexpr bool kSparse = RowsOf<W>::kSparse;
  if (!(W::kGroupScale || kSparse) || tile * kTileRows >= share.rows ||
      slice * kRowSliceBytes >= share.row_bytes)
    return {};
  const int lane = static_cast<int>(threadIdx.x) % 32, row = tile * kTileRows + lane / 4;
  const auto* words = static_cast<const uint2*>(g.scales);
  const int64_t in_row = scale_row_bytes<W>(g) / 8, at = kSparse ? slice * 4 + lane % 4 : slice;
  const auto of = [&](int r) {
    return __ldg(words + (share.row0 + min(r, share.rows - 1)) * in_row + at);
  };
  return {of(row), of(row + 8)};
}

/// By a warp: the scales of a block's rows into the L2, before anybody waits for one.
template <class W>
__device__ inline void prefetch_words(const Gemv& g, const RowShare& share) {
  const int64_t row_bytes = scale_row_bytes<W>(g);
  const char* scales = static_cast<const char*>(g.scales) + share.row0 * row_bytes;
  for (int64_t at = static_cast<int>(threadIdx.x) % 32 * 128; at < share.rows * row_bytes;
       at += 32 * 128)
    asm volatile("prefetch.global.L2 [%0];" ::"l"(scales + at));
}

/// By a warp: a slice of 16 rows times x, whose first column has this lane's part from `x` on.
template <class W, int tiles, int chains>
__device__ __forceinline__ void multiply_slice(const Gemv& g, const RowShare& share, int slice, const unsigned char* w,
                                               int lower_at, const unsigned char* x, const ChunkWords& words,
                                               typename RowsOf<W>::Accumulator (&acc)[chains][tiles][4]) {
  const int chunks = min(kChunks, (share.row_bytes - slice * kRowSliceBytes) / 64);
  const int x_bytes = column_bytes<W>(static_cast<int>(g.k)), batch = static_cast<int>(g.batch);
  const unsigned char* part = x + slice * kChunks * RowsOf<W>::kPieces * 64;
  const int lane = static_cast<int>(threadIdx.x) % 4;
  const float* starts = reinterpret_cast<const float*>(x - lane * 16 + batch * x_bytes) +
                        slice * kChunks * tiles * 8 + lane * 2;
  if (chunks == kChunks) {  // without a branch between them, so that they overlap
#pragma unroll
    for (int c = 0; c < kChunks; ++c)
      multiply_at<W, tiles, chains>(w, lower_at, part, x_bytes, batch, c, words, starts, acc);
  } else {
#pragma unroll 1
    for (int c = 0; c < chunks; ++c)
      multiply_at<W, tiles, chains>(w, lower_at, part, x_bytes, batch, c, words, starts, acc);
  }
}

/// A warp's sums of a tile to its place among the partials.
template <class W, int tiles, int chains>
__device__ __forceinline__ void keep_acc(const typename RowsOf<W>::Accumulator (&acc)[chains][tiles][4], int batch,
                                         typename RowsOf<W>::Accumulator* partials) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int t = 0; t < tiles; ++t)
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int column = 8 * t + lane % 4 * 2 + i % 2;
      if (column < batch)
        partials[column * kTileRows + lane / 4 + i / 2 * 8] =
            chains == 1 ? acc[0][t][i] : acc[0][t][i] + acc[chains - 1][t][i];
    }
}

/// By kRowThreads threads: sums of the warps' parts to y.
template <class W>
__device__ void write_tile(const Gemv& g, const RowShare& share, int tile,
                           const typename RowsOf<W>::Accumulator* partials) {
  const int each = kTileRows * static_cast<int>(g.batch);
  for (int o = static_cast<int>(threadIdx.x); o < each; o += kRowThreads) {
    const int in_tile = o % kTileRows, column = o / kTileRows;
    if (tile * kTileRows + in_tile >= share.rows) continue;
    const int64_t row = share.row0 + tile * kTileRows + in_tile;
    typename RowsOf<W>::Accumulator sum = 0;
#pragma unroll
    for (int w = 0; w < kRowWarps; ++w) sum += partials[w * each + o];
    if constexpr (RowsOf<W>::kIntegers) {
      write_w8a8(g, column, row, sum);
    } else {
      if constexpr (W::kRowScale) sum *= static_cast<const float*>(g.scales)[row];
      static_cast<__nv_bfloat16*>(g.y)[column * g.n + row] = __float2bfloat16(sum);
    }
  }
}

}  // namespace ridge::device
