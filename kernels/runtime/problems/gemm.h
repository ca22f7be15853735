// The GEMM family's view of a launch: C = A * B, every matrix row-major and dense.
//
//   Shape::dim   {m, n, k}, each >= 1; odd and non-square sizes included
//   buffers[0]   A, m x k, input:  A(i, p) = a[i * k + p]
//   buffers[1]   B, k x n, input:  B(p, j) = b[p * n + j]
//                tf32, fp8, int8:  B(p, j) = b[j * k + p], K contiguous, as a linear layer keeps its
//                weights; tensor cores and cuBLASLt take these types in no other way
//   buffers[2]   C, m x n, output: C(i, j) = c[i * n + j]; arrives filled with poison
//
//   Shape::dtype of A and B     fp32  tf32  bf16  fp16  fp8 (e4m3)  int8   fp64
//   type of C                   fp32  fp32  bf16  fp16  bf16        int32  fp64
//   sums are kept in            fp32  fp32  fp32  fp32  fp32        int32  fp64
//
// tf32 inputs are fp32 numbers already rounded to 10 bits of mantissa.
// A kernel writes every element of C and nothing else; it may not rely on what C holds.
//
// ISA-flagged files include this header: nothing with external linkage, no templates, no std::, so
// that no AVX-512 copy of a shared function can be picked by the linker (common/harness/kernel/kernel.h).
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/harness/kernel/kernel.h"

namespace ridge {

/// Where the sizes and matrices stand in Shape::dim and in the buffers.
enum GemmDim { kGemmM = 0, kGemmN = 1, kGemmK = 2 };
enum GemmBuffer { kGemmA = 0, kGemmB = 1, kGemmC = 2 };

/// One call. Pointers are to host memory on the CPU, to device memory on CUDA; they are typed for fp32
/// (and tf32), a kernel of another type casts launch.buffers itself.
struct Gemm {
  int64_t m, n, k;
  const float* a;
  const float* b;
  float* c;
  int threads;   ///< CPU threads the kernel may use; GPU kernels ignore it
  void* stream;  ///< cudaStream_t on CUDA, null on the CPU
};

static inline bool gemm_b_is_transposed(DType dtype) {
  return dtype == DType::tf32 || dtype == DType::fp8 || dtype == DType::int8;
}

static inline Gemm gemm_of(const Launch& launch) {
  Gemm g;
  g.m = launch.shape.dim[kGemmM];
  g.n = launch.shape.dim[kGemmN];
  g.k = launch.shape.dim[kGemmK];
  g.a = (const float*)launch.buffers[kGemmA];
  g.b = (const float*)launch.buffers[kGemmB];
  g.c = (float*)launch.buffers[kGemmC];
  g.threads = launch.shape.threads;
  g.stream = launch.stream;
  return g;
}

}  // namespace ridge
