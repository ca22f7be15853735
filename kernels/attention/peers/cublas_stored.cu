// ridge: arch=75 needs=cublas
//
// Idea      The stored path as a framework without a fused kernel runs it: cuBLAS for both products, scores in fp32,
//           weights in the type, a softmax kernel between them.
// Changed   The products at the library's speed, on the tensor cores for 16-bit types. The softmax of a row is
//           written over it, in the row's first half.
// Limits    The scores' way through memory: written, read three times, written, read.
// Look at   causal: the library computes the masked half as well. And how much of the time is no product.
// Source    cuBLAS documentation, cublasGemmStridedBatchedEx; the query heads of a group are one tall matrix.
#include <new>

#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/cuda/blas.h"
#include "kernels/runtime/cuda/stored_scores.h"

namespace {

using namespace ridge;
using namespace ridge::device;

struct CublasScores {
  cublasHandle_t handle = nullptr;
  void* workspace = nullptr;
  Plan scores;
};

void release(void* state) {
  auto* plan = static_cast<CublasScores*>(state);
  if (plan->handle) cublasDestroy(plan->handle);
  cudaFree(plan->workspace);
  if (plan->scores.release) plan->scores.release(plan->scores.state);
  delete plan;
}

/// A warp a row: 0 from the first masked key on. A weight takes the place of scores that are read already.
template <typename T>
__global__ void attention_cublas_softmax_kernel(Attention a, float* s) {
  const int64_t row = static_cast<int64_t>(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= a.heads * a.sequence) return;
  const float* from = s + row * a.sequence;
  const int lane = static_cast<int>(threadIdx.x) % 32, n = static_cast<int>(a.sequence),
            seen = static_cast<int>(a.causal ? row % a.sequence + 1 : a.sequence);
  float row_max = -INFINITY, sum = 0;
  for (int j = lane; j < seen; j += 32) row_max = fmaxf(row_max, from[j]);
  row_max = over_warp(row_max, [](float x, float y) { return fmaxf(x, y); });
  for (int j = lane; j < seen; j += 32) sum += expf(from[j] - row_max);
  sum = over_warp(sum, [](float x, float y) { return x + y; });
  auto* to = reinterpret_cast<T*>(s + row * a.sequence);
  for (int j0 = 0; j0 < n; j0 += 32) {
    const int j = j0 + lane;
    const float p = j < seen ? expf(from[j] - row_max) / sum : 0;
    __syncwarp();
    if (j < n) to[j] = T(p);
    __syncwarp();
  }
}

Status fill_plan(const Shape& shape, CublasScores* plan) {
  if (const Status s = prepare_scores(shape, &plan->scores); !s.ok()) return s;
  RIDGE_CUBLAS_CHECK(cublasCreate(&plan->handle));
  RIDGE_CUDA_CHECK(cudaMalloc(&plan->workspace, blas::kWorkspaceBytes));
  return {};
}

Status prepare(const Shape& shape, Plan* plan) {
  auto* state = new (std::nothrow) CublasScores;
  if (!state) return {"out of memory", "new CublasScores", __FILE__, __LINE__, false};
  if (const Status status = fill_plan(shape, state); !status.ok()) {
    release(state);
    return status;
  }
  *plan = {state, release, state->scores.workspace_bytes + blas::kWorkspaceBytes};
  return {};
}

/// Read as columns, our row-major S is K Qt and O is Vt Pt (kernels/runtime/cuda/blas.h).
template <typename T>
Status multiply(const Attention& a, DType dtype, const CublasScores& plan) {
  const blas::Types types = blas::types_of(dtype);
  const int64_t n = a.sequence, rows = a.group * n, heads = a.heads / a.group;
  const int64_t p_row = n * int64_t{sizeof(float) / sizeof(T)};
  auto* s = static_cast<float*>(plan.scores.state);
  const float scale = a.scale, one = 1, zero = 0;
  RIDGE_CUBLAS_CHECK(cublasGemmStridedBatchedEx_64(
      plan.handle, CUBLAS_OP_T, CUBLAS_OP_N, n, rows, a.d, &scale, a.k, types.in, a.d, n * a.d, a.q,
      types.in, a.d, rows * a.d, &zero, s, CUDA_R_32F, n, rows * n, heads, types.compute,
      CUBLAS_GEMM_DEFAULT));
  const auto blocks = static_cast<unsigned>((a.heads * n + 7) / 8);
  attention_cublas_softmax_kernel<T><<<blocks, 256, 0, static_cast<cudaStream_t>(a.stream)>>>(a, s);
  if (const Status made = RIDGE_CUDA_LAUNCHED(attention_cublas_softmax_kernel); !made.ok())
    return made;
  RIDGE_CUBLAS_CHECK(cublasGemmStridedBatchedEx_64(
      plan.handle, CUBLAS_OP_N, CUBLAS_OP_N, a.d, rows, n, &one, a.v, types.in, a.d, n * a.d, s,
      types.in, p_row, rows * p_row, &zero, a.o, types.out, a.d, rows * a.d, heads, types.compute,
      CUBLAS_GEMM_DEFAULT));
  return {};
}

Status launch(const Launch& launch) {
  const auto& plan = *static_cast<CublasScores*>(launch.plan_state);
  RIDGE_CUBLAS_CHECK(cublasSetStream(plan.handle, static_cast<cudaStream_t>(launch.stream)));
  RIDGE_CUBLAS_CHECK(cublasSetWorkspace(plan.handle, plan.workspace, blas::kWorkspaceBytes));
  return with_element<float, Bfloat, Half>(launch.shape.dtype, [&]<typename T>(T) -> Status {
    return multiply<T>(attention_of(launch), launch.shape.dtype, plan);
  });
}

}  // namespace

RIDGE_KERNEL(attention, cuda, cublas_stored, .dtypes = "fp32 bf16 fp16", .library = "cuBLAS",
             .version = ridge::blas::version, .prepare = prepare, .launch = launch);
