// The gradient of a convolution's weights on the tensor cores, fp16 and bf16: (gradient)^T x pixels, a tap is another
// address of the pixels. A warp has 32 channels made by 16 read and all nine taps, 144 sums in registers, through
// all images of its block; the warps of a block share them out, 16 windows at a time, and add up at the end. Sums of
// the gradients themselves, the bias's, come of a product with ones.
#pragma once

#include "kernels/mixed/cuda_conv_mma.h"

namespace ridge::mixed {

constexpr int kMmaGrowThreads = 128, kMmaGrowWarps = kMmaGrowThreads / 32;
constexpr int kMmaGrowOut = 32;
/// Gradients: a plane of four runs of windows for 16 bytes of channels; 2 more, so that planes differ in banks.
constexpr int kSlopePlane = 4 * kMmaWindows + 2;

template <class T, int half>
size_t mma_grow_bytes(int in) {
  const size_t staged =
      16 * size_t(1 + staged_runs<T>(in) * MmaTile<half>::kPlane + 4 * kSlopePlane);
  const size_t acc = size_t{4} * kMmaGrowWarps * 9 * 32 * 16;
  return staged > acc ? staged : acc;
}

/// Of one tile: [run of channels][which of four][window], zeros for windows that are not there.
template <class T, int half>
__device__ inline void stage_mma_slopes(const ConvInput<T>& slope, const ConvShape& shape,
                                        int64_t first, int o0, uint32_t to) {
  constexpr int kItems = Pack<T>::kItems, kRuns = kMmaGrowOut / kItems;
#pragma unroll 2
  for (int i = static_cast<int>(threadIdx.x); i < kMmaWindows * kRuns; i += kMmaGrowThreads) {
    const int run = i % kRuns, window = i / kRuns, o = o0 + run * kItems;
    const int64_t row = first + window / half;
    const bool inside = window < MmaTile<half>::kRows * half && row < shape.rows && o < shape.out;
    const uint32_t place = to + 16u * uint32_t(run * kSlopePlane + window);
    if (slope.places != nullptr) {
      unpool_16(slope, (row * half + window % half) * shape.out + o, inside,
                [&](int k, const uint32_t(&some)[4]) {
                  store_16(place + 16u * uint32_t(k * kMmaWindows), some);
                });
      continue;
    }
    for (int k = 0; k < 4; ++k) {
      const int64_t pixel = (2 * row + k / 2) * 2 * half + window % half * 2 + k % 2;
      device::cp_async_16(place + 16u * uint32_t(k * kMmaWindows),
                          inside ? slope.x + pixel * shape.out + o : slope.x, inside);
    }
  }
}

/// The warps' sums become the block's; `shared` has room for them all. Warps by `halves` have the same channels.
__device__ inline void leave_mma_acc(const float (&acc)[9][2][2][4], const float (&bias)[2][4], const ConvShape& shape,
                                     int o0, int c0, int halves, float* shared, float* parts) {
  const int tid = static_cast<int>(threadIdx.x), lane = tid % 32, warp = tid / 32;
  const int mine = warp % halves, share = warp / halves, shares = kMmaGrowWarps / halves;
  // The warps' sums side by side: [warp][channel made][tap][channel read].
  __syncthreads();
  const int64_t columns = 9 * int64_t{shape.in};
#pragma unroll
  for (int t = 0; t < 9; ++t)
#pragma unroll
    for (int m = 0; m < 2; ++m)
#pragma unroll
      for (int n = 0; n < 2; ++n)
#pragma unroll
        for (int i = 0; i < 4; ++i)
          shared[((warp * 32 + m * 16 + i / 2 * 8 + lane / 4) * 9 + t) * 16 + n * 8 + lane % 4 * 2 + i % 2] =
              acc[t][m][n][i];
  __syncthreads();
  for (int i = tid; i < 32 * 9 * 16 * halves; i += kMmaGrowThreads) {
    const int half_of = i / (32 * 9 * 16), at = i % (32 * 9 * 16);
    float sum = 0;
    for (int w = half_of; w < kMmaGrowWarps; w += halves) sum += shared[w * 32 * 9 * 16 + at];
    const int o = o0 + at / 16 / 9, t = at / 16 % 9, c = c0 + half_of * 16 + at % 16;
    if (o < shape.out && c < shape.in)
      parts[(int64_t{blockIdx.x} * shape.out + o) * columns + t * shape.in + c] = sum;
  }
  if (c0 > 0) return;
  __syncthreads();
#pragma unroll
  for (int m = 0; m < 2; ++m)
    if (lane % 4 == 0 && mine == 0) {
      shared[share * 32 + m * 16 + lane / 4] = bias[m][0];
      shared[share * 32 + m * 16 + 8 + lane / 4] = bias[m][2];
    }
  __syncthreads();
  if (tid >= 32 || o0 + tid >= shape.out) return;
  float sum = 0;
  for (int s = 0; s < shares; ++s) sum += shared[s * 32 + tid];
  parts[int64_t{gridDim.x} * shape.out * columns + int64_t{blockIdx.x} * shape.out + o0 + tid] =
      sum;
}

/// parts[block x][out][tap][in], and behind all of them sums[block x][out]. Block y has 32 channels made and up to 32
/// read.
template <class T, int half>
__global__ void __launch_bounds__(kMmaGrowThreads, 2)
    mma_grow_kernel(ConvShape shape, const T* x, ConvInput<T> slope, float* parts) {
  using Tile = MmaTile<half>;
  extern __shared__ __align__(16) uint4 zero_and_more[];
  const int out_blocks = (shape.out + kMmaGrowOut - 1) / kMmaGrowOut;
  const int o0 = static_cast<int>(blockIdx.y) % out_blocks * kMmaGrowOut;
  const int c0 = static_cast<int>(blockIdx.y) / out_blocks * kMmaDeep * Pack<T>::kItems;
  const int runs = staged_runs<T>(shape.in), halves = runs / 2;
  const uint32_t zero = device::shared_address(zero_and_more), pixels = zero + 16;
  const uint32_t slopes = pixels + 16u * uint32_t(runs * Tile::kPlane);
  const int tid = static_cast<int>(threadIdx.x), lane = tid % 32, warp = tid / 32;
  const int mine = warp % halves, share = warp / halves, shares = kMmaGrowWarps / halves;
  for (int i = tid; i < 1 + runs * Tile::kPlane; i += kMmaGrowThreads) zero_and_more[i] = uint4{};
  const uint32_t ones = sizeof(T) == 2 && std::is_same_v<T, __half> ? 0x3c003c00u : 0x3f803f80u;
  // Matrices of A: channels by 8, then windows by 8; of B: windows, then channels.
  const uint32_t slope_row =
      slopes + 16u * uint32_t(lane / 8 % 2 * kSlopePlane + lane / 16 * 8 + lane % 8);
  float acc[9][2][2][4] = {}, bias[2][4] = {};
  const int64_t tiles = (shape.rows + Tile::kRows - 1) / Tile::kRows;
  for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const int64_t first = tile * Tile::kRows;
    __syncthreads();
    stage_mma<T, half>({x, nullptr}, shape.in, shape.rows, first, c0, runs, pixels);
    stage_mma_slopes<T, half>(slope, shape, first, o0, slopes);
    device::cp_async_commit();
    device::cp_async_wait<0>();
    __syncthreads();
#pragma unroll 1
    for (int some = share; some < kMmaWindows / 16; some += shares) {
      int window = some * 16 + lane / 8 % 2 * 8 + lane % 8;
      if (window >= Tile::kRows * half) window = 0;
      const int row = window / half;
      const auto of_image = static_cast<int>((first + row) % half);
      const bool is_top = of_image == 0, is_bottom = of_image == half - 1;
      const uint32_t base = pixels + 16u * uint32_t(row * Tile::kPair + window % half +
                                                    (2 * mine + lane / 16) * Tile::kPlane);
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        uint32_t a[2][4];
#pragma unroll
        for (int m = 0; m < 2; ++m) {
          device::load_matrices_transposed(
              a[m], slope_row + 16u * uint32_t(2 * m * kSlopePlane + k * kMmaWindows + some * 16));
          multiply_32_bytes(T{}, bias[m], a[m], ones, ones);
        }
#pragma unroll
        for (int t = 0; t < 9; ++t) {
          const int i = k / 2 + t / 3;
          const bool outside = (i == 0 && is_top) || (i == 3 && is_bottom);
          uint32_t b[4];
          device::load_matrices_transposed(
              b, outside ? zero : base + 16u * uint32_t(Tile::at(i, k % 2 + t % 3)));
#pragma unroll
          for (int m = 0; m < 2; ++m)
#pragma unroll
            for (int n = 0; n < 2; ++n) multiply_32_bytes(T{}, acc[t][m][n], a[m], b[2 * n], b[2 * n + 1]);
        }
      }
    }
  }
  leave_mma_acc(acc, bias, shape, o0, c0, halves, reinterpret_cast<float*>(zero_and_more), parts);
}

}  // namespace ridge::mixed
