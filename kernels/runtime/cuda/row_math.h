// Row operations for the GPU rungs: 16 bytes at a time, sums over a warp or a block, and what each operation
// does with a row. A rung decides where a row's elements are kept; statistics() and finish() are the same
// for all.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/runtime/cuda/check.h"
#include "kernels/runtime/cuda/element.h"
#include "kernels/runtime/problems/rows.h"

namespace ridge::device {

// ---- 16 bytes ------------------------------------------------------------------------------------

template <class T>
constexpr int kVector = 16 / sizeof(T);

__device__ inline float to_float(float v) {
  return v;
}
__device__ inline float to_float(Bfloat v) {
  return static_cast<float>(v);
}
__device__ inline void from_float(float v, float* to) {
  *to = v;
}
__device__ inline void from_float(float v, Bfloat* to) {
  *to = Bfloat(v);
}

__device__ inline void unpack(const uint4& v, float (&out)[4]) {
  out[0] = __uint_as_float(v.x), out[1] = __uint_as_float(v.y);
  out[2] = __uint_as_float(v.z), out[3] = __uint_as_float(v.w);
}
/// A bf16 number is the upper half of an fp32 one.
__device__ inline void unpack(const uint4& v, float (&out)[8]) {
  const uint32_t words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    out[2 * i] = __uint_as_float(words[i] << 16);
    out[2 * i + 1] = __uint_as_float(words[i] & 0xffff0000u);
  }
}
__device__ inline uint4 pack(const float (&v)[4]) {
  return {__float_as_uint(v[0]), __float_as_uint(v[1]), __float_as_uint(v[2]),
          __float_as_uint(v[3])};
}
__device__ inline uint4 pack(const float (&v)[8]) {
  uint32_t words[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    words[i] = pack_pair(Bfloat{}, v[2 * i], v[2 * i + 1]);
  }
  return {words[0], words[1], words[2], words[3]};
}

// ---- sums ----------------------------------------------------------------------------------------

struct Plus {
  static __device__ float neutral() { return 0; }
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct Maximum {
  static __device__ float neutral() { return -INFINITY; }
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

/// One thread has the whole row.
struct AloneReduce {
  template <class Op>
  __device__ float operator()(float v, Op) {
    return v;
  }
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
    float most = -INFINITY;
    each([&](float x) { most = fmaxf(most, x); });
    s.a = reduce(most, Maximum());
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

/// A vector of results; `at` is its place in the row, in vectors.
template <RowOp op, class T>
__device__ uint4 finish_vector(const float (&x)[kVector<T>], const Statistics& s,
                               const T* __restrict__ weight, const T* __restrict__ bias,
                               int64_t at) {
  float w[kVector<T>] = {}, b[kVector<T>] = {}, y[kVector<T>];
  if constexpr (kWeighted<op>) unpack(__ldg(reinterpret_cast<const uint4*>(weight) + at), w);
  if constexpr (op == RowOp::layernorm) unpack(__ldg(reinterpret_cast<const uint4*>(bias) + at), b);
#pragma unroll
  for (int i = 0; i < kVector<T>; ++i) y[i] = finish<op>(x[i], s, w[i], b[i]);
  return pack(y);
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

/// run(operation, element): with std::integral_constant<RowOp, ...> and a value of the element's type.
template <class Run>
Status with_row_op(const Launch& launch, const Run& run) {
  const auto typed = [&](auto op) {
    return with_element<Bfloat, float>(launch.shape.dtype,
                                       [&](auto element) { return run(op, element); });
  };
  switch (row_op_of(launch.shape)) {
    case RowOp::softmax:
      return typed(std::integral_constant<RowOp, RowOp::softmax>());
    case RowOp::layernorm:
      return typed(std::integral_constant<RowOp, RowOp::layernorm>());
    case RowOp::rmsnorm:
      return typed(std::integral_constant<RowOp, RowOp::rmsnorm>());
    default:
      return typed(std::integral_constant<RowOp, RowOp::gelu>());
  }
}

}  // namespace ridge
