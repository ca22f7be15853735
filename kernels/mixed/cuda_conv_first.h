// The first layer's convolution, which reads one channel, in every type: nine multiply-adds a number that is made are
// few, and memory is the limit. Its gradient adds for each number that came through the pool the nine pixels around
// its place, and nothing for the three zeros.
#pragma once

#include "kernels/mixed/cuda_conv_grow.h"

namespace ridge::mixed {

/// Channels whose weights a block has at a time.
constexpr int kFirstOut = 64;

/// A thread a window, four channels at a time; `weights` are [tap][out].
template <class T, int half>
__global__ void __launch_bounds__(kFmaThreads)
    first_conv_kernel(ConvShape shape, const T* x, const float* weights, ConvOutput<T> out) {
  constexpr int kSide = 2 * half;
  __shared__ __align__(16) float staged[9][kFirstOut];
  const int o0 = static_cast<int>(blockIdx.y) * kFirstOut, wide = min(kFirstOut, shape.out - o0);
  for (int i = static_cast<int>(threadIdx.x); i < 9 * wide; i += kFmaThreads)
    staged[i / wide][i % wide] = weights[i / wide * shape.out + o0 + i % wide];
  __syncthreads();
  const int64_t window = int64_t{blockIdx.x} * kFmaThreads + threadIdx.x;
  const int64_t row = window / half;
  const int column = static_cast<int>(window % half), of_image = static_cast<int>(row % half);
  if (row >= shape.rows) return;
  float pixels[4][4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const bool inside = (i > 0 || of_image > 0) && (i < 3 || of_image < half - 1);
    const T* from = x + (2 * row - 1 + i) * kSide + 2 * column - 1;
    pixels[i][0] = inside && column > 0 ? static_cast<float>(from[0]) : 0.0f;
    pixels[i][1] = inside ? static_cast<float>(from[1]) : 0.0f;
    pixels[i][2] = inside ? static_cast<float>(from[2]) : 0.0f;
    pixels[i][3] = inside && column < half - 1 ? static_cast<float>(from[3]) : 0.0f;
  }
#pragma unroll 1
  for (int o = 0; o < wide; o += 4) {
    float acc[4][4] = {};
#pragma unroll
    for (int t = 0; t < 9; ++t) {
      const float4 w = *reinterpret_cast<const float4*>(&staged[t][o]);
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const float pixel = pixels[k / 2 + t / 3][k % 2 + t % 3];
        acc[k][0] = fmaf(pixel, w.x, acc[k][0]), acc[k][1] = fmaf(pixel, w.y, acc[k][1]);
        acc[k][2] = fmaf(pixel, w.z, acc[k][2]), acc[k][3] = fmaf(pixel, w.w, acc[k][3]);
      }
    }
    write_window<T, 4>(acc, out, half, row, column, o0 + o, shape.out);
  }
}

/// A warp has tiles of its own. parts[block x][out][tap], and behind all of them sums[block x][out]; block y has 32
/// channels.
template <class T, int half>
__global__ void __launch_bounds__(kFmaThreads)
    first_grow_kernel(ConvShape shape, const T* x, ConvInput<T> slope, float* parts) {
  using Tile = GrowTile<half>;
  constexpr int kSide = 2 * half, kWarps = kFmaThreads / 32;
  __shared__ float staged[kWarps][Tile::kPixels], sums_of[kWarps][10][32];
  const int o0 = static_cast<int>(blockIdx.y) * 32, lanes = grow_lanes(min(32, shape.out - o0));
  const int tid = static_cast<int>(threadIdx.x), lane = tid % 32, warp = tid / 32;
  const int o = min(o0 + lane % lanes, shape.out - 1), subs = 32 / lanes;
  float* const pixels = staged[warp];
  float acc[10] = {};
  const int64_t tiles = shape.rows / kGrowRows;
  for (int64_t tile = int64_t{blockIdx.x} * kWarps + warp; tile < tiles;
       tile += int64_t{gridDim.x} * kWarps) {
    __syncwarp();
#pragma unroll 4
    for (int i = lane; i < Tile::kPixels; i += 32) {
      const int row = i / Tile::kWidth, column = i % Tile::kWidth - 1;
      const auto of_image = static_cast<int>(tile * 2 * kGrowRows % kSide) - 1 + row;
      const int64_t from = tile * 2 * kGrowRows - 1 + row;
      const bool inside = of_image >= 0 && of_image < kSide && column >= 0 && column < kSide;
      pixels[i] = inside ? static_cast<float>(x[from * kSide + column]) : 0.0f;
    }
    __syncwarp();
    const int64_t of_tile = tile * Tile::kWindows * shape.out + o;
    if (slope.places != nullptr) {
#pragma unroll 7
      for (int window = lane / lanes; window < Tile::kWindows; window += subs) {
        const int64_t at = of_tile + window * shape.out;
        const int place = slope.places[at];
        const float g = place == kNoPlace ? 0.0f : static_cast<float>(slope.x[at]);
        const float* base = pixels + (window / half * 2 + (place >> 1 & 1)) * Tile::kWidth +
                            window % half * 2 + (place & 1);
#pragma unroll
        for (int t = 0; t < 9; ++t) acc[t] = fmaf(g, base[t / 3 * Tile::kWidth + t % 3], acc[t]);
        acc[9] += g;
      }
      continue;
    }
#pragma unroll 4
    for (int pixel = lane / lanes; pixel < 4 * Tile::kWindows; pixel += subs) {
      const auto g = static_cast<float>(slope.x[4 * (of_tile - o) + pixel * shape.out + o]);
      const float* base = pixels + pixel / kSide * Tile::kWidth + pixel % kSide;
#pragma unroll
      for (int t = 0; t < 9; ++t) acc[t] = fmaf(g, base[t / 3 * Tile::kWidth + t % 3], acc[t]);
      acc[9] += g;
    }
  }
#pragma unroll
  for (int t = 0; t < 10; ++t) {
    for (int step = lanes; step < 32; step *= 2) acc[t] += __shfl_xor_sync(0xffffffffu, acc[t], step);
    sums_of[warp][t][lane] = acc[t];
  }
  __syncthreads();
  for (int i = tid; i < 10 * lanes; i += kFmaThreads) {
    const int t = i / lanes, l = i % lanes;
    if (o0 + l >= shape.out) continue;
    float sum = 0;
    for (int w = 0; w < kWarps; ++w) sum += sums_of[w][t][l];
    const int64_t made = int64_t{blockIdx.x} * shape.out + o0 + l;
    parts[t < 9 ? made * 9 + t : int64_t{gridDim.x} * shape.out * 9 + made] = sum;
  }
}

}  // namespace ridge::mixed
