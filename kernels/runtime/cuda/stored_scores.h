// What the GPU rungs with stored scores share: memory for them, and a warp's reduction of a row.
#pragma once

#include "kernels/runtime/cuda/cuda_element.h"
#include "kernels/runtime/problems/attention_scores.h"

namespace ridge {

/// `bytes` of device memory as plan->state; a sentence with both sizes where they do not fit.
inline Status allocate_scores(double bytes, Plan* plan) {
  plan->workspace_bytes = static_cast<size_t>(bytes);
  size_t free_bytes = 0, all = 0;
  RIDGE_CUDA_CHECK(cudaMemGetInfo(&free_bytes, &all));
  if (!(bytes <= 0.95 * double(free_bytes))) {
    return attention_scores_refused(bytes, double(free_bytes), __FILE__, __LINE__);
  }
  RIDGE_CUDA_CHECK(cudaMalloc(&plan->state, static_cast<size_t>(bytes)));
  plan->release = [](void* state) { cudaFree(state); };
  return {};
}

/// Of the forward pass: one fp32 number for each query and key.
inline Status prepare_scores(const Shape& shape, Plan* plan) {
  return allocate_scores(attention_scores_bytes(shape, sizeof(float)), plan);
}

namespace device {

/// Of 32 lanes, `f` of all.
template <typename F>
__device__ float over_warp(float value, F f) {
  for (int other = 16; other > 0; other /= 2) {
    value = f(value, __shfl_xor_sync(~0u, value, other));
  }
  return value;
}

}  // namespace device
}  // namespace ridge
