// Weights that stream: one block for each SM takes an equal share of W's rows. One warp keeps a ring of stages in shared
// memory filled by the copy engine; eight multiply what is there on the tensor cores, 16 rows of W with up to 16 of x.
//
//   stage   16 rows x 2,048 bytes of W, of which each warp has 256; rows begin 2,112 bytes apart, so that the eight
//           lanes which read together, two rows of 64 bytes, meet no bank twice
//   lane    4g + q reads 16 bytes q of rows g and g + 8. What it holds of a row need not be what the instruction calls
//           columns 2q, 2q + 1: sums do not care about the order of k, as long as x lies in the same one. So x is put
//           into shared memory in the order in which weights come out of their words (weights.h), once for each block.
//   tile    16 rows: warps share its columns, and add up their sums in shared memory at its end
//
// The weights do not depend on the kernel before. So the ring is filled before that one has ended, beside it on the
// same SM (programmatic dependent launch), and only then is x waited for.
//
// Source    Frantar et al., Marlin, arXiv:2408.11743 (order of weights, asynchronous copies, mma.sync); CUDA
//           Programming Guide, "Programmatic Dependent Launch"; PTX ISA, "cp.async.bulk", "mma.m16n8k16".
#pragma once

#include "kernels/device/bulk.h"
#include "kernels/device/mbarrier.h"
#include "kernels/device/mma.h"
#include "kernels/gemv/gemv_cuda.h"
#include "kernels/gemv/weights.h"

namespace ridge::device {

constexpr int kStreamWarps = 8, kStreamStages = 3, kStreamRows = 16;
constexpr int kSliceRowBytes = 256, kStageRowBytes = kStreamWarps * kSliceRowBytes;
constexpr int kRowPitch = kStageRowBytes + 64, kStageBytes = kStreamRows * kRowPitch;
constexpr int kChunks = kSliceRowBytes / 64;  // of 64 bytes of a row, which four lanes read at once
constexpr int kConsumers = 32 * kStreamWarps, kStreamThreads = kConsumers + 32;
constexpr int kXPadBytes = 64;  // columns 2i and 2i + 1 of x in different banks

/// d += a * b of int8, 16 x 8 x 32: lane 4g + q has columns 4q and on, and 16 + 4q and on.
__device__ inline void mma_m16n8k32(int (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

template <class W>
struct StreamOf {
  static constexpr bool kIntegers = W::kKind == kGemvW8a8;
  using Sum = std::conditional_t<kIntegers, int, float>;
  static constexpr int kElements = 128 / W::kBits;        ///< of 16 bytes of W
  static constexpr int kXElements = kIntegers ? 16 : 8;   ///< of 16 bytes of x
  static constexpr int kPieces = kElements / kXElements;  ///< of x for 16 bytes of W
};

/// One column of x takes so many bytes of shared memory.
template <class W>
__host__ __device__ constexpr int stream_x_bytes(int k) {
  return k / StreamOf<W>::kXElements * 16 + kXPadBytes;
}

/// The warps' sums of a tile, twice: one is added up while the next one is made.
__host__ __device__ constexpr int stream_partials(int batch) {
  return 2 * kStreamWarps * kStreamRows * batch;
}

template <class W>
int stream_shared_bytes(const Shape& shape) {
  const int batch = static_cast<int>(shape.dim[kGemvBatch]);
  return kStreamStages * (kStageBytes + 16) + stream_partials(batch) * 4 +
         batch * stream_x_bytes<W>(static_cast<int>(shape.dim[kGemvK]));
}

__device__ inline void consumers_sync() {
  asm volatile("bar.sync 1, %0;" ::"n"(kConsumers) : "memory");
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

template <class W>
__device__ void put_x(const Gemv& g, unsigned char* to) {
  using S = StreamOf<W>;
  const int k = static_cast<int>(g.k), in_row = k / S::kXElements;
  for (int i = static_cast<int>(threadIdx.x); i < in_row * static_cast<int>(g.batch);
       i += kConsumers) {
    const int column = i / in_row, element = i % in_row * S::kXElements;
    const int chunk = element / (4 * S::kElements), q = element / S::kElements % 4;
    const int piece = element / S::kXElements % S::kPieces;
    const uint4 v = __ldg(static_cast<const uint4*>(g.x) + i);
    *reinterpret_cast<uint4*>(to + column * stream_x_bytes<W>(k) +
                              ((chunk * S::kPieces + piece) * 4 + q) * 16) =
        in_order_of_pairs<W>(v);
  }
}

/// sums += 16 rows x 64 bytes of W (lane 4g + q has 16 bytes of rows g and g + 8) times x from `at` on. In two chains:
/// an instruction waits 33 clocks for the one before that adds to the same sums.
template <class W, int tiles>
__device__ __forceinline__ void multiply_chunk(const uint4& upper, const uint4& lower,
                                               const unsigned char* at, int x_bytes, int batch,
                                               typename StreamOf<W>::Sum (&sums)[2][tiles][4]) {
  using S = StreamOf<W>;
  const int column = static_cast<int>(threadIdx.x) % 32 / 4;
  const uint32_t up[4] = {upper.x, upper.y, upper.z, upper.w};
  const uint32_t low[4] = {lower.x, lower.y, lower.z, lower.w};
#pragma unroll
  for (int piece = 0; piece < S::kPieces; ++piece) {
    uint32_t a[2][4];
    if constexpr (S::kIntegers) {
      a[0][0] = up[0], a[0][1] = low[0], a[0][2] = up[1], a[0][3] = low[1];
      a[1][0] = up[2], a[1][1] = low[2], a[1][2] = up[3], a[1][3] = low[3];
    } else {
      uint32_t up_pair[4], low_pair[4];
#pragma unroll
      for (int i = 0; i < 4 / W::kPairs; ++i) {
        W::pairs(up[piece * 4 / W::kPairs + i], up_pair + i * W::kPairs);
        W::pairs(low[piece * 4 / W::kPairs + i], low_pair + i * W::kPairs);
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
      if (8 * t + column < batch)
        x = *reinterpret_cast<const uint4*>(at + 8 * t * x_bytes + piece * 64);
      if constexpr (S::kIntegers) {
        mma_m16n8k32(sums[0][t], a[0], x.x, x.y);
        mma_m16n8k32(sums[1][t], a[1], x.z, x.w);
      } else {
        mma_m16n8k16(Bf16{}, sums[0][t], a[0], x.x, x.y);
        mma_m16n8k16(Bf16{}, sums[1][t], a[1], x.z, x.w);
      }
    }
  }
}

/// Scales of four groups of rows g and g + 8.
struct GroupScales {
  uint2 upper, lower;
  __device__ float of(bool low, int chunk) const {
    const uint2& four = low ? lower : upper;
    const uint32_t two = chunk < 2 ? four.x : four.y;
    return chunk % 2 == 0 ? low_float(two) : high_float(two);
  }
};

/// A block's rows. Unit u is stage-wide block u % blocks of columns of tile u / blocks.
struct StreamShare {
  int row0, rows, row_bytes, blocks, units;
  __device__ StreamShare(const Gemv& g, int bits) {
    const int64_t begin = g.n * blockIdx.x / gridDim.x, end = g.n * (blockIdx.x + 1) / gridDim.x;
    row0 = static_cast<int>(begin), rows = static_cast<int>(end - begin);
    row_bytes = static_cast<int>(g.k) / 8 * bits;
    blocks = ceil_div(row_bytes, kStageRowBytes);
    units = ceil_div(rows, kStreamRows) * blocks;
  }
};

/// By one warp: keeps the ring full.
__device__ inline void stream_weights(const Gemv& g, const StreamShare& share,
                                      unsigned char* stages, uint64_t* full, uint64_t* empty) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  RingPosition<kStreamStages> at;
  for (int unit = 0; unit < share.units; ++unit, at.advance()) {
    const int tile = unit / share.blocks, block = unit % share.blocks;
    const int rows = min(kStreamRows, share.rows - tile * kStreamRows);
    const int bytes = min(kStageRowBytes, share.row_bytes - block * kStageRowBytes);
    mbarrier_wait(empty + at.stage, at.parity ^ 1);
    if (lane == 0) mbarrier_arrive_expect(full + at.stage, static_cast<uint32_t>(rows * bytes));
    __syncwarp();
    if (lane < rows) {
      const int64_t row = share.row0 + tile * kStreamRows + lane;
      bulk_load(stages + at.stage * kStageBytes + lane * kRowPitch,
                static_cast<const char*>(g.w) + row * share.row_bytes + block * kStageRowBytes,
                static_cast<uint32_t>(bytes), full + at.stage);
    }
  }
}

/// Chunks of a warp's slice in this block: fewer than kChunks, or none, at the end of a row.
__device__ inline int chunks_of(const StreamShare& share, int block) {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int left = share.row_bytes - block * kStageRowBytes - warp * kSliceRowBytes;
  return min(kChunks, max(0, left / 64));
}

/// Those of a unit's slice. A chunk of int4 is a group.
template <class W>
__device__ inline GroupScales fetch_scales(const Gemv& g, const StreamShare& share, int unit) {
  if constexpr (!W::kGroupScale) return {};
  const int tile = unit / share.blocks, block = unit % share.blocks;
  if (unit >= share.units || chunks_of(share, block) == 0) return {};
  const int row = tile * kStreamRows + static_cast<int>(threadIdx.x) % 32 / 4;
  const int first = block * kStreamWarps + static_cast<int>(threadIdx.x) / 32;
  const auto* scales = static_cast<const uint2*>(g.scales);
  const int in_row = static_cast<int>(gemv_scale_row(g.k) / 4);
  const auto at = [&](int r) {
    return int64_t{share.row0 + min(r, share.rows - 1)} * in_row + first;
  };
  return {__ldg(scales + at(row)), __ldg(scales + at(row + 8))};
}

/// By the consumers: sums of the warps' parts to y.
template <class W>
__device__ void write_tile(const Gemv& g, const StreamShare& share, int tile,
                           const typename StreamOf<W>::Sum* partials) {
  const int each = kStreamRows * static_cast<int>(g.batch);
  for (int o = static_cast<int>(threadIdx.x); o < each; o += kConsumers) {
    const int in_tile = o % kStreamRows, column = o / kStreamRows;
    if (tile * kStreamRows + in_tile >= share.rows) continue;
    const int64_t row = share.row0 + tile * kStreamRows + in_tile;
    typename StreamOf<W>::Sum sum = 0;
#pragma unroll
    for (int w = 0; w < kStreamWarps; ++w) sum += partials[w * each + o];
    if constexpr (StreamOf<W>::kIntegers) {
      write_w8a8(g, column, row, sum);
    } else {
      if constexpr (W::kRowScale) sum *= static_cast<const float*>(g.scales)[row];
      static_cast<__nv_bfloat16*>(g.y)[column * g.n + row] = __float2bfloat16(sum);
    }
  }
}

}  // namespace ridge::device
