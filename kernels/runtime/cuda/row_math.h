// Row operations for the GPU rungs: sums over a warp or a block, and what each operation does with a row. A rung
// decides where a row's elements are kept; statistics() and finish() are the same for all.
#pragma once

#include <cstdint>

#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/problems/rows.h"

namespace ridge::device {

// ---- sums ----------------------------------------------------------------------------------------

struct Plus {
  static __device__ float neutral() { return 0; }
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct Maximum {
  static __device__ float neutral() { return -INFINITY; }
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

struct WarpReduce {
  template <class Op>
  __device__ float operator()(float v, Op op) {
#pragma unroll
    for (int step = 16; step > 0; step /= 2) v = op(v, __shfl_xor_sync(0xffffffffu, v, step));
    return v;
  }
};

/// By all threads of a block of whole warps. Two sets of slots take turns, so that one barrier a sum is
/// enough: whoever writes a set again has passed a barrier that came after all had read it.
struct BlockReduce {
  float (*slots)[32];  ///< two sets, in shared memory
  int turn = 0;

  template <class Op>
  __device__ float operator()(float v, Op op) {
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    v = WarpReduce()(v, op);
    if (lane == 0) slots[turn][warp] = v;
    __syncthreads();
    v = lane < static_cast<int>(blockDim.x) / 32 ? slots[turn][lane] : Op::neutral();
    turn ^= 1;
    return WarpReduce()(v, op);
  }
};

// ---- the operations ------------------------------------------------------------------------------

/// MUFU.EX2: within 2 units in the last place; -inf gives 0.
__device__ inline float fast_exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
/// The difference first, exact or nearly so: a product of a large x with log2(e) would be off by x's size.
__device__ inline float fast_exp(float difference) {
  return fast_exp2(difference * 1.44269504f);
}
__device__ inline float gelu_of(float x) {
  return __fdividef(x, 1 + fast_exp2(-x * fmaf(x * x, kGeluB, kGeluA)));
}

/// Of a row: softmax's maximum and 1 / sum; a norm's mean (0) and 1 / deviation.
struct Statistics {
  float a = 0, b = 0;
};

/// each(f) calls f with every element of the row that this thread has.
template <RowOp op, class Each, class Reduce>
__device__ Statistics statistics(const Each& each, Reduce& reduce, float n) {
  Statistics s;
  float sum = 0;
  if constexpr (op == RowOp::softmax) {
    float row_max = -INFINITY;
    each([&](float x) { row_max = fmaxf(row_max, x); });
    s.a = reduce(row_max, Maximum());
    each([&](float x) { sum += fast_exp(x - s.a); });
    s.b = 1 / reduce(sum, Plus());
  } else if constexpr (op == RowOp::layernorm) {
    each([&](float x) { sum += x; });
    s.a = reduce(sum, Plus()) / n;
    sum = 0;
    each([&](float x) { sum = fmaf(x - s.a, x - s.a, sum); });
    s.b = rsqrtf(reduce(sum, Plus()) / n + kRowEpsilon);
  } else if constexpr (op == RowOp::rmsnorm) {
    each([&](float x) { sum = fmaf(x, x, sum); });
    s.b = rsqrtf(reduce(sum, Plus()) / n + kRowEpsilon);
  }
  return s;
}

template <RowOp op>
constexpr bool kWeighted = op == RowOp::layernorm || op == RowOp::rmsnorm;

template <RowOp op>
__device__ float finish(float x, const Statistics& s, float weight, float bias) {
  if constexpr (op == RowOp::softmax) return fast_exp(x - s.a) * s.b;
  if constexpr (op == RowOp::layernorm) return fmaf((x - s.a) * s.b, weight, bias);
  if constexpr (op == RowOp::rmsnorm) return x * s.b * weight;
  return gelu_of(x);
}

}  // namespace ridge::device

namespace ridge {

/// One call on the GPU, typed.
template <class T>
struct RowsOf {
  const T *x, *weight, *bias;
  T* y;
  int64_t m, n;
};

template <class T>
RowsOf<T> typed_rows(const Launch& launch) {
  const Rows r = rows_of(launch);
  return {reinterpret_cast<const T*>(r.x),
          reinterpret_cast<const T*>(r.weight),
          reinterpret_cast<const T*>(r.bias),
          reinterpret_cast<T*>(r.y),
          r.m,
          r.n};
}

}  // namespace ridge
