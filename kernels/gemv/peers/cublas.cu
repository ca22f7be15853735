// ridge: arch=75 needs=cublas
//
// Idea      The peer in bf16: one call of cublasGemmEx for this shape, a product with `batch` columns.
// Changed   Everything, by the people who built the chip.
// Limits    Memory: the weights' bytes.
// Look at   Its bandwidth beside the reading ceiling. It is the baseline that int8 and int4 are held against.
// Source    cuBLAS documentation, "cublasGemmEx".
#include <new>

#include "common/harness/kernel/cuda_check.h"
#include "kernels/gemv/gemv.h"
#include "kernels/runtime/cuda/blas.h"

namespace {

using namespace ridge;

struct GemvBlas {
  int64_t turn = 0;
  cublasHandle_t handle = nullptr;
  void* workspace = nullptr;
  cudaStream_t stream = nullptr;
  bool bound = false;
};

void release(void* state) {
  auto* plan = static_cast<GemvBlas*>(state);
  if (plan->handle) cublasDestroy(plan->handle);
  cudaFree(plan->workspace);
  delete plan;
}

Status fill_plan(GemvBlas* plan) {
  RIDGE_CUBLAS_CHECK(cublasCreate(&plan->handle));
  const int mode = CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
  RIDGE_CUBLAS_CHECK(cublasSetMathMode(plan->handle, static_cast<cublasMath_t>(mode)));
  RIDGE_CUDA_CHECK(cudaMalloc(&plan->workspace, blas::kWorkspaceBytes));
  return {};
}

Status prepare(const Shape&, Plan* plan) {
  auto* state = new (std::nothrow) GemvBlas;
  if (!state) return {"out of memory", "new GemvBlas", __FILE__, __LINE__, false};
  if (const Status status = fill_plan(state); !status.ok()) {
    release(state);
    return status;
  }
  *plan = {state, release, blas::kWorkspaceBytes};
  return {};
}

Status launch(const Launch& launch) {
  auto* plan = static_cast<GemvBlas*>(launch.plan_state);
  const auto stream = static_cast<cudaStream_t>(launch.stream);
  if (!plan->bound || plan->stream != stream) {  // binding resets the workspace: once
    RIDGE_CUBLAS_CHECK(cublasSetStream(plan->handle, stream));
    RIDGE_CUBLAS_CHECK(cublasSetWorkspace(plan->handle, plan->workspace, blas::kWorkspaceBytes));
    plan->stream = stream, plan->bound = true;
  }
  const Gemv g = gemv_next(launch, &plan->turn);
  const float one = 1, zero = 0;
  // Read by columns y is n x batch, W k x n and so to be transposed, x k x batch.
  RIDGE_CUBLAS_CHECK(cublasGemmEx_64(plan->handle, CUBLAS_OP_T, CUBLAS_OP_N, g.n, g.batch, g.k,
                                     &one, g.w, CUDA_R_16BF, g.k, g.x, CUDA_R_16BF, g.k, &zero, g.y,
                                     CUDA_R_16BF, g.n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
  return {};
}

}  // namespace

RIDGE_KERNEL(gemv, cuda, cublas, .dtypes = "bf16", .library = "cuBLAS", .version = blas::version,
             .prepare = prepare, .launch = launch);
