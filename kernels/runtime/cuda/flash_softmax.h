// The online softmax on a warpgroup's sums as wgmma leaves them: a thread has 2 rows (g and g + 8), a quad of
// neighbouring lanes shares them.
//
// Milakov and Gimelshein, arXiv:1805.02867; 2^x in place of e^x, with log2(e) in the scale: Dao, arXiv:2307.08691.
#pragma once

#include <cstdint>

#include "kernels/runtime/cuda/tensor_element.h"

namespace ridge::device {

/// 2^x, the special function unit's: 2 units in the last place, 16 a clock and SM.
__device__ inline float fast_exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

/// Of a thread's two rows: the largest score so far (unscaled), and its own part of the sum.
struct SoftmaxRows {
  float running_max[2] = {-INFINITY, -INFINITY};
  float sum[2] = {0, 0};
};

/// Scores of keys from `limit` on, for the first of the thread's rows (one more for each row below if
/// `causal`), become -infinity. `key`: the first of the block.
template <int count>
__device__ __forceinline__ void mask_scores(float (&s)[count], int key, int sequence, bool causal,
                                            int row) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int limit = (causal ? min(sequence, row + 8 * half + 1) : sequence) - key - lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < count / 4; ++i) {
      if (8 * i >= limit) s[4 * i + 2 * half] = -INFINITY;
      if (8 * i + 1 >= limit) s[4 * i + 2 * half + 1] = -INFINITY;
    }
  }
}

/// Scores become weights 2^((s - largest) scale + boost); the sums grow; `rescale`: by what all before shrinks.
template <int boost = 0, int count>
__device__ __forceinline__ void softmax_step(float (&s)[count], float scale, SoftmaxRows* rows,
                                             float (&rescale)[2]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float even = s[2 * half], odd = s[2 * half + 1];
#pragma unroll
    for (int i = 1; i < count / 4; ++i) {
      even = fmaxf(even, s[4 * i + 2 * half]);
      odd = fmaxf(odd, s[4 * i + 2 * half + 1]);
    }
    float running_max = fmaxf(fmaxf(even, odd), rows->running_max[half]);
    running_max = fmaxf(running_max, __shfl_xor_sync(~0u, running_max, 1));
    running_max = fmaxf(running_max, __shfl_xor_sync(~0u, running_max, 2));
    // Where no key has been seen yet the largest is -infinity, and the difference would be NaN.
    const float shift = running_max == -INFINITY ? 0 : running_max * scale;
    rescale[half] = fast_exp2(fmaf(rows->running_max[half], scale, -shift));
    rows->running_max[half] = running_max;
    const float up = boost - shift;
    even = 0, odd = 0;
#pragma unroll
    for (int i = 0; i < count / 4; ++i) {
      float& first = s[4 * i + 2 * half];
      float& second = s[4 * i + 2 * half + 1];
      first = fast_exp2(fmaf(first, scale, up));
      second = fast_exp2(fmaf(second, scale, up));
      even += first;
      odd += second;
    }
    rows->sum[half] = fmaf(rows->sum[half], rescale[half], even + odd);
  }
}

/// Both rows of `o` times their factor. To leave this out by a vote of the warp where no maximum had grown
/// (by more than 2^8, which is as exact) made the rungs on wgmma 1 to 2 % slower on an H200.
template <int count>
__device__ __forceinline__ void scale_rows(float (&o)[count], const float (&factor)[2]) {
#pragma unroll
  for (int i = 0; i < count; ++i) o[i] *= factor[i / 2 % 2];
}

/// 1 / sum, the quad's parts added up: what O is multiplied with at the end.
__device__ inline void softmax_finish(const SoftmaxRows& rows, float (&factor)[2]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float sum = rows.sum[half];
    sum += __shfl_xor_sync(~0u, sum, 1);
    sum += __shfl_xor_sync(~0u, sum, 2);
    factor[half] = 1 / sum;
  }
}

/// The weights in the type, where the next product wants its operand A (wgmma_registers.h, mma.h).
template <typename Element, int count>
__device__ __forceinline__ void to_operand(const float (&s)[count], uint32_t (&p)[count / 8][4]) {
#pragma unroll
  for (int i = 0; i < count / 2; ++i) {
    p[i / 4][i % 4] = pack_pair(typename Element::Out{}, s[2 * i], s[2 * i + 1]);
  }
}

}  // namespace ridge::device
