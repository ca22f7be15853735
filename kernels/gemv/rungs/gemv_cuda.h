// What the GPU rungs of gemv share: whose turn it is, how many rows of x they take, and what an output becomes.
#pragma once

#include <cuda_bf16.h>
#include <stdlib.h>

#include "kernels/runtime/cuda/launch.h"
#include "kernels/gemv/gemv.h"

namespace ridge {

/// Rows of x that a rung for decoding takes.
constexpr int kGemvMaxBatch = 16;

/// The plan of a rung that has no other: whose turn it is.
static inline Status prepare_gemv(const Shape& shape, Plan* plan) {
  if (shape.dim[kGemvBatch] > kGemvMaxBatch) {
    return refuse(
        "takes at most 16 rows of x: choose batch=16 or less, or a rung for large batches");
  }
  plan->state = calloc(1, sizeof(int64_t));
  plan->release = free;
  if (plan->state != nullptr) return {};
  return {"out of memory", "calloc", __FILE__, __LINE__, false};
}

static inline Gemv gemv_next(const Launch& launch) {
  return gemv_next(launch, static_cast<int64_t*>(launch.plan_state));
}

namespace device {

/// y(i, j) of w8a8.
__device__ inline void write_w8a8(const Gemv& g, int64_t i, int64_t j, int sum) {
  const int64_t at = i * g.n + j;
  if (!g.fused) {
    static_cast<int*>(g.y)[at] = sum;
    return;
  }
  const float scale = g.x_scales[i] * static_cast<const float*>(g.scales)[j];
  const float value =
      fmaxf(fmaf(static_cast<float>(sum), scale, static_cast<const float*>(g.bias)[j]), 0.0f);
  static_cast<__nv_bfloat16*>(g.y)[at] = __float2bfloat16(value);
}

template <typename T>
__device__ inline T warp_sum(T value) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(~0u, value, step);
  return value;
}

}  // namespace device
}  // namespace ridge

// Of a file with variants: the weights that this one is built for (RIDGE_GEMV_KIND=int4), as text and as a type.
#define RIDGE_GEMV_TEXT_OF(x) #x
#define RIDGE_GEMV_TEXT(x) RIDGE_GEMV_TEXT_OF(x)
#define RIDGE_GEMV_WEIGHTS_OF(x) ::ridge::device::Weights_##x
#define RIDGE_GEMV_WEIGHTS(x) RIDGE_GEMV_WEIGHTS_OF(x)
