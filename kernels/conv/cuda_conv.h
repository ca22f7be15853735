// What the convolution rungs on a GPU share.
#pragma once

#include "kernels/conv/conv.h"
#include "kernels/device/check.h"
#include "kernels/device/cuda_element.h"

namespace ridge {

/// One thread for each output: any type, layout, stride and groups. For what a faster rung does not take.
Status conv_direct_cuda(const Launch& launch);

namespace device {

/// max(0, x), and NaN stays.
__device__ inline float cut_off(float x) {
  return x <= 0 ? 0.0f : x;
}

}  // namespace device
}  // namespace ridge
