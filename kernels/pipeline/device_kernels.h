// The device kernels of a training step: pooling with the transforms in it, activation, softmax.
// Included by device.cu alone.
#pragma once

#include <cuda_runtime.h>

#include "kernels/pipeline/batch.h"

namespace ridge::pipeline {

inline constexpr int kClasses = 10;

/// The network's input from fp32 planes: a thread a mean of kPool x kPool.
__global__ void pool_tensor_kernel(const std::byte* batch, Geometry g, float* out) {
  const int features = kChannels * (g.crop / kPool) * (g.crop / kPool);
  const int at = blockIdx.x * blockDim.x + threadIdx.x, image = blockIdx.y;
  if (at >= features) return;
  const int pooled = g.crop / kPool, c = at / (pooled * pooled), r = at / pooled % pooled,
            q = at % pooled;
  const size_t head = (sizeof(Record) * size_t(g.batch) + 4095) / 4096 * 4096;
  const auto* planes = reinterpret_cast<const float*>(batch + head + g.image_bytes * size_t(image));
  const bool skipped = reinterpret_cast<const Record*>(batch)[image].label < 0;
  float sum = 0;
  for (int y = 0; y < kPool && !skipped; ++y) {
    const float* row = planes + (size_t(c) * g.crop + r * kPool + y) * g.crop + q * kPool;
    for (int x = 0; x < kPool; ++x) sum += row[x];
  }
  out[size_t(image) * features + at] = sum / (kPool * kPool);
}

// Worked out here: a kernel may not call the host's constexpr functions.
inline constexpr float kScale0 = scale_of(0), kScale1 = scale_of(1), kScale2 = scale_of(2);
inline constexpr float kShift0 = shift_of(0), kShift1 = shift_of(1), kShift2 = shift_of(2);

/// The same from bytes: crop, flip and normalise on the way. With a `set` the picture is taken from there.
__global__ void pool_pixels_kernel(const std::byte* batch, const uint8_t* set, Geometry g,
                                   float* out) {
  const int features = kChannels * (g.crop / kPool) * (g.crop / kPool);
  const int at = blockIdx.x * blockDim.x + threadIdx.x, image = blockIdx.y;
  if (at >= features) return;
  const int pooled = g.crop / kPool, c = at % kChannels, q = at / kChannels % pooled,
            r = at / kChannels / pooled;
  const size_t head = (sizeof(Record) * size_t(g.batch) + 4095) / 4096 * 4096;
  const Record record = reinterpret_cast<const Record*>(batch)[image];
  const auto* rgb =
      set != nullptr
          ? set + size_t(g.side) * size_t(g.side) * kChannels * size_t(record.file)
          : reinterpret_cast<const uint8_t*>(batch + head + g.image_bytes * size_t(image));
  uint32_t sum = 0;
  for (int y = 0; y < kPool && record.label >= 0; ++y) {
    const uint8_t* row =
        rgb + (size_t(record.y + r * kPool + y) * g.side + record.x + q * kPool) * kChannels + c;
    for (int x = 0; x < kPool; ++x) sum += row[x * kChannels];
  }
  const int to = record.flip != 0 ? pooled - 1 - q : q;
  const float scale = c == 0 ? kScale0 : c == 1 ? kScale1 : kScale2;
  const float shift = c == 0 ? kShift0 : c == 1 ? kShift1 : kShift2;
  const float mean = static_cast<float>(sum) / (kPool * kPool);
  out[size_t(image) * features + (c * pooled + r) * pooled + to] =
      record.label < 0 ? 0 : mean * scale + shift;
}

__global__ void relu_kernel(float* values, int64_t count) {
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) values[i] = fmaxf(values[i], 0.0f);
}

/// Where the ReLU was at zero, nothing flows back.
__global__ void mask_kernel(float* gradient, const float* activation, int64_t count) {
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count && !(activation[i] > 0)) gradient[i] = 0;
}

/// One block: scores become the cross-entropy's gradient, its mean the loss.
__global__ void softmax_kernel(const std::byte* batch, float* scores, int images, float* loss) {
  __shared__ float total;
  __shared__ int counted;
  const auto* records = reinterpret_cast<const Record*>(batch);
  if (threadIdx.x == 0) total = 0, counted = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < images; i += blockDim.x) {
    if (records[i].label >= 0) atomicAdd(&counted, 1);
  }
  __syncthreads();
  const float share = 1.0f / static_cast<float>(max(counted, 1));
  for (int i = threadIdx.x; i < images; i += blockDim.x) {
    float* score = scores + size_t(i) * kClasses;
    const int label = records[i].label;
    float most = score[0], sum = 0;
    for (int c = 1; c < kClasses; ++c) most = fmaxf(most, score[c]);
    for (int c = 0; c < kClasses; ++c) sum += score[c] = expf(score[c] - most);
    if (label >= 0) atomicAdd(&total, -logf(fmaxf(score[label] / sum, 1e-30f)));
    for (int c = 0; c < kClasses; ++c)
      score[c] = label < 0 ? 0 : (score[c] / sum - (c == label ? 1.0f : 0.0f)) * share;
  }
  __syncthreads();
  if (threadIdx.x == 0) *loss = total * share;
}

}  // namespace ridge::pipeline
