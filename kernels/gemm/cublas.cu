// ridge: arch=75 needs=cublas
//
// Idea      The peer: cuBLAS in fp32. It stores matrices by columns; read as columns, our row-major
//           A, B and C are their transposes, and C^T = B^T A^T: swapping the operands gives the
//           row-major product with no transposition and no copy.
// Changed   Everything at once, by the people who built the chip. Default math: fp32 throughout on
//           the FMA units. TF32 would be an opt-in and is never asked for (were it forced from
//           outside, the gate would refuse the result). CUBLAS_PEDANTIC_MATH is not used: it may
//           forbid the library's best kernels, and a peer is measured at its best.
// Limits    FMA issue. Handle and workspace belong to the plan, so that neither is made inside a
//           timed call; 32 MiB is what NVIDIA recommends for Hopper.
// Look at   How close the utilization comes to 100 %: what is left there is all a rung could gain.
// Source    cuBLAS documentation, "Data Layout" and "cublasSetWorkspace".
#include <cublas_v2.h>

#include <cstdint>
#include <cstdio>
#include <new>

#include "kernels/device/check.h"
#include "kernels/gemm/gemm.h"

namespace {

constexpr size_t kWorkspaceBytes = size_t{32} << 20;

struct CublasPlan {
  cublasHandle_t handle = nullptr;
  void* workspace = nullptr;
  cudaStream_t stream = nullptr;
  bool bound = false;  // to `stream`: binding anew resets the workspace, so it is done once
};

void release(void* state) {
  auto* plan = static_cast<CublasPlan*>(state);
  if (plan->handle) cublasDestroy(plan->handle);
  cudaFree(plan->workspace);
  delete plan;
}

ridge::Status cublas_status(cublasStatus_t status, const char* expression, int line) {
  if (status == CUBLAS_STATUS_SUCCESS) return {};
  // A failed launch inside the library shows as CUDA's last error: that says whether it is sticky.
  const ridge::Status cuda = ridge::cuda_status(cudaGetLastError(), expression, __FILE__, line);
  if (!cuda.ok()) return cuda;
  return {cublasGetStatusString(status), expression, __FILE__, line, false};
}
#define RIDGE_CUBLAS_CHECK(call)                                                                 \
  do {                                                                                           \
    if (const auto status = cublas_status((call), #call, __LINE__); !status.ok()) return status; \
  } while (false)

ridge::Status fill_plan(CublasPlan* plan) {
  RIDGE_CUBLAS_CHECK(cublasCreate(&plan->handle));
  RIDGE_CUBLAS_CHECK(cublasSetMathMode(plan->handle, CUBLAS_DEFAULT_MATH));
  RIDGE_CUDA_CHECK(cudaMalloc(&plan->workspace, kWorkspaceBytes));
  return {};
}

ridge::Status prepare(const ridge::Shape&, ridge::Plan* plan) {
  auto* state = new (std::nothrow) CublasPlan;
  if (!state) return {"out of memory", "new CublasPlan", __FILE__, __LINE__, false};
  if (const ridge::Status status = fill_plan(state); !status.ok()) {
    release(state);
    return status;
  }
  *plan = {state, release, kWorkspaceBytes};
  return {};
}

ridge::Status launch(const ridge::Launch& launch) {
  auto* plan = static_cast<CublasPlan*>(launch.plan_state);
  const auto stream = static_cast<cudaStream_t>(launch.stream);
  if (!plan->bound || plan->stream != stream) {
    RIDGE_CUBLAS_CHECK(cublasSetStream(plan->handle, stream));
    RIDGE_CUBLAS_CHECK(cublasSetWorkspace(plan->handle, plan->workspace, kWorkspaceBytes));
    plan->stream = stream;
    plan->bound = true;
  }
  const ridge::Gemm g = ridge::gemm_of(launch);
  const float one = 1.0f, zero = 0.0f;
  RIDGE_CUBLAS_CHECK(cublasSgemm_64(plan->handle, CUBLAS_OP_N, CUBLAS_OP_N, g.n, g.m, g.k, &one,
                                    g.b, g.n, g.a, g.k, &zero, g.c, g.n));
  return {};
}

const char* version() {
  static char text[32];
  int major = 0, minor = 0, patch = 0;
  cublasGetProperty(MAJOR_VERSION, &major);
  cublasGetProperty(MINOR_VERSION, &minor);
  cublasGetProperty(PATCH_LEVEL, &patch);
  std::snprintf(text, sizeof text, "%d.%d.%d", major, minor, patch);
  return text;
}

}  // namespace

RIDGE_KERNEL(gemm, cuda, cublas, .dtypes = "fp32", .library = "cuBLAS", .version = version,
             .prepare = prepare, .launch = launch);
