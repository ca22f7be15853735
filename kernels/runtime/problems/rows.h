// The view that the memory-bound families share of a launch: a matrix x goes in, a matrix y of as many
// elements comes out, and next to nothing is computed on the way.
//
//   family     y                                                        dim
//   rows       an operation on each row of x, see RowOp                 {m, n}: rows, columns
//   copy       x                                                        {m, n}
//   transpose  y(j, i) = x(i, j), n x m                                 {m, n}: of x
//   chain      layers times  gelu(layernorm(x + bias) * weight),        {m, n, layers}
//              each row by itself; the inner layernorm has no weights
//
//   buffers[0]  x, m x n, row-major      buffers[1]  weight, n      buffers[2]  bias, n
//   buffers[3]  y, m x n (transpose: n x m), output; arrives filled with poison
//   All are of Shape::dtype (fp32, bf16); sums and statistics are kept in fp32. Every family has all four
//   buffers, used or not: a paired comparison then runs on the very same memory.
//
//   softmax    exp(x - max) / sum of exp(x - max)
//   layernorm  (x - mean) / sqrt(variance + kRowEpsilon) * weight + bias
//   rmsnorm    x / sqrt(mean of squares + kRowEpsilon) * weight
//   gelu       x / (1 + exp(-2 sqrt(2/pi) (x + 0.044715 x^3))): the tanh form (Hendrycks and Gimpel, 2016)
//
// x may hold -inf where softmax is asked for (a masked entry: its result is 0), never NaN.
// C-like: ISA-flagged files include this (common/harness/kernel/kernel.h).
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/harness/kernel/kernel.h"

namespace ridge {

enum RowBuffer { kRowsX = 0, kRowsWeight = 1, kRowsBias = 2, kRowsY = 3 };
enum RowDim { kRowsM = 0, kRowsN = 1, kRowsLayers = 2 };

/// copy, transpose and chain are families of their own, not choices of `op`.
enum class RowOp : uint8_t { softmax, layernorm, rmsnorm, gelu, copy, transpose, chain };

constexpr float kRowEpsilon = 1e-5f;
/// gelu(x) = x / (1 + exp2(-x (kGeluA + kGeluB x^2))): the constants of the tanh form in base two.
constexpr float kGeluA = 2.302208198f, kGeluB = 0.1029432397f;

/// One call. Pointers are typed for fp32; a kernel of another type casts them.
struct Rows {
  int64_t m, n, layers;
  RowOp op;
  const float *x, *weight, *bias;
  float* y;
  int threads;   ///< CPU threads the kernel may use; GPU kernels ignore it
  void* stream;  ///< cudaStream_t on CUDA
};

/// The operation travels as the problem's constant: it is no size, and copy's buffers are softmax's.
static inline RowOp row_op_of(const Shape& shape) {
  return *(const RowOp*)shape.constants;
}

static inline Rows rows_of(const Launch& launch) {
  Rows r;
  r.m = launch.shape.dim[kRowsM];
  r.n = launch.shape.dim[kRowsN];
  r.layers = launch.shape.dim[kRowsLayers];
  r.op = row_op_of(launch.shape);
  r.x = (const float*)launch.buffers[kRowsX];
  r.weight = (const float*)launch.buffers[kRowsWeight];
  r.bias = (const float*)launch.buffers[kRowsBias];
  r.y = (float*)launch.buffers[kRowsY];
  r.threads = launch.shape.threads;
  r.stream = launch.stream;
  return r;
}

}  // namespace ridge
