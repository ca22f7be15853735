// TMA's im2col mode (PTX ISA, "cp.async.bulk.tensor", im2col; CUDA driver API, cuTensorMapEncodeIm2col): one load
// brings the 64 channels that one filter tap sees at a run of output pixels, whatever the stride, with zeros for
// what lies outside of the image. The pixels go on over ends of rows and of images.
#pragma once

#include <cuda.h>

#include "common/harness/kernel/kernel.h"

namespace ridge::device {

/// Images [n][h][w][c] of 16-bit elements; c a multiple of 8, data aligned to 16 bytes. A load takes `pixels`
/// (at most 256) times 64 channels, in rows of 128 bytes with the 128-byte swizzle (pipeline.h).
struct TensorMapIm2col {
  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  const void* data = nullptr;
  int64_t n = 0, h = 0, w = 0, c = 0;
  int r = 1, s = 1, stride = 1, pad = 0;
  int pixels = 128;
};

Status encode_tensor_map_im2col(const TensorMapIm2col& images, CUtensorMap* map);

}  // namespace ridge::device
