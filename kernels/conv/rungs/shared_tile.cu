// ridge: arch=75
//
// Idea      A block makes 16 x 16 pixels of 16 filters. What they see of a few channels, border included, it fetches
//           once into shared memory, with the weights beside it.
// Changed   A thread keeps 16 sums: each x that it reads meets 16 weights, and each element of x leaves the cache once
//           for 16 filters and all taps, not once for each.
// Limits    Instructions beside the multiply-adds, which fill most issue slots: reads of shared memory (one of x
//           and four of 16 bytes of weights for 16 multiply-adds), copies and their addresses.
// Look at   Small images: of a tile of 16 x 16 over 7 x 7 pixels four fifths are outside.
// Source    The shared-memory tile of any CUDA course, with a halo.
#include <cstdio>

#include "common/harness/kernel/cuda_check.h"
#include "kernels/conv/rungs/cuda_conv.h"

namespace ridge::device {

constexpr int kSide = 16, kFilters = 16, kMaxChannels = 8;
constexpr int kSharedFloats = 12 * 1024;  // 48 KB

/// Rows and columns of x that a tile sees; the floats of one channel: those and its weights.
struct SharedTile {
  int rows, columns, taps, channels;
  __host__ __device__ int of_channel() const { return rows * columns + taps * kFilters; }
};

template <typename T>
__global__ void __launch_bounds__(kSide* kSide)
    conv_shared_tile_kernel(Conv v, SharedTile tile, const T* __restrict__ x,
                            const T* __restrict__ f, const T* __restrict__ bias,
                            T* __restrict__ y) {
  extern __shared__ __align__(16) float shared[];
  const int thread = static_cast<int>(threadIdx.x), threads = kSide * kSide;
  const int tiles_q = static_cast<int>((v.q + kSide - 1) / kSide);
  const int tiles_p = static_cast<int>((v.p + kSide - 1) / kSide);
  const int block = static_cast<int>(blockIdx.x), group = static_cast<int>(blockIdx.z);
  const int q0 = block % tiles_q * kSide, p0 = block / tiles_q % tiles_p * kSide;
  const int n = block / tiles_q / tiles_p;
  const int m0 = static_cast<int>(blockIdx.y) * kFilters;  // in the group
  const int h0 = p0 * static_cast<int>(v.stride) - static_cast<int>(v.pad);
  const int w0 = q0 * static_cast<int>(v.stride) - static_cast<int>(v.pad);
  const int area = tile.rows * tile.columns, r_all = static_cast<int>(v.r);
  const int s_all = static_cast<int>(v.s), stride = static_cast<int>(v.stride);
  float* weights = shared;  // [channel][tap][filter]
  float* seen = shared + tile.channels * tile.taps * kFilters;
  const int corner =
      thread / kSide * stride * tile.columns + thread % kSide * stride;  // of this thread's pixel

  float acc[kFilters] = {};
  for (int c0 = 0; c0 < v.group_c; c0 += tile.channels) {
    const int channels = min(tile.channels, static_cast<int>(v.group_c) - c0);
    for (int i = thread; i < channels * area; i += threads) {
      // In nchw neighbouring threads fetch neighbours of a row, else of a pixel's channels.
      const bool planes = v.layout == kConvNchw;
      const int c = planes ? i / area : i % channels, at = planes ? i % area : i / channels;
      const int h = h0 + at / tile.columns, w = w0 + at % tile.columns;
      const int64_t channel = group * v.group_c + c0 + c;
      const bool inside = h >= 0 && h < v.h && w >= 0 && w < v.w;
      seen[c * area + at] =
          inside ? float(x[n * v.x_at.image + (channel >> v.x_at.shift) * v.x_at.outer +
                              (channel & v.x_at.mask) + h * v.x_at.row + w * v.x_at.pixel])
                 : 0.0f;
    }
    for (int i = thread; i < channels * tile.taps * kFilters; i += threads) {
      const int of_filter = i % (channels * tile.taps), m = i / (channels * tile.taps);
      const int64_t filter = group * v.group_m + m0 + m;
      weights[of_filter * kFilters + m] =
          m0 + m < v.group_m ? float(f[(filter * v.group_c + c0) * tile.taps + of_filter])
                             : 0.0f;
    }
    __syncthreads();
    const auto* w = reinterpret_cast<const float4*>(weights);
    for (int c = 0; c < channels; ++c) {
      for (int r = 0; r < r_all; ++r) {
        const float* row = seen + c * area + corner + r * tile.columns;
        for (int s = 0; s < s_all; ++s, w += kFilters / 4) {
          const float value = row[s];
#pragma unroll
          for (int j = 0; j < kFilters / 4; ++j) {
            const float4 four = w[j];
            acc[4 * j] += value * four.x;
            acc[4 * j + 1] += value * four.y;
            acc[4 * j + 2] += value * four.z;
            acc[4 * j + 3] += value * four.w;
          }
        }
      }
    }
    __syncthreads();
  }
  const int p = p0 + thread / kSide, q = q0 + thread % kSide;
  if (p >= v.p || q >= v.q) return;
  T* to = y + n * v.y_at.image + p * v.y_at.row + q * v.y_at.pixel;
#pragma unroll
  for (int j = 0; j < kFilters; ++j) {
    if (m0 + j >= v.group_m) return;
    const int64_t m = group * v.group_m + m0 + j;
    const float done = v.relu ? relu(acc[j] + float(bias[m])) : acc[j];
    to[(m >> v.y_at.shift) * v.y_at.outer + (m & v.y_at.mask)] = T(done);
  }
}

}  // namespace ridge::device

namespace ridge {
namespace {

using namespace device;

/// As many channels at a time as there is room for; 0: not one.
SharedTile tile_of(const Conv& v) {
  const int64_t rows = (kSide - 1) * v.stride + v.r, columns = (kSide - 1) * v.stride + v.s;
  const int64_t one = rows * columns + v.r * v.s * kFilters;
  const int64_t room = kSharedFloats / one, most = room < kMaxChannels ? room : kMaxChannels;
  return {static_cast<int>(rows), static_cast<int>(columns), static_cast<int>(v.r * v.s),
          static_cast<int>(most < v.group_c ? most : v.group_c)};
}

Status prepare(const Shape& shape, Plan* plan) {
  const SharedTile tile = tile_of(conv_shape(&shape));
  if (tile.channels > 0) {
    std::snprintf(plan->note, sizeof plan->note, "%d channels at a time", tile.channels);
  } else {
    std::snprintf(plan->note, sizeof plan->note,
                  "one thread an output: 16 x 16 pixels' input does not fit into 48 KB");
  }
  return {};
}

Status launch(const Launch& launch) {
  const Conv v = conv_of(&launch);
  const SharedTile tile = tile_of(v);
  const int64_t blocks_m = (v.group_m + kFilters - 1) / kFilters;
  if (tile.channels == 0 || v.groups > 65535 || blocks_m > 65535) return conv_direct_cuda(launch);
  const auto stream = static_cast<cudaStream_t>(v.stream);
  if (const Status cleared = conv_clear_padding(launch); !cleared.ok()) return cleared;
  const int64_t tiles = (v.p + kSide - 1) / kSide * ((v.q + kSide - 1) / kSide) * v.n;
  const dim3 blocks(static_cast<unsigned>(tiles), static_cast<unsigned>(blocks_m),
                    static_cast<unsigned>(v.groups));
  const size_t bytes = static_cast<size_t>(tile.channels * tile.of_channel()) * sizeof(float);
  return with_element<float, Bfloat, Half>(launch.shape.dtype, [&](auto element) {
    using T = decltype(element);
    conv_shared_tile_kernel<T><<<blocks, kSide * kSide, bytes, stream>>>(
        v, tile, static_cast<const T*>(launch.buffers[kConvX]),
        static_cast<const T*>(launch.buffers[kConvF]),
        static_cast<const T*>(launch.buffers[kConvBias]), static_cast<T*>(launch.buffers[kConvY]));
    return RIDGE_CUDA_LAUNCHED(conv_shared_tile_kernel);
  });
}

}  // namespace
}  // namespace ridge

RIDGE_KERNEL(conv, cuda, shared_tile, .dtypes = "fp32 bf16 fp16", .prepare = ridge::prepare,
             .launch = ridge::launch);
