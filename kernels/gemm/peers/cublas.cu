// ridge: arch=75 needs=cublas
//
// Idea      The peer: cuBLAS, in every type that its GEMM takes. A product is one call; how
//           row-major matrices are shown to a library of columns stands in kernels/runtime/cuda/blas.h.
// Changed   Everything at once, by the people who built the chip. In fp32 the default math: fp32
//           throughout on the FMA units. TF32 is another type here, asked for by name (were it
//           forced from outside, the gate would refuse the fp32 result). CUBLAS_PEDANTIC_MATH is
//           not used: it may forbid the library's best kernels, and a peer is measured at its best.
//           But 16-bit partial sums are forbidden: ours are kept in fp32 too.
// Limits    FMA issue in fp32, power with tensor cores. Handle and workspace belong to the plan, so
//           that neither is made inside a timed call.
// Look at   How close the utilization comes to 100 %: what is left there is all a rung could gain.
// Source    cuBLAS documentation, "Data Layout", "cublasGemmEx", "cublasSetWorkspace".
#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/cuda/blas_operands.h"

#include <new>

namespace {

using namespace ridge;

struct CublasPlan {
  cublasHandle_t handle = nullptr;
  void* workspace = nullptr;
  cudaStream_t stream = nullptr;
  bool bound = false;  // to `stream`: binding anew resets the workspace, so it is done once
  blas::Operands operands;
};

void release(void* state) {
  auto* plan = static_cast<CublasPlan*>(state);
  if (plan->handle) cublasDestroy(plan->handle);
  cudaFree(plan->workspace);
  blas::free_operands(&plan->operands);
  delete plan;
}

Status fill_plan(const Shape& shape, CublasPlan* plan) {
  RIDGE_CUBLAS_CHECK(cublasCreate(&plan->handle));
  const int mode = CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
  RIDGE_CUBLAS_CHECK(cublasSetMathMode(plan->handle, static_cast<cublasMath_t>(mode)));
  RIDGE_CUDA_CHECK(cudaMalloc(&plan->workspace, blas::kWorkspaceBytes));
  return blas::make_operands(shape, dtype_size(shape.dtype) == 1, &plan->operands);
}

Status prepare(const Shape& shape, Plan* plan) {
  auto* state = new (std::nothrow) CublasPlan;
  if (!state) return {"out of memory", "new CublasPlan", __FILE__, __LINE__, false};
  if (const Status status = fill_plan(shape, state); !status.ok()) {
    release(state);
    return status;
  }
  *plan = {state, release, blas::kWorkspaceBytes + state->operands.workspace_bytes};
  return {};
}

Status launch(const Launch& launch) {
  auto* plan = static_cast<CublasPlan*>(launch.plan_state);
  const auto stream = static_cast<cudaStream_t>(launch.stream);
  if (!plan->bound || plan->stream != stream) {
    RIDGE_CUBLAS_CHECK(cublasSetStream(plan->handle, stream));
    RIDGE_CUBLAS_CHECK(cublasSetWorkspace(plan->handle, plan->workspace, blas::kWorkspaceBytes));
    plan->stream = stream;
    plan->bound = true;
  }
  blas::Product p;
  if (const Status s = blas::begin(plan->operands, launch, &p); !s.ok()) return s;
  const blas::Types types = blas::types_of(launch.shape.dtype);
  const blas::Scalar one = blas::scalar_of(types, 1), zero = blas::scalar_of(types, 0);
  const auto op_b = gemm_b_is_transposed(launch.shape.dtype) ? CUBLAS_OP_T : CUBLAS_OP_N;
  RIDGE_CUBLAS_CHECK(cublasGemmEx_64(plan->handle, op_b, CUBLAS_OP_N, p.n, p.m, p.k, &one, p.b,
                                     types.in, p.ldb, p.a, types.in, p.lda, &zero, p.c, types.out,
                                     p.ldc, types.compute, CUBLAS_GEMM_DEFAULT));
  return blas::finish(plan->operands, launch);
}

}  // namespace

RIDGE_KERNEL(gemm, cuda, cublas, .dtypes = "fp32 tf32 bf16 fp16 int8", .library = "cuBLAS",
             .version = blas::version, .prepare = prepare, .launch = launch);
