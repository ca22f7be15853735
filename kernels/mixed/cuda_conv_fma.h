// Convolutions on the FMA units, fp32.
//
// A thread makes a window of 16 channels, 64 sums: 16 pixels and 9 x 16 weights of each channel that is read
// feed 576 multiply-adds. Weights are the same for a whole warp.
#pragma once

#include "kernels/mixed/cuda_conv.h"

namespace ridge::mixed {

/// Channels read at a time, threads, channels that a thread makes.
constexpr int kFmaDeep = 8, kFmaThreads = 256, kFmaOut = 16;

/// `groups` of warps have 16 channels each; a block has 256 / groups windows.
template <int half>
struct FmaTile {
  /// Two rows on, a half-warp's windows go on in the banks behind.
  static constexpr int kPitch = half == 7 ? 24 : 30;
  static int rows(int groups) { return kFmaThreads / groups / half; }
  __host__ __device__ static int staged(int in) { return in < kFmaDeep ? in : kFmaDeep; }
  /// Of one channel: rows of pixels with one above and one below, and a row of zeros.
  __host__ __device__ static int plane(int rows) {
    return ((2 * rows + 3) * kPitch + 31) / 32 * 32 + 2;
  }
  static size_t bytes(int groups, int in) {
    return size_t(staged(in)) * size_t(plane(rows(groups)) + 9 * kFmaOut * groups) * 4 + 16;
  }
};

/// Rows 2 first - 1 to 2 (first + rows) of channels c0 to c0 + 8, each channel by itself.
template <int half>
__device__ inline void stage_pixels(const float* x, const ConvShape& shape, int64_t first, int rows,
                                    int c0, int plane, float* to) {
  constexpr int kSide = 2 * half, kPitch = FmaTile<half>::kPitch;
  const int deep = min(kFmaDeep, shape.in - c0);
  const int shift = deep > 4 ? 3 : deep > 2 ? 2 : deep - 1;
  const int count = (2 * rows + 2) * kSide << shift;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += kFmaThreads) {
    const int c = i & ((1 << shift) - 1), pixel = i >> shift;
    const int row = pixel / kSide, column = pixel % kSide;
    const int64_t from = 2 * first - 1 + row;
    const bool inside = from >= 0 && from < 2 * shape.rows && c < deep;
    float* place = to + c * plane + row * kPitch + column + 1;
    const float* value = x + (from * kSide + column) * shape.in + c0 + c;
    device::cp_async_4(device::shared_address(place), inside ? value : x, inside);
  }
}

/// The same of what a pool let through.
template <int half>
__device__ inline void stage_unpooled(const ConvInput<float>& in, const ConvShape& shape,
                                      int64_t first, int rows, int c0, int plane, float* to) {
  constexpr int kPitch = FmaTile<half>::kPitch;
  const int count = (rows + 2) * half * kFmaDeep;
#pragma unroll 2
  for (int i = static_cast<int>(threadIdx.x); i < count; i += kFmaThreads) {
    const int c = i % kFmaDeep, window = i / kFmaDeep;
    const int row = window / half, column = window % half;
    const int64_t from = first - 1 + row;
    if (from < 0 || from >= shape.rows || c0 + c >= shape.in) continue;
    const int64_t at = (from * half + column) * shape.in + c0 + c;
    const int place = in.places[at];
    const float value = in.x[at];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int y = 2 * row - 1 + k / 2;
      if (y >= 0 && y < 2 * rows + 2)
        to[c * plane + y * kPitch + 2 * column + k % 2 + 1] = place == k ? value : 0.0f;
    }
  }
}

/// 2 x 2 pixels and 16 channels a thread; `weights` are [in][tap][out].
template <int half>
__global__ void __launch_bounds__(kFmaThreads, 2)
    fma_conv_kernel(ConvShape shape, ConvInput<float> in, const float* weights,
                    ConvOutput<float> out, int groups, int rows) {
  constexpr int kPitch = FmaTile<half>::kPitch;
  extern __shared__ __align__(16) float memory[];
  const int plane = FmaTile<half>::plane(rows);
  const int planes = FmaTile<half>::staged(shape.in) * plane;
  float* const w_staged = memory + (planes + 3) / 4 * 4;
  const int wide = kFmaOut * groups, o0 = static_cast<int>(blockIdx.y) * wide;
  const int tid = static_cast<int>(threadIdx.x), lane = tid % 32;
  const int warps = 8 / groups, group = tid / 32 / warps;
  int window = tid / 32 % warps * 32 + lane;
  const int64_t first = int64_t{blockIdx.x} * rows;
  const bool mine = window < rows * half && first + window / half < shape.rows;
  if (!mine) window = 0;
  const int row = window / half, column = window % half;
  const int of_image = static_cast<int>((first + row) % half);
  const int base = 2 * row * kPitch + 2 * column, zeros = (2 * rows + 2) * kPitch + 2 * column;
  const int line[4] = {of_image == 0 ? zeros : base, base + kPitch, base + 2 * kPitch,
                       of_image == half - 1 ? zeros : base + 3 * kPitch};
  for (int i = tid; i < planes; i += kFmaThreads) memory[i] = 0;
  float acc[4][kFmaOut] = {};
  for (int c0 = 0; c0 < shape.in; c0 += kFmaDeep) {
    const int deep = min(kFmaDeep, shape.in - c0);
    __syncthreads();
    if (in.places == nullptr)
      stage_pixels<half>(in.x, shape, first, rows, c0, plane, memory);
    else
      stage_unpooled<half>(in, shape, first, rows, c0, plane, memory);
    for (int i = tid; i < deep * 9 * wide / 4; i += kFmaThreads) {
      const int k = i / (wide / 4), o = o0 + i % (wide / 4) * 4;
      const bool inside = o < shape.out;
      device::cp_async_16(device::shared_address(w_staged + 4 * i),
                          inside ? weights + (int64_t{c0} * 9 + k) * shape.out + o : weights,
                          inside);
    }
    device::cp_async_commit();
    device::cp_async_wait<0>();
    __syncthreads();
#pragma unroll 1
    for (int c = 0; c < deep; ++c) {
      float x[4][4];
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        const auto* from = reinterpret_cast<const float2*>(memory + c * plane + line[r]);
        const float2 a = from[0], b = from[1];
        x[r][0] = a.x, x[r][1] = a.y, x[r][2] = b.x, x[r][3] = b.y;
      }
      const float* w = w_staged + c * 9 * wide + group * kFmaOut;
#pragma unroll
      for (int t = 0; t < 9; ++t) {
#pragma unroll
        for (int o = 0; o < kFmaOut; o += 4) {
          const float4 four = *reinterpret_cast<const float4*>(w + t * wide + o);
#pragma unroll
          for (int k = 0; k < 4; ++k) {
            const float pixel = x[k / 2 + t / 3][k % 2 + t % 3];
            acc[k][o] = fmaf(pixel, four.x, acc[k][o]);
            acc[k][o + 1] = fmaf(pixel, four.y, acc[k][o + 1]);
            acc[k][o + 2] = fmaf(pixel, four.z, acc[k][o + 2]);
            acc[k][o + 3] = fmaf(pixel, four.w, acc[k][o + 3]);
          }
        }
      }
    }
  }
  if (!mine) return;
#pragma unroll
  for (int o = 0; o < kFmaOut; o += 4) {
    float some[4][4];
#pragma unroll
    for (int k = 0; k < 4; ++k)
#pragma unroll
      for (int i = 0; i < 4; ++i) some[k][i] = acc[k][o + i];
    const int channel = o0 + group * kFmaOut + o;
    if (channel < shape.out)
      write_window<float, 4>(some, out, half, first + row, column, channel, shape.out);
  }
}

}  // namespace ridge::mixed
