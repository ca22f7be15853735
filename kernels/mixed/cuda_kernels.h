// The element-wise work of a training step on a GPU, for fp32, fp16 and bf16 in memory: 16 bytes a thread
// wherever rows allow it. Included by cuda_trainer.cu alone.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/runtime/networks/ops.h"

namespace ridge::mixed {

/// What changes from step to step, and what a step found, in device memory: one graph serves all steps.
struct DeviceState {
  float rate, momentum, scale, inverse_batch;
  int dynamic, good_steps, left_out, overflow, finite;
  float loss;
  int right;
};

template <class T>
struct alignas(16) Pack {
  T v[16 / sizeof(T)];
  static constexpr int kItems = 16 / sizeof(T);
};

template <class T>
__device__ inline T narrow(float x) {
  return static_cast<T>(x);
}

__global__ void load_kernel_labels(const uint8_t* labels, const int32_t* images, int64_t count,
                                   uint8_t* out) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) out[i] = labels[images[i]];
}

/// Four pixels a thread.
template <class T>
__global__ void load_kernel(const uint8_t* pixels, const int32_t* images, int64_t count, T* out) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count * 196) return;
  const auto four =
      reinterpret_cast<const uchar4*>(pixels)[int64_t{images[i / 196]} * 196 + i % 196];
  const uint8_t bytes[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
  for (int j = 0; j < 4; ++j)
    out[4 * i + j] = narrow<T>((static_cast<float>(bytes[j]) - 72.94f) * (1 / 90.03f));
}

/// Weights as they are multiplied.
template <class T>
__global__ void cast_kernel(const float* values, int64_t count, T* out) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) out[i] = narrow<T>(values[i]);
}

/// y = relu(y + bias), in place.
template <class T, bool relu, int items>
__global__ void finish_kernel(T* y, int64_t count, int columns, const float* bias) {
  const int64_t i = (int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * items;
  if (i >= count) return;
  struct alignas(sizeof(T) * items) Some {
    T v[items];
  } some = *reinterpret_cast<const Some*>(y + i);
  const int column = static_cast<int>(i % columns);
#pragma unroll
  for (int j = 0; j < items; ++j) {
    float x = static_cast<float>(some.v[j]) + bias[column + j];
    if (relu && x < 0) x = 0;
    some.v[j] = narrow<T>(x);
  }
  *reinterpret_cast<Some*>(y + i) = some;
}

template <class T>
__global__ void mask_kernel(const Pack<T>* y, int64_t count, Pack<T>* dy) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const Pack<T> out = y[i];
  Pack<T> slope = dy[i];
#pragma unroll
  for (int j = 0; j < Pack<T>::kItems; ++j) {
    if (!(static_cast<float>(out.v[j]) > 0)) slope.v[j] = narrow<T>(0.0f);
  }
  dy[i] = slope;
}

/// A thread a row of ten: scores become the loss's gradient.
template <class T>
__global__ void softmax_kernel(const T* scores, const uint8_t* labels, int64_t rows,
                               const DeviceState* state, T* slope, float* losses) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  float value[10], sum = 0;
  int best = 0;
#pragma unroll
  for (int c = 0; c < 10; ++c) value[c] = static_cast<float>(scores[i * 10 + c]);
#pragma unroll
  for (int c = 1; c < 10; ++c)
    if (value[c] > value[best]) best = c;
  float high = value[0], of_label = 0;
  const int label = labels[i];
#pragma unroll
  for (int c = 1; c < 10; ++c) high = fmaxf(high, value[c]);
#pragma unroll
  for (int c = 0; c < 10; ++c) {
    if (c == label) of_label = value[c] - high;
    sum += value[c] = expf(value[c] - high);
  }
  // The sign bit says that it was right: a loss is never below 0.
  losses[i] = (best == label ? -1.0f : 1.0f) * fmaxf(logf(sum) - of_label, 1e-30f);
  const float scale = state->scale * state->inverse_batch;
#pragma unroll
  for (int c = 0; c < 10; ++c)
    slope[i * 10 + c] = narrow<T>((value[c] / sum - (c == label ? 1.0f : 0.0f)) * scale);
}

/// One block; adds to what earlier parts of the batch came to.
__global__ void sum_losses_kernel(const float* losses, int64_t rows, DeviceState* state) {
  __shared__ float acc[256];
  __shared__ int rights[256];
  float sum = 0;
  int right = 0;
  for (int64_t i = threadIdx.x; i < rows; i += 256) sum += fabsf(losses[i]), right += losses[i] < 0;
  acc[threadIdx.x] = sum, rights[threadIdx.x] = right;
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (threadIdx.x < step) {
      acc[threadIdx.x] += acc[threadIdx.x + step];
      rights[threadIdx.x] += rights[threadIdx.x + step];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) state->loss += acc[0] * state->inverse_batch, state->right += rights[0];
}

/// Column sums of block x's share of the rows.
template <class T>
__global__ void column_sums_kernel(const T* y, int64_t rows, int columns, float* acc) {
  extern __shared__ float shared[];
  const int lanes =
      columns < static_cast<int>(blockDim.x) ? static_cast<int>(blockDim.x) / columns : 1;
  const int64_t first = rows * blockIdx.x / gridDim.x, last = rows * (blockIdx.x + 1) / gridDim.x;
  for (int base = 0; base < columns; base += blockDim.x) {
    const int column = base + static_cast<int>(threadIdx.x) %
                                  (columns < static_cast<int>(blockDim.x) ? columns : blockDim.x);
    const int lane =
        columns < static_cast<int>(blockDim.x) ? static_cast<int>(threadIdx.x) / columns : 0;
    float sum = 0;
    if (lane < lanes && column < columns) {
      for (int64_t i = first + lane; i < last; i += lanes)
        sum += static_cast<float>(y[i * columns + column]);
    }
    shared[threadIdx.x] = sum;
    __syncthreads();
    if (lane == 0 && column < columns) {
      for (int other = 1; other < lanes; ++other) sum += shared[threadIdx.x + other * columns];
      acc[int64_t{blockIdx.x} * columns + column] = sum;
    }
    __syncthreads();
  }
}

/// A warp a column.
__global__ void add_sums_kernel(const float* acc, int blocks, int columns, float* gradient) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if (column >= columns) return;
  float sum = 0;
  for (int i = lane; i < blocks; i += 32) sum += acc[int64_t{i} * columns + column];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (lane == 0) gradient[column] += sum;
}

__global__ void overflow_kernel(const float* gradient, int64_t count, DeviceState* state) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count && !(fabsf(gradient[i]) <= 3.402823466e38f)) state->overflow = 1;
}

template <class T>
__global__ void update_kernel(const float* gradient, int64_t count, bool master, DeviceState* state,
                              float* velocity, float* weight) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count || (state->dynamic && state->overflow)) return;
  const float g = gradient[i] / state->scale;
  float v = state->momentum * velocity[i], w = weight[i];
  if (master) {
    v += g;
    w -= state->rate * v;
  } else {
    const auto round = [](float x) { return static_cast<float>(narrow<T>(x)); };
    v = round(round(v) + round(g));
    w = round(w - round(state->rate * v));
  }
  velocity[i] = v, weight[i] = w;
  if (!(fabsf(w) <= 3.402823466e38f)) state->finite = 0;
}

/// After the update: the rule of dynamic scaling.
__global__ void scale_kernel(DeviceState* state) {
  if (!state->dynamic) return;
  if (state->overflow) {
    state->scale = fmaxf(state->scale / 2, 1.0f), state->good_steps = 0, ++state->left_out;
  } else if (++state->good_steps % 200 == 0) {
    state->scale *= 2;
  }
}

__global__ void begin_kernel(DeviceState* state, float rate) {
  state->rate = rate;
}

__global__ void clear_kernel(DeviceState* state) {
  state->loss = 0, state->right = 0, state->overflow = 0, state->finite = 1;
}

/// `pooled`, what a pool left: a gradient goes to one of four, and where its output is 0 to none.
template <class T>
__global__ void count_kernel(const T* x, const T* pooled, int64_t count,
                             unsigned long long* exponents) {
  __shared__ unsigned bins[kExponents + 1];
  for (int b = threadIdx.x; b <= kExponents; b += blockDim.x) bins[b] = 0;
  __syncthreads();
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += int64_t{gridDim.x} * blockDim.x) {
    const bool passes = pooled == nullptr || static_cast<float>(pooled[i]) > 0;
    const uint32_t bits = passes ? __float_as_uint(static_cast<float>(x[i])) & 0x7fffffff : 0;
    const int place = static_cast<int>(bits >> 23) - 127 - kMinExponent;
    atomicAdd(&bins[bits == 0             ? kExponents
                    : place < 0           ? 0
                    : place >= kExponents ? kExponents - 1
                                          : place],
              1u);
  }
  __syncthreads();
  for (int b = threadIdx.x; b <= kExponents; b += blockDim.x)
    atomicAdd(&exponents[b], static_cast<unsigned long long>(bins[b]));
  if (pooled != nullptr && blockIdx.x == 0 && threadIdx.x == 0)
    atomicAdd(&exponents[kExponents], static_cast<unsigned long long>(3 * count));
}

}  // namespace ridge::mixed
