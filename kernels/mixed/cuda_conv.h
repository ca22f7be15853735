// What the convolutions of this family share on a GPU: 3 x 3 over images of 28 or 14 rows, height x width x
// channels, forward with bias, ReLU and 2 x 2 pool in the same kernel, and back through them.
//
// A thread's (or a lane's) unit is a window: four pixels that a pool makes one. What a pool leaves is its output
// and a byte for each: which of the four it was. So the convolution's own output, four times as large, is in no
// memory, and the gradient by it neither: it is formed again where it is read, three zeros and one number.
//
// Rows of windows are counted through all images: `rows` = images x side / 2. Included by cuda_trainer.h alone.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "kernels/runtime/cuda/cp_async.h"
#include "kernels/mixed/cuda_kernels.h"

namespace ridge::mixed {

/// Of a product: `in` channels are read, `out` are made; backward they change places.
struct ConvShape {
  int in, out;
  int64_t rows;
};

/// What is read: pixels, or what lies behind a pool, with a place for each number.
template <class T>
struct ConvInput {
  const T* x;
  const uint8_t* places;  ///< null: pixels
};

/// What is written: pixels, or what a pool leaves.
template <class T>
struct ConvOutput {
  T* y;
  uint8_t* places;    ///< null: pixels
  const float* bias;  ///< null: none
  bool relu;          ///< of pixels
};

/// No gradient goes through: the pool's output is 0.
constexpr uint8_t kNoPlace = 4;

template <class T, int count>
struct alignas(sizeof(T) * count) Run {
  T v[count];
};

/// A NaN if either is.
__device__ inline float max_of(float a, float b) {
  float most;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(most) : "f"(a), "f"(b));
  return most;
}

/// One window's four sums for `count` channels from o on, which begin at a multiple of it.
template <class T, int count>
__device__ inline void write_window(const float (&acc)[4][count], const ConvOutput<T>& to, int half, int64_t row,
                                    int column, int o, int channels) {
  float bias[count];
#pragma unroll
  for (int i = 0; i < count; ++i) bias[i] = to.bias != nullptr ? to.bias[o + i] : 0;
  if (to.places != nullptr) {
    Run<T, count> y;
    Run<uint8_t, count> place;
#pragma unroll
    for (int i = 0; i < count; ++i) {
      // Of equals the first; a NaN stays one.
      const int upper = acc[1][i] > acc[0][i], lower = acc[3][i] > acc[2][i];
      const float above = max_of(acc[0][i], acc[1][i]), below = max_of(acc[2][i], acc[3][i]);
      const int best = below > above ? 2 + lower : upper;
      y.v[i] = narrow<T>(max_of(max_of(above, below) + bias[i], 0.0f));
      place.v[i] = static_cast<float>(y.v[i]) > 0 ? static_cast<uint8_t>(best) : kNoPlace;
    }
    const int64_t at = (row * half + column) * channels + o;
    *reinterpret_cast<Run<T, count>*>(to.y + at) = y;
    *reinterpret_cast<Run<uint8_t, count>*>(to.places + at) = place;
    return;
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    Run<T, count> y;
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const float value = acc[k][i] + bias[i];
      y.v[i] = narrow<T>(to.relu && value < 0 ? 0.0f : value);
    }
    const int64_t pixel = (2 * row + k / 2) * 2 * half + 2 * column + k % 2;
    *reinterpret_cast<Run<T, count>*>(to.y + pixel * channels + o) = y;
  }
}

/// Weights as a product wants them: n is what it makes, k what it reads; backward they are mirrored. k_major:
/// [k][tap][n], else [n][tap][k].
template <class T, class To>
__global__ void arrange_kernel(const float* w, int in, int out, bool backward, bool k_major,
                               To* to) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= 9 * out * in) return;
  const int n_count = backward ? in : out, k_count = backward ? out : in;
  const int tap = (k_major ? i / n_count : i / k_count) % 9;
  const int n = k_major ? i % n_count : i / k_count / 9;
  const int k = k_major ? i / n_count / 9 : i % k_count;
  const int o = backward ? k : n, c = backward ? n : k;
  to[i] = static_cast<To>(
      static_cast<float>(narrow<T>(w[(int64_t{o} * 9 + (backward ? 8 - tap : tap)) * in + c])));
}

/// The sum of `pieces` runs of `count` numbers is added to the gradient; 32 columns a block.
template <class T>
__global__ void add_pieces_kernel(const float* parts, int pieces, int64_t count, bool rounds,
                                  float* gradient) {
  __shared__ float acc[8][33];
  const int64_t i = int64_t{blockIdx.x} * 32 + threadIdx.x;
  float sum = 0;
  if (i < count) {
#pragma unroll 4
    for (int p = static_cast<int>(threadIdx.y); p < pieces; p += 8) sum += parts[p * count + i];
  }
  acc[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || i >= count) return;
  for (int p = 1; p < 8; ++p) sum += acc[p][threadIdx.x];
  sum += gradient[i];
  gradient[i] = rounds ? static_cast<float>(narrow<T>(sum)) : sum;
}

}  // namespace ridge::mixed
