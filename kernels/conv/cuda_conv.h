// What the convolution rungs on a GPU share.
#pragma once

#include "kernels/conv/conv.h"
#include "kernels/device/check.h"
#include "kernels/device/cuda_element.h"

namespace ridge {

/// One thread for each output: any type, layout, stride and groups. For what a faster rung does not take.
Status conv_direct_cuda(const Launch& launch);

/// What kernels that write only y's own channels begin with: those filled up (nchw16c) become zero.
inline Status conv_clear_padding(const Launch& launch) {
  const Conv v = conv_of(&launch);
  if (conv_stored(v.m, v.layout) == v.m) return {};
  RIDGE_CUDA_CHECK(cudaMemsetAsync(
      launch.buffers[kConvY], 0,
      static_cast<size_t>(v.n * v.y_at.image) * dtype_size(launch.shape.dtype),
      static_cast<cudaStream_t>(launch.stream)));
  return {};
}

namespace device {

/// max(0, x), and NaN stays.
__device__ inline float cut_off(float x) {
  return x <= 0 ? 0.0f : x;
}

}  // namespace device
}  // namespace ridge
