// What the convolution rungs on a GPU share.
#pragma once

#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/cuda/element.h"
#include "kernels/runtime/problems/conv.h"

namespace ridge {

/// One thread for each output: any type, layout, stride and groups. For what a faster rung does not take.
Status conv_direct_cuda(const Launch& launch);

/// What kernels that write only y's own channels begin with: those filled up (nchw16c) become zero.
inline Status conv_clear_padding(const Launch& launch) {
  const Conv v = conv_of(&launch);
  if (conv_stored(v.m, v.layout) == v.m) return {};
  RIDGE_CUDA_CHECK(
      cudaMemsetAsync(launch.buffers[kConvY], 0,
                      static_cast<size_t>(v.n * v.y_at.image) * dtype_size(launch.shape.dtype),
                      static_cast<cudaStream_t>(launch.stream)));
  return {};
}

/// mma_sync.cu: 16-bit types, else everything; launch with the plan of prepare. For what wgmma does not take.
Status prepare_conv_mma_sync(const Shape& shape, Plan* plan);
Status launch_conv_mma_sync(const Launch& launch);

/// wgmma_im2col.cu, for what a later rung with tensor cores does not take; launch with the plan of prepare.
Status prepare_conv_wgmma(const Shape& shape, Plan* plan);
Status launch_conv_wgmma(const Launch& launch);

namespace device {

/// max(0, x), and NaN stays.
__device__ inline float relu(float x) {
  return x <= 0 ? 0.0f : x;
}

}  // namespace device
}  // namespace ridge
