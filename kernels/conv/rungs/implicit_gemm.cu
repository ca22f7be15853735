// ridge: arch=75
//
// Idea      The matrix of im2col is never written. A block makes the piece that it needs, 128 pixels times 8 of
//           (c, r, s), in shared memory, straight from x: its rows are pixels, its columns are looked up.
// Changed   The GEMM lab's 2-D register tile, 8 x 4 sums a thread, with another way of fetching one operand.
// Limits    Instructions: divisions and tests find each element of x, and most issue slots go to them.
// Look at   Memory: as little as direct. Speed: against im2col with 64 filters, and with 128.
// Source    S. Chetlur et al., cuDNN: Efficient Primitives for Deep Learning, arXiv:1410.0759, section 3.
#include "common/harness/kernel/cuda_check.h"
#include "kernels/conv/rungs/cuda_conv.h"

namespace ridge::device {

constexpr int kTileP = 128, kTileM = 64, kTileK = 8;  // pixels, filters, products
constexpr int kThreadP = 8, kThreadM = 4;
constexpr int kDown = kTileP / kThreadP, kAcross = kTileM / kThreadM;  // threads: 16 x 16
constexpr int kThreads = kDown * kAcross;

/// Where a pixel of y stands in x: of its upper left tap.
struct Corner {
  int64_t image, h, w;
};

/// Taps vary fastest in nchw, where neighbours of a row are; channels in the other layouts.
struct Column {
  int c, r, s;
};

__device__ inline Column column_of(const Conv& v, int k) {
  const int taps = static_cast<int>(v.r * v.s), channels = static_cast<int>(v.group_c);
  const bool taps_first = v.layout == kConvNchw;
  const int tap = taps_first ? k % taps : k / channels;
  const int c = taps_first ? k / taps : k % channels;
  return {c, tap / static_cast<int>(v.s), tap % static_cast<int>(v.s)};
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    conv_implicit_gemm_kernel(Conv v, const T* __restrict__ x, const T* __restrict__ f,
                              const T* __restrict__ bias, T* __restrict__ y, int tiles_m) {
  __shared__ float tile_x[kTileK][kTileP], tile_f[kTileK][kTileM + 1];
  __shared__ Corner corners[kTileP];
  const int thread = static_cast<int>(threadIdx.x), group = static_cast<int>(blockIdx.y);
  const int64_t pixels = v.n * v.p * v.q, first_pixel = int64_t{blockIdx.x / tiles_m} * kTileP;
  const int first_m = static_cast<int>(blockIdx.x) % tiles_m * kTileM;  // within the group
  for (int i = thread; i < kTileP; i += kThreads) {
    const int64_t at = first_pixel + i;
    corners[i] = {at < pixels ? at / v.q / v.p * v.x_at.image : -1,
                  at / v.q % v.p * v.stride - v.pad, at % v.q * v.stride - v.pad};
  }
  __syncthreads();
  const int terms = static_cast<int>(v.group_c * v.r * v.s);
  const int row = thread / kAcross, across = thread % kAcross;
  float acc[kThreadP][kThreadM] = {};
  for (int k0 = 0; k0 < terms; k0 += kTileK) {
    for (int i = thread; i < kTileK * kTileP; i += kThreads) {
      // In nchw a warp takes neighbouring pixels, else neighbouring channels.
      const int k = v.layout == kConvNchw ? i / kTileP : i % kTileK;
      const int pixel = v.layout == kConvNchw ? i % kTileP : i / kTileK;
      float value = 0;
      if (k0 + k < terms && corners[pixel].image >= 0) {
        const Column at = column_of(v, k0 + k);
        const int64_t h = corners[pixel].h + at.r, w = corners[pixel].w + at.s;
        const int64_t c = group * v.group_c + at.c;
        if (h >= 0 && h < v.h && w >= 0 && w < v.w) {
          value = float(x[corners[pixel].image + (c >> v.x_at.shift) * v.x_at.outer +
                             (c & v.x_at.mask) + h * v.x_at.row + w * v.x_at.pixel]);
        }
      }
      tile_x[k][pixel] = value;
    }
    for (int i = thread; i < kTileK * kTileM; i += kThreads) {
      const int k = i % kTileK, m = i / kTileK;
      float value = 0;
      if (k0 + k < terms && first_m + m < v.group_m) {
        const Column at = column_of(v, k0 + k);
        value = float(f[((group * v.group_m + first_m + m) * v.group_c + at.c) * v.r * v.s +
                           at.r * v.s + at.s]);
      }
      tile_f[k][m] = value;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTileK; ++k) {
      float a[kThreadP], b[kThreadM];
#pragma unroll
      for (int i = 0; i < kThreadP; ++i) a[i] = tile_x[k][row + i * kDown];
#pragma unroll
      for (int j = 0; j < kThreadM; ++j) b[j] = tile_f[k][across + j * kAcross];
#pragma unroll
      for (int i = 0; i < kThreadP; ++i) {
#pragma unroll
        for (int j = 0; j < kThreadM; ++j) acc[i][j] += a[i] * b[j];
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kThreadP; ++i) {
    const int64_t at = first_pixel + row + i * kDown;
    if (at >= pixels) continue;
    const int64_t q = at % v.q, p = at / v.q % v.p, n = at / v.q / v.p;
#pragma unroll
    for (int j = 0; j < kThreadM; ++j) {
      const int64_t in_group = first_m + across + j * kAcross, m = group * v.group_m + in_group;
      if (in_group >= v.group_m) continue;
      const float done = v.relu ? relu(acc[i][j] + float(bias[m])) : acc[i][j];
      y[n * v.y_at.image + (m >> v.y_at.shift) * v.y_at.outer + (m & v.y_at.mask) + p * v.y_at.row +
        q * v.y_at.pixel] = T(done);
    }
  }
}

}  // namespace ridge::device

namespace ridge {
namespace {

Status launch_implicit_gemm(const Launch& launch) {
  const Conv v = conv_of(&launch);
  const auto stream = static_cast<cudaStream_t>(v.stream);
  if (const Status cleared = conv_clear_padding(launch); !cleared.ok()) return cleared;
  const int64_t tiles_m = (v.group_m + device::kTileM - 1) / device::kTileM;
  const int64_t tiles_p = (v.n * v.p * v.q + device::kTileP - 1) / device::kTileP;
  const dim3 blocks(static_cast<unsigned>(tiles_m * tiles_p), static_cast<unsigned>(v.groups));
  return with_element<float, Bfloat, Half>(launch.shape.dtype, [&](auto element) {
    using T = decltype(element);
    device::conv_implicit_gemm_kernel<T><<<blocks, device::kThreads, 0, stream>>>(
        v, static_cast<const T*>(launch.buffers[kConvX]),
        static_cast<const T*>(launch.buffers[kConvF]),
        static_cast<const T*>(launch.buffers[kConvBias]), static_cast<T*>(launch.buffers[kConvY]),
        static_cast<int>(tiles_m));
    return RIDGE_CUDA_LAUNCHED(conv_implicit_gemm_kernel);
  });
}

}  // namespace
}  // namespace ridge

RIDGE_KERNEL(conv, cuda, implicit_gemm, .dtypes = "fp32 bf16 fp16",
             .launch = ridge::launch_implicit_gemm);
