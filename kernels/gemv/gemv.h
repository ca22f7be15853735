// The gemv family's view of a launch: the product that decoding consists of, y = x W^T, with few rows of x (one for
// each sequence) and weights that have been quantised beforehand.
//
//   Shape::dim   {batch, n, k, copies, weights, fused}; k a multiple of 128, the others any from 1 on. `weights` is
//                a GemvWeights, `fused` says what w8a8 and w8a8_fp8 write
//   buffers[0]   x, input:        [batch][k]
//   buffers[1]   W, input:        [copies][n][k], rows as a linear layer keeps them; int4: two in a byte, element 2i
//                                 in the lower half of byte i, value + 8; sparse: the two of each four that are left
//   buffers[2]   scales, input:   what a weight is multiplied by: fp8, int8, w8a8(_fp8): fp32 [copies][n]; int4: bf16
//                                 [copies][n][gemv_scale_row()], one for 128 neighbours of a row, then filling;
//                                 sparse: which two of each four, [copies][n][gemv_position_row()] bytes
//   buffers[3]   x scales, input: w8a8, w8a8_fp8: fp32 [batch]
//   buffers[4]   bias, input:     w8a8: fp32 [n]; w8a8_fp8: bf16 [n]
//   buffers[5]   y, output:       [batch][n]; arrives filled with poison
//
//   weights   x, y          W             y
//   fp32      fp32          fp32          x W^T
//   bf16      bf16          bf16          x W^T
//   fp8       bf16          e4m3          (x W^T) times the row's scale
//   int8      bf16          int8          as fp8
//   int4      bf16          4 bits        with the scales inside the sum
//   sparse    bf16          bf16, 2:4     x W^T
//   w8a8      int8, bf16    int8          relu(sum of integers times both scales, plus bias); fused = 0: y is int32,
//                                         the sums themselves
//
// Positions: 256 columns of a row have 32 bytes. Four columns have 4 bits, the lower two the place of the first that is
// left. Group 16c + 4j + p of the 64 has bits 4j to 4j + 3 of 16-bit word 4p + c: what lane p of four tells the sparse
// matrix instruction of its chunk c (tensor_rows.h).
//
// What a word means that does not stand in the table holds one word without a meaning. Sums are fp32 (int32 in w8a8).
//
// A layer's weights are used once for each token, and a whole model's fit into no cache. So the copies, of which all
// are the same, take turns from call to call: gemv_next(). ISA-flagged files include this header: nothing with
// external linkage, no templates, no std::.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/harness/kernel/kernel.h"

namespace ridge {

enum GemvDim {
  kGemvBatch = 0,
  kGemvN = 1,
  kGemvK = 2,
  kGemvCopies = 3,
  kGemvKind = 4,
  kGemvFused = 5
};
enum GemvBuffer {
  kGemvX = 0,
  kGemvW = 1,
  kGemvScales = 2,
  kGemvXScales = 3,
  kGemvBias = 4,
  kGemvY = 5
};
enum GemvWeights {
  kGemvFp32,
  kGemvBf16,
  kGemvFp8,
  kGemvInt8,
  kGemvInt4,
  kGemvW8a8,
  kGemvSparse,
  kGemvW8a8Fp8
};

/// Elements of a row that share a scale in int4.
#define RIDGE_GEMV_GROUP 128

#ifdef __CUDACC__
#define RIDGE_GEMV_ANYWHERE __host__ __device__
#else
#define RIDGE_GEMV_ANYWHERE
#endif

/// The scales of a row of int4, and what fills them up to a multiple of four.
static inline RIDGE_GEMV_ANYWHERE int64_t gemv_scale_row(int64_t k) {
  return (k / RIDGE_GEMV_GROUP + 3) / 4 * 4;
}

/// Bytes of the positions of a row of sparse.
static inline RIDGE_GEMV_ANYWHERE int64_t gemv_position_row(int64_t k) {
  return (k + 255) / 256 * 32;
}

/// Bytes of `count` weights, an even number; of sparse ones with those that are zero.
static inline RIDGE_GEMV_ANYWHERE int64_t gemv_weight_bytes(int64_t weights, int64_t count) {
  return weights == kGemvFp32   ? count * 4
         : weights == kGemvBf16 ? count * 2
         : weights == kGemvInt4 ? count / 2
                                : count;
}

/// Bytes of one copy's scales.
static inline int64_t gemv_scale_bytes(int64_t weights, int64_t n, int64_t k) {
  return weights == kGemvInt4                           ? n * gemv_scale_row(k) * 2
         : weights == kGemvSparse                       ? n * gemv_position_row(k)
         : weights == kGemvFp32 || weights == kGemvBf16 ? 0
                                                        : n * 4;
}

/// One call. Pointers are to host memory on the CPU, to device memory on CUDA; w and scales are those of the copy
/// whose turn it is.
struct Gemv {
  int64_t batch, n, k;
  int64_t fused;
  const void *x, *w, *scales;
  const float* x_scales;
  const void* bias;
  void* y;
  int threads;   ///< CPU threads the kernel may use; GPU kernels ignore it
  void* stream;  ///< cudaStream_t on CUDA, null on the CPU
};

/// The call that comes next; *turn, which the rung's plan keeps, goes on.
static inline Gemv gemv_next(const Launch& launch, int64_t* turn) {
  const int64_t* dim = launch.shape.dim;
  Gemv g;
  g.batch = dim[kGemvBatch];
  g.n = dim[kGemvN];
  g.k = dim[kGemvK];
  g.fused = dim[kGemvFused];
  const int64_t copy = *turn;
  *turn = copy + 1 < dim[kGemvCopies] ? copy + 1 : 0;
  g.x = launch.buffers[kGemvX];
  g.w = (const char*)launch.buffers[kGemvW] + copy * g.n * gemv_weight_bytes(dim[kGemvKind], g.k);
  g.scales =
      (const char*)launch.buffers[kGemvScales] + copy * gemv_scale_bytes(dim[kGemvKind], g.n, g.k);
  g.x_scales = (const float*)launch.buffers[kGemvXScales];
  g.bias = launch.buffers[kGemvBias];
  g.y = launch.buffers[kGemvY];
  g.threads = launch.shape.threads;
  g.stream = launch.stream;
  return g;
}

}  // namespace ridge
