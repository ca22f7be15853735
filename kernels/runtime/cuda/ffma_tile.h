// What the fp32 rungs on the CUDA cores share from warp_tile on: who holds what in a warp that owns 64 x 64 elements of
// C.
//
// A warp's 32 threads stand 4 x 8, each with 16 x 8 elements. Thread (y, x) holds rows 16h + 4y + i
// (h, i = 0 .. 3) and columns 32h + 4x + j (h = 0, 1; j = 0 .. 3): all in fours, so that operands are
// read 16 bytes at a time. 24 values in six reads feed 128 multiply-adds.
#pragma once

#include "kernels/runtime/cuda/shared.h"

namespace ridge::device {

constexpr int kThreadM = 16, kThreadN = 8;
constexpr int kWarpM = 64, kWarpN = 64;

/// Neighbouring lanes differ by turns in x and y: each half of a warp then reads no more than 128
/// different bytes of an operand, and threads that read the same are served together.
__device__ inline int lane_x(int lane) {
  return (lane & 1) | (lane >> 1 & 6);
}
__device__ inline int lane_y(int lane) {
  return (lane >> 1 & 1) | (lane >> 3 & 2);
}

/// One step of k: `a` and `b` are the shared addresses of the thread's first row and first column, in
/// a row of m- and one of n-contiguous values.
__device__ inline void load_fragments(float (&fa)[kThreadM], float (&fb)[kThreadN], uint32_t a,
                                      uint32_t b) {
#pragma unroll
  for (int h = 0; h < 2; ++h) load_shared_4(fb + 4 * h, b + h * 32 * 4);
#pragma unroll
  for (int h = 0; h < 4; ++h) load_shared_4(fa + 4 * h, a + h * 16 * 4);
}

/// In which order a thread goes through its outer product.
enum class Walk { rows, columns };

/// The outer product, there and back: of three operands one is the same as before (.reuse in SASS)
/// and need not be read from the register file, whose two banks give two values a clock. Which walk
/// lets the compiler find better banks for the sums differs by kernel: it is measured, not reasoned.
template <Walk walk>
__device__ inline void multiply(float (&acc)[kThreadM][kThreadN], const float (&a)[kThreadM],
                                const float (&b)[kThreadN]) {
  constexpr int kOuter = walk == Walk::rows ? kThreadM : kThreadN;
  constexpr int kInner = kThreadM * kThreadN / kOuter;
#pragma unroll
  for (int outer = 0; outer < kOuter; ++outer) {
#pragma unroll
    for (int step = 0; step < kInner; ++step) {
      const int inner = outer % 2 ? kInner - 1 - step : step;
      const int i = walk == Walk::rows ? outer : inner, j = walk == Walk::rows ? inner : outer;
      acc[i][j] = fmaf(a[i], b[j], acc[i][j]);
    }
  }
}

/// A thread's sums to C; (row, column) is its first element. `aligned`: n is a multiple of 4. `one` is
/// 1.0f, but the compiler does not know: without a product in between it would keep the sums in the
/// order of the 16-byte stores, and so each sum in the same register bank as the operand it meets
/// (a trial kernel: 48.0 instead of 50.5 TFLOP/s at n = 4096 on an H200).
template <bool aligned>
__device__ inline void store_acc(const float (&acc)[kThreadM][kThreadN], float one, float* c, int64_t m, int64_t n,
                                 int64_t row, int64_t column) {
#pragma unroll
  for (int i = 0; i < kThreadM; ++i) {
    const int64_t to_row = row + i / 4 * 16 + i % 4;
#pragma unroll
    for (int j = 0; j < kThreadN; j += aligned ? 4 : 1) {
      const int64_t to_column = column + j / 4 * 32 + j % 4;
      if (to_row >= m || to_column >= n) continue;
      float* to = c + to_row * n + to_column;
      const float* s = acc[i] + j;
      if constexpr (aligned) {
        *reinterpret_cast<float4*>(to) =
            make_float4(one * s[0], one * s[1], one * s[2], one * s[3]);
      } else {
        *to = *s;
      }
    }
  }
}

}  // namespace ridge::device
