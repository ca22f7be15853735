// TMA's im2col mode (PTX ISA, "cp.async.bulk.tensor", im2col; CUDA driver API, cuTensorMapEncodeIm2col): one load
// brings the 64 channels that one filter tap sees at a run of output pixels, whatever the stride, with zeros for
// what lies outside of the image. The pixels go on over ends of rows and of images.
#pragma once

#include <cuda.h>

#include "common/harness/kernel/kernel.h"
#include "kernels/runtime/cuda/shared.h"

namespace ridge::device {

/// Images [n][h][w][c] of 16-bit elements; c a multiple of 8, data aligned to 16 bytes. A load takes `pixels`
/// (at most 256) times 64 channels, in rows of 128 bytes with the 128-byte swizzle (tma.h).
struct TensorMapIm2col {
  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  const void* data = nullptr;
  int64_t n = 0, h = 0, w = 0, c = 0;
  int r = 1, s = 1, stride = 1, pad = 0;
  int pixels = 128;
};

Status encode_tensor_map_im2col(const TensorMapIm2col& images, CUtensorMap* map);

/// By one thread: channels c .. c + 63 that tap (r, s) sees, for the run of output pixels that begins at the one
/// whose upper left tap is (h, w) of image n. Completes on `full`.
__device__ inline void tma_load_im2col(void* to, const CUtensorMap* map, int c, int w, int h, int n,
                                       int s, int r, uint64_t* full) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(shared_address(to)),
      "l"(reinterpret_cast<uint64_t>(map)), "r"(c), "r"(w), "r"(h), "r"(n),
      "r"(shared_address(full)), "h"(static_cast<uint16_t>(s)), "h"(static_cast<uint16_t>(r))
      : "memory");
}

/// The same into every CTA of the cluster whose bit is set in `ctas`, as tma_load_2d_multicast() (tma.h).
__device__ inline void tma_load_im2col_multicast(void* to, const CUtensorMap* map, int c, int w,
                                                 int h, int n, int s, int r, uint64_t* full,
                                                 uint16_t ctas) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8}, %9;" ::"r"(
          shared_address(to)),
      "l"(reinterpret_cast<uint64_t>(map)), "r"(c), "r"(w), "r"(h), "r"(n),
      "r"(shared_address(full)), "h"(static_cast<uint16_t>(s)), "h"(static_cast<uint16_t>(r)),
      "h"(ctas)
      : "memory");
}

}  // namespace ridge::device
