// Sums of wgmma with filters down and pixels across: of 64 filters and n pixels. How they get a bias, and how they
// become rows of an nhwc image again.
#pragma once

#include "kernels/conv/rungs/cuda_conv.h"
#include "kernels/runtime/cuda/tensor_element.h"
#include "kernels/runtime/cuda/tma_store.h"
#include "kernels/runtime/cuda/wgmma.h"

namespace ridge::device {

constexpr int kTransposedRow = 128;  ///< bytes of a pixel's 64 filters in a box

/// Bias and relu for filters m0 to m0 + 63 of m.
template <typename Out, int n>
__device__ __forceinline__ void finish_transposed(float (&d)[n / 2], const void* bias, int m, int m0) {
  const int first = m0 + static_cast<int>(threadIdx.x) % 128 / 32 * 16 + static_cast<int>(threadIdx.x) % 32 / 4;
  const auto* from = static_cast<const Out*>(bias);
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int at = first + 8 * half;
    const float add = at < m ? static_cast<float>(from[at]) : 0;
#pragma unroll
    for (int j = 0; j < n / 8; ++j) {
      d[4 * j + 2 * half] = relu(d[4 * j + 2 * half] + add);
      d[4 * j + 2 * half + 1] = relu(d[4 * j + 2 * half + 1] + add);
    }
  }
}

/// Into a box of n rows, a pixel's 64 filters each, with the 128-byte swizzle, aligned to 1024 bytes.
template <typename Out, int n>
__device__ __forceinline__ void fill_transposed(const float (&d)[n / 2], unsigned char* box) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32 % 4;
  const int right = lane / 16, chunk = 2 * warp + lane / 8 % 2, row = lane % 8;
#pragma unroll
  for (int j = 0; j < n / 8; j += 2) {  // blocks: 8 filters, the next 8, the same at 8 pixels more
    uint32_t blocks[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) blocks[i] = pack_pair(Out{}, d[4 * j + 2 * i], d[4 * j + 2 * i + 1]);
    stmatrix_x4_transposed(box + (8 * (j + right) + row) * kTransposedRow + ((chunk ^ row) << 4), blocks);
  }
}

}  // namespace ridge::device
