// The device side of mma_sync.cu: pieces of x and of the filters on their way, the product, the store.
#pragma once

#include "common/harness/kernel/cuda_check.h"
#include "kernels/conv/rungs/cuda_conv.h"
#include "kernels/runtime/cuda/cp_async.h"
#include "kernels/runtime/cuda/mma.h"

namespace ridge::device {

constexpr int kTile = 128, kStages = 4, kChunk = 8, kRow = 64;  // pixels, filters; bytes: 32 of K
constexpr int kThreads = 256, kWarpP = 64, kWarpM = 32, kBytes = kTile * kRow;
constexpr int kSharedBytes = kStages * 2 * kBytes, kPieces = 2;

__device__ inline int chunk_place(int row, int piece) {
  return row * kRow + ((piece ^ (row >> 1 & 3)) << 4);
}

/// A place in K: filter row, column, and eight channels.
struct ChunkTap {
  int r, s, c;
  __device__ void skip(int chunks, int taps_s, int chunks_c) {
    for (c += chunks; c >= chunks_c; c -= chunks_c)
      if (++s == taps_s) s = 0, ++r;
  }
};

/// The upper left tap of a pixel of y: where in x, and its row and column; far outside where there is no pixel.
struct ChunkCorner {
  int64_t at;
  int h, w;
};

/// This thread's pieces of the tiles of x. In nhwc four threads share a pixel, else neighbours have neighbours.
template <typename Element, bool kDirect>
struct ChunkImages {
  static constexpr int kAcross = kDirect ? 4 : 2, kDown = kThreads / kAcross;
  const uint16_t* x;
  ChunkCorner corners[kDirect ? kPieces : 1];
  ChunkTap tap = {0, 0, 0};
  int row, piece, h, w, r, s, group_c, group_c0;
  ConvPlaces places;

  __device__ ChunkImages(const Conv& v, const void* x_, int pixel0, int pixels, int chunks_c)
      : x(static_cast<const uint16_t*>(x_)),
        h(static_cast<int>(v.h)),
        w(static_cast<int>(v.w)),
        r(static_cast<int>(v.r)),
        s(static_cast<int>(v.s)),
        group_c(static_cast<int>(v.group_c)),
        group_c0(static_cast<int>(blockIdx.y) * group_c),
        places(v.x_at) {
    const int t = static_cast<int>(threadIdx.x);
    row = kDirect ? t / 4 : t % kTile;
    piece = kDirect ? t % 4 : t / kTile;
    tap.skip(piece, s, chunks_c);
    int i = 0;
    for (ChunkCorner& corner : corners) {
      const int64_t at = pixel0 + row + i++ * kDown;
      corner.h = static_cast<int>(at / v.q % v.p * v.stride - v.pad);
      corner.w = static_cast<int>(at % v.q * v.stride - v.pad);
      corner.at = at / v.q / v.p * places.image + corner.h * places.row + corner.w * places.pixel;
      if (at >= pixels) corner.h = -(1 << 28);
    }
  }
  __device__ void copy(const ChunkCorner& corner, uint32_t to) const {
    const int at_h = corner.h + tap.r, at_w = corner.w + tap.s;
    const bool inside = at_h >= 0 && at_h < h && at_w >= 0 && at_w < w && tap.r < r;
    const uint16_t* from = x + corner.at + tap.r * places.row + tap.s * places.pixel;
    if constexpr (kDirect) {
      cp_async_16(to, inside ? from + group_c0 + tap.c * kChunk : x, inside);
    } else {
      uint32_t words[4];
      const auto channel = [&](int in_group) -> uint32_t {
        if (!inside || in_group >= group_c) return 0;
        const int c = group_c0 + in_group;
        return from[(c >> places.shift) * places.outer + (c & places.mask)];
      };
#pragma unroll
      for (int i = 0; i < 4; ++i)
        words[i] = channel(tap.c * kChunk + 2 * i) | channel(tap.c * kChunk + 2 * i + 1) << 16;
      asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(words[0]),
                   "r"(words[1]), "r"(words[2]), "r"(words[3])
                   : "memory");
    }
  }
  /// The tile at hand, and on to the next.
  __device__ void load(uint32_t tile, int chunks_c) {
#pragma unroll
    for (int i = 0; i < kPieces; ++i) {
      if constexpr (kDirect) {
        copy(corners[i], tile + chunk_place(row + i * kDown, piece));
      } else {
        copy(corners[0], tile + chunk_place(row, piece + i * kAcross));
        tap.skip(kAcross, s, chunks_c);
      }
    }
    if constexpr (kDirect) tap.skip(kAcross, s, chunks_c);
  }
};

template <typename Element>
__device__ void multiply_tile(float (&acc)[4][4][4], uint32_t x, uint32_t f) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int row_x = warp / 4 * kWarpP + lane % 16;
  const int row_f = warp % 4 * kWarpM + lane / 16 * 8 + lane % 8;
#pragma unroll
  for (int step = 0; step < 2; ++step) {
    uint32_t a[4][4], b[2][4];
#pragma unroll
    for (int i = 0; i < 4; ++i)
      load_matrices(a[i], x + chunk_place(row_x + 16 * i, 2 * step + lane / 16));
#pragma unroll
    for (int j = 0; j < 2; ++j)
      load_matrices(b[j], f + chunk_place(row_f + 16 * j, 2 * step + lane / 8 % 2));
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j)
        mma_m16n8k16(Element{}, acc[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
  }
}

/// A warp's sums to y, pairs of filters together where every pixel begins at one.
template <typename Element>
__device__ void store(const Conv& v, const float (&acc)[4][4][4], const void* bias_, void* y_, int pixel0, int pixels,
                      int m0) {
  using Out = typename Element::Out;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const auto group0 = static_cast<int>(blockIdx.y * v.group_m);
  const auto* bias = static_cast<const Out*>(bias_);
  const bool pairs = v.layout == kConvNhwc && v.m % 2 == 0 && v.group_m % 2 == 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int at = pixel0 + warp / 4 * kWarpP + i * 8 + lane / 4;
    if (at >= pixels) continue;
    const int64_t q = at % v.q, p = at / v.q % v.p, n = at / v.q / v.p;
    Out* to = static_cast<Out*>(y_) + n * v.y_at.image + p * v.y_at.row + q * v.y_at.pixel;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int in_group = m0 + warp % 4 * kWarpM + j * 8 + lane % 4 * 2, m = group0 + in_group;
      float sum[2] = {acc[i / 2][j][i % 2 * 2], acc[i / 2][j][i % 2 * 2 + 1]};
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        if (in_group + k >= v.group_m) continue;
        if (v.relu) sum[k] = relu(sum[k] + static_cast<float>(bias[m + k]));
        if (!pairs)
          to[(m + k >> v.y_at.shift) * v.y_at.outer + (m + k & v.y_at.mask)] =
              static_cast<Out>(sum[k]);
      }
      if (pairs && in_group < v.group_m)
        *reinterpret_cast<uint32_t*>(to + m) = pack_pair(Out{}, sum[0], sum[1]);
    }
  }
}

template <typename Element, bool kDirect>
__global__ void __launch_bounds__(kThreads, 2)
    conv_mma_sync_kernel(Conv v, const void* x, const void* f, const void* bias, void* y,
                         int tiles_m) {
  extern __shared__ __align__(128) unsigned char shared[];
  const auto pixels = static_cast<int>(v.n * v.p * v.q);
  const int pixel0 = static_cast<int>(blockIdx.x) / tiles_m * kTile;
  const int m0 = static_cast<int>(blockIdx.x) % tiles_m * kTile;
  const auto chunks_c = static_cast<int>((v.group_c + kChunk - 1) / kChunk);
  const auto chunks = static_cast<int>(v.r * v.s) * chunks_c;
  ChunkImages<Element, kDirect> images(v, x, pixel0, pixels, chunks_c);
  const int row_f = static_cast<int>(threadIdx.x) / 4, piece_f = static_cast<int>(threadIdx.x) % 4;
  const auto* filters = static_cast<const uint4*>(f) +
                        (int64_t{blockIdx.y} * v.group_m + m0 + row_f) * chunks + piece_f;
  const int tiles = (chunks + 3) / 4;
  const uint32_t stages = shared_address(shared);
  const auto load = [&](int tile) {
    const uint32_t to = stages + static_cast<uint32_t>(tile % kStages * 2 * kBytes);
    if (tile < tiles) {
      images.load(to, chunks_c);
#pragma unroll
      for (int i = 0; i < kPieces; ++i) {
        const bool inside = m0 + row_f + i * 64 < v.group_m && tile * 4 + piece_f < chunks;
        cp_async_16(to + kBytes + chunk_place(row_f + i * 64, piece_f),
                    inside ? filters + int64_t{i} * 64 * chunks + tile * 4 : filters - piece_f,
                    inside);
      }
    }
    cp_async_commit();
  };
  float acc[4][4][4] = {};
  for (int tile = 0; tile < kStages - 1; ++tile) load(tile);
  for (int tile = 0; tile < tiles; ++tile) {
    cp_async_wait<kStages - 2>();
    __syncthreads();  // the tile is there, and nobody reads the one before
    load(tile + kStages - 1);
    const uint32_t at = stages + static_cast<uint32_t>(tile % kStages * 2 * kBytes);
    multiply_tile<Element>(acc, at, at + kBytes);
  }
  store<Element>(v, acc, bias, y, pixel0, pixels, m0);
}

}  // namespace ridge::device
