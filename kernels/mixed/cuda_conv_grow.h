// The gradient of a convolution's weights on the FMA units, fp32: sums through all images of a block, in registers.
// Blocks leave theirs side by side, and add_pieces_kernel() sums them in order: the same bits every time.
//
// A lane has a channel that is read, a warp eight that are made: 48 numbers read feed 288 multiply-adds.
#pragma once

#include "kernels/mixed/cuda_conv_fma.h"

namespace ridge::mixed {

/// Window rows at a time: half an image of 28 rows, one of 14. Channels that a block makes and reads at most.
constexpr int kGrowRows = 7, kGrowOut = 32, kGrowIn = 32;

/// Lanes that channels are laid out for: 4 to 32.
__host__ __device__ constexpr int grow_lanes(int channels) {
  return channels > 16 ? 32 : channels > 8 ? 16 : channels > 4 ? 8 : 4;
}

template <int half>
struct GrowTile {
  static constexpr int kWidth = 2 * half + 2, kWindows = kGrowRows * half;
  static constexpr int kPixels = (2 * kGrowRows + 2) * kWidth;
  /// 16 channels lie in 24: neighbouring windows, one for each half of a warp, then have their own banks.
  __host__ __device__ static constexpr int pitch(int lanes) { return lanes == 16 ? 24 : lanes; }
  static size_t bytes(int in) {
    const size_t tile = size_t(kPixels) * size_t(pitch(grow_lanes(in < kGrowIn ? in : kGrowIn))) +
                        size_t(kWindows) * 4 * kGrowOut;
    return 4 * (tile > 9 * kGrowOut * kGrowIn ? tile : 9 * kGrowOut * kGrowIn);
  }
};

/// Of tile `tile`: pixels of 4 channels each, zeros around the image.
template <int half>
__device__ inline void stage_grown(const float* x, const ConvShape& shape, int64_t tile, int c0,
                                   int lanes, float* to) {
  constexpr int kSide = 2 * half, kRows = 2 * kGrowRows + 2;
  const int fours = lanes / 4, pitch = GrowTile<half>::pitch(lanes);
  for (int i = static_cast<int>(threadIdx.x); i < kRows * kSide * fours; i += kFmaThreads) {
    const int c = i % fours * 4, pixel = i / fours;
    const int row = pixel / kSide, column = pixel % kSide;
    const int64_t from = tile * 2 * kGrowRows - 1 + row;
    const auto of_image = static_cast<int>(tile * 2 * kGrowRows % kSide) - 1 + row;
    const bool inside = of_image >= 0 && of_image < kSide && c0 + c < shape.in;
    device::cp_async_16(
        device::shared_address(to + (row * GrowTile<half>::kWidth + column + 1) * pitch + c),
        inside ? x + (from * kSide + column) * shape.in + c0 + c : x, inside);
  }
}

/// Gradients by each pixel's output: [window][which of four][channel]. Of what came through a pool a thread has
/// always the same four channels, and sums them.
template <int half>
__device__ inline void stage_slopes(const ConvInput<float>& slope, const ConvShape& shape,
                                    int64_t tile, int o0, float* to, float4* sum) {
  constexpr int kFours = kGrowOut / 4;
  for (int i = static_cast<int>(threadIdx.x); i < GrowTile<half>::kWindows * kFours;
       i += kFmaThreads) {
    const int o = i % kFours * 4, window = i / kFours;
    const bool inside = o0 + o < shape.out;
    float* const place = to + window * 4 * kGrowOut + o;
    const int64_t row = tile * kGrowRows + window / half;
    if (slope.places == nullptr) {
      for (int k = 0; k < 4; ++k) {
        const int64_t pixel = (2 * row + k / 2) * 2 * half + window % half * 2 + k % 2;
        device::cp_async_16(device::shared_address(place + k * kGrowOut),
                            inside ? slope.x + pixel * shape.out + o0 + o : slope.x, inside);
      }
      continue;
    }
    const int64_t at = (row * half + window % half) * shape.out + o0 + o;
    const auto g =
        inside ? *reinterpret_cast<const float4*>(slope.x + at) : make_float4(0, 0, 0, 0);
    const auto which =
        inside ? *reinterpret_cast<const uchar4*>(slope.places + at) : make_uchar4(0, 0, 0, 0);
    sum->x += which.x < kNoPlace ? g.x : 0, sum->y += which.y < kNoPlace ? g.y : 0;
    sum->z += which.z < kNoPlace ? g.z : 0, sum->w += which.w < kNoPlace ? g.w : 0;
#pragma unroll
    for (int k = 0; k < 4; ++k)
      *reinterpret_cast<float4*>(place + k * kGrowOut) =
          make_float4(which.x == k ? g.x : 0, which.y == k ? g.y : 0, which.z == k ? g.z : 0,
                      which.w == k ? g.w : 0);
  }
}

/// parts[block x][out][tap][in], and behind a pool after all of them sums[block x][out]; block y has 32 of the
/// channels made and 32 of those read.
template <int half>
__global__ void __launch_bounds__(kFmaThreads, 2)
    fma_grow_kernel(ConvShape shape, const float* x, ConvInput<float> slope, float* parts) {
  using Tile = GrowTile<half>;
  extern __shared__ __align__(16) float memory[];
  const int out_blocks = (shape.out + kGrowOut - 1) / kGrowOut;
  const int o0 = static_cast<int>(blockIdx.y) % out_blocks * kGrowOut;
  const int c0 = static_cast<int>(blockIdx.y) / out_blocks * kGrowIn;
  const int lanes = grow_lanes(min(kGrowIn, shape.in - c0)), pitch = Tile::pitch(lanes);
  float* const slopes = memory + Tile::kPixels * pitch;
  const int tid = static_cast<int>(threadIdx.x), lane = tid % 32, c = lane % lanes;
  const int eight = tid / 32 % 4 * 8, share = tid / 128 * (32 / lanes) + lane / lanes;
  const int shares = 2 * (32 / lanes);
  for (int i = tid; i < Tile::kPixels * pitch; i += kFmaThreads) memory[i] = 0;
  float acc[8][9] = {};
  float4 bias = {0, 0, 0, 0};
  const int64_t tiles = shape.rows / kGrowRows;
  for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    __syncthreads();
    stage_grown<half>(x, shape, tile, c0, lanes, memory);
    stage_slopes<half>(slope, shape, tile, o0, slopes, &bias);
    device::cp_async_commit();
    device::cp_async_wait<0>();
    __syncthreads();
#pragma unroll 1
    for (int window = share; window < Tile::kWindows; window += shares) {
      const float* from =
          memory + (window / half * 2 * Tile::kWidth + window % half * 2) * pitch + c;
      float pixels[4][4];
#pragma unroll
      for (int i = 0; i < 16; ++i)
        pixels[i / 4][i % 4] = from[(i / 4 * Tile::kWidth + i % 4) * pitch];
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const float* g = slopes + (window * 4 + k) * kGrowOut + eight;
        const float4 low = *reinterpret_cast<const float4*>(g);
        const float4 high = *reinterpret_cast<const float4*>(g + 4);
        const float eight_g[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
        for (int o = 0; o < 8; ++o)
#pragma unroll
          for (int t = 0; t < 9; ++t) acc[o][t] = fmaf(eight_g[o], pixels[k / 2 + t / 3][k % 2 + t % 3], acc[o][t]);
      }
    }
  }
#pragma unroll
  for (int o = 0; o < 8; ++o)
#pragma unroll
    for (int t = 0; t < 9; ++t)
      for (int step = lanes; step < 32; step *= 2) acc[o][t] += __shfl_xor_sync(0xffffffffu, acc[o][t], step);
  __syncthreads();
  float* const other = memory + eight * 9 * kGrowIn + c;
  if (tid >= 128 && lane < lanes)
    for (int i = 0; i < 72; ++i) other[i * kGrowIn] = acc[i / 9][i % 9];
  __syncthreads();
  if (tid < 128 && lane < lanes && c0 + c < shape.in) {
#pragma unroll
    for (int i = 0; i < 72; ++i) {
      const int64_t o = o0 + eight + i / 9;
      if (o < shape.out)
        parts[((int64_t{blockIdx.x} * shape.out + o) * 9 + i % 9) * shape.in + c0 + c] =
            acc[i / 9][i % 9] + other[i * kGrowIn];
    }
  }
  if (c0 > 0 || slope.places == nullptr) return;
  __syncthreads();
  reinterpret_cast<float4*>(memory)[tid] = bias;
  __syncthreads();
  if (tid >= kGrowOut || o0 + tid >= shape.out) return;
  float sum = 0;
  for (int i = tid; i < 4 * kFmaThreads; i += kGrowOut) sum += memory[i];
  parts[int64_t{gridDim.x} * shape.out * 9 * shape.in + int64_t{blockIdx.x} * shape.out + o0 +
        tid] = sum;
}

}  // namespace ridge::mixed
