// Operands as the cuBLAS peers want them. CUDA builds only.
//
// The libraries store matrices by columns; read as columns, our row-major A, B and C are their
// transposes, and C^T = B^T A^T: B is their first operand, A the second, and nothing is transposed
// or copied. But 8-bit types are taken only where 16 divides k and n (and CUTLASS takes no other
// than whole 16 bytes). For the others A and B get longer rows (padding.h: zeros add nothing to a
// product), B whole rows more, and C longer ones, which are cut off at the end. All of it is copied
// inside launch(), hence timed.
#pragma once

#include <algorithm>

#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/cuda/blas.h"
#include "kernels/runtime/cuda/padding.h"

namespace ridge::blas {

/// A product as the libraries are asked for it: sizes and leading dimensions in elements.
struct Product {
  int64_t m = 0, n = 0, k = 0, lda = 0, ldb = 0, ldc = 0;
  const void* a = nullptr;
  const void* b = nullptr;
  void* c = nullptr;
};

/// Workspaces of one shape, of the plan: all null where the shape needs none.
struct Operands {
  Product product;  // its pointers are set by begin()
  Padding padding;
  void* wide_b = nullptr;
  void* wide_c = nullptr;
  bool aligned = false;
  size_t b_bytes = 0, out_bytes = 0, workspace_bytes = 0;
};

/// `aligned`: n and k have to be whole 16 bytes.
inline Status make_operands(const Shape& shape, bool aligned, Operands* operands) {
  const int64_t m = shape.dim[kGemmM], n = shape.dim[kGemmN], k = shape.dim[kGemmK];
  const bool transposed = gemm_b_is_transposed(shape.dtype);
  const auto element = static_cast<int64_t>(dtype_size(shape.dtype));
  const auto out =
      static_cast<int64_t>(shape.dtype == DType::int8 ? 4 : std::max<int64_t>(element, 2));
  operands->product = {m, n, k, k, transposed ? k : n, n};
  operands->aligned = aligned;
  operands->out_bytes = static_cast<size_t>(out);
  if (!aligned) return {};
  Padding& padding = operands->padding;
  if (const Status s = make_padding(shape, &padding); !s.ok()) return s;
  const int64_t step = 16 / element, wide_n = (n + step - 1) / step * step, wide_k = padding.lda;
  operands->product = {m, wide_n, wide_k, wide_k, padding.ldb, wide_n};
  operands->workspace_bytes = padding.a_bytes + padding.b_bytes;
  const int64_t rows = transposed ? n : k, wide_rows = transposed ? wide_n : wide_k;
  if (wide_rows != rows) {
    const auto bytes = static_cast<size_t>(wide_rows * padding.ldb * element);
    operands->b_bytes = static_cast<size_t>(rows * padding.ldb * element);
    operands->workspace_bytes += bytes;
    RIDGE_CUDA_CHECK(cudaMalloc(&operands->wide_b, bytes));
    RIDGE_CUDA_CHECK(cudaMemset(operands->wide_b, 0, bytes));
  }
  if (wide_n != n) {
    const auto bytes = static_cast<size_t>(m * wide_n * out);
    operands->workspace_bytes += bytes;
    RIDGE_CUDA_CHECK(cudaMalloc(&operands->wide_c, bytes));
  }
  return {};
}

inline void free_operands(Operands* operands) {
  free_padding(&operands->padding);
  cudaFree(operands->wide_b);
  cudaFree(operands->wide_c);
}

/// Copies what must be copied, and says what to multiply.
inline Status begin(const Operands& operands, const Launch& launch, Product* product) {
  *product = operands.product;
  product->a = launch.buffers[kGemmA];
  product->b = launch.buffers[kGemmB];
  product->c = operands.wide_c ? operands.wide_c : launch.buffers[kGemmC];
  if (!operands.aligned) return {};
  AlignedOperands in;
  if (const Status s = align_operands(operands.padding, launch, &in); !s.ok()) return s;
  product->a = in.a;
  product->b = in.b;
  if (!operands.wide_b) return {};
  RIDGE_CUDA_CHECK(cudaMemcpyAsync(operands.wide_b, in.b, operands.b_bytes,
                                   cudaMemcpyDeviceToDevice,
                                   static_cast<cudaStream_t>(launch.stream)));
  product->b = operands.wide_b;
  return {};
}

/// Cuts C's rows to their length, where they were longer.
inline Status finish(const Operands& operands, const Launch& launch) {
  if (!operands.wide_c) return {};
  const size_t row = static_cast<size_t>(launch.shape.dim[kGemmN]) * operands.out_bytes;
  RIDGE_CUDA_CHECK(cudaMemcpy2DAsync(launch.buffers[kGemmC], row, operands.wide_c,
                                     static_cast<size_t>(operands.product.ldc) * operands.out_bytes,
                                     row, static_cast<size_t>(launch.shape.dim[kGemmM]),
                                     cudaMemcpyDeviceToDevice,
                                     static_cast<cudaStream_t>(launch.stream)));
  return {};
}

}  // namespace ridge::blas
