// What the cuBLAS peers share: NVIDIA's names for our types, and their errors. CUDA builds only.
#pragma once

#include <cublas_v2.h>

#include <cstdio>

#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/problems/gemm.h"

namespace ridge::blas {

constexpr size_t kWorkspaceBytes = size_t{32} << 20;  // what NVIDIA recommends for Hopper

inline Status status_of(cublasStatus_t status, const char* expression, const char* file, int line) {
  if (status == CUBLAS_STATUS_SUCCESS) return {};
  // A failed launch inside the library shows as CUDA's last error: that says whether it is sticky.
  const Status cuda = cuda_status(cudaGetLastError(), expression, file, line);
  if (!cuda.ok()) return cuda;
  return {cublasGetStatusString(status), expression, file, line, false};
}

/// In a function returning ridge::Status: returns at the first failing call.
#define RIDGE_CUBLAS_CHECK(call)                                                         \
  do {                                                                                   \
    if (const auto status = ::ridge::blas::status_of((call), #call, __FILE__, __LINE__); \
        !status.ok())                                                                    \
      return status;                                                                     \
  } while (false)

struct Types {
  cudaDataType_t in, out, scale;
  cublasComputeType_t compute;
};

/// TF32 is asked for by name, and never for fp32.
inline Types types_of(DType dtype) {
  switch (dtype) {
    case DType::tf32:
      return {CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32};
    case DType::bf16:
      return {CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F};
    case DType::fp16:
      return {CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F};
    case DType::fp8:
      return {CUDA_R_8F_E4M3, CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F};
    case DType::int8:
      return {CUDA_R_8I, CUDA_R_32I, CUDA_R_32I, CUBLAS_COMPUTE_32I};
    default:
      return {CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F};
  }
}

/// 1 or 0 in the type that a product is scaled in.
union Scalar {
  float real;
  int32_t whole;
};
inline Scalar scalar_of(const Types& types, int value) {
  Scalar scalar;
  if (types.scale == CUDA_R_32I) {
    scalar.whole = value;
  } else {
    scalar.real = static_cast<float>(value);
  }
  return scalar;
}

inline const char* version() {
  static char text[32];
  int major = 0, minor = 0, patch = 0;
  cublasGetProperty(MAJOR_VERSION, &major);
  cublasGetProperty(MINOR_VERSION, &minor);
  cublasGetProperty(PATCH_LEVEL, &patch);
  std::snprintf(text, sizeof text, "%d.%d.%d", major, minor, patch);
  return text;
}

}  // namespace ridge::blas
