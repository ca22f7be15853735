// ridge: arch=75 needs=cublas
//
// Idea      The peer at its best: cuBLASLt is asked for the 16 algorithms that its heuristics like
//           most for this shape; each is timed on random data, and the fastest is kept.
// Changed   cuBLAS takes the first of that list. The list is good, but it is a guess.
// Limits    Power, with tensor cores at work. Choosing happens in prepare(), which is not timed: a
//           program that multiplies more than once would do the same. At large sizes not all of the
//           list is tried: half a second is the limit.
// Look at   The difference to cuBLAS. A rung has beaten the library only if it beats this one. (fp8
//           with fast accumulation: partial sums stay in the tensor cores, as in our own rungs.)
// Source    cuBLASLt documentation, "cublasLtMatmulAlgoGetHeuristic", "Floating Point 8-bit".
#include <cublasLt.h>

#include <cstdio>
#include <new>

#include "kernels/gemm/blas_operands.h"
#include "kernels/gemm/blas_tuning.h"

namespace {

using namespace ridge;

constexpr int kMostAlgorithms = 16;

struct LtPlan {
  cublasLtHandle_t handle = nullptr;
  cublasLtMatmulDesc_t product = nullptr;
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, c = nullptr;
  cublasLtMatmulAlgo_t algorithm = {};
  void* workspace = nullptr;
  blas::Types types = {};
  blas::Operands operands;
};

void release(void* state) {
  auto* plan = static_cast<LtPlan*>(state);
  for (const auto layout : {plan->a, plan->b, plan->c})
    if (layout) cublasLtMatrixLayoutDestroy(layout);
  if (plan->product) cublasLtMatmulDescDestroy(plan->product);
  if (plan->handle) cublasLtDestroy(plan->handle);
  cudaFree(plan->workspace);
  blas::free_operands(&plan->operands);
  delete plan;
}

Status describe(const Shape& shape, LtPlan* plan) {
  if (const Status s = blas::make_operands(shape, dtype_size(shape.dtype) == 1, &plan->operands);
      !s.ok())
    return s;
  const blas::Product& p = plan->operands.product;
  const blas::Types types = plan->types = blas::types_of(shape.dtype);
  const bool transposed = gemm_b_is_transposed(shape.dtype);
  const cublasOperation_t op_b = transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  const auto rows_b = static_cast<uint64_t>(transposed ? p.k : p.n);
  const auto columns_b = static_cast<uint64_t>(transposed ? p.n : p.k);
  const auto m = static_cast<uint64_t>(p.m), n = static_cast<uint64_t>(p.n);
  const int8_t fast = 1;
  RIDGE_CUBLAS_CHECK(cublasLtCreate(&plan->handle));
  RIDGE_CUDA_CHECK(cudaMalloc(&plan->workspace, blas::kWorkspaceBytes));
  RIDGE_CUBLAS_CHECK(cublasLtMatmulDescCreate(&plan->product, types.compute, types.scale));
  RIDGE_CUBLAS_CHECK(cublasLtMatmulDescSetAttribute(plan->product, CUBLASLT_MATMUL_DESC_TRANSA,
                                                    &op_b, sizeof op_b));
  if (shape.dtype == DType::fp8) {
    RIDGE_CUBLAS_CHECK(cublasLtMatmulDescSetAttribute(
        plan->product, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &fast, sizeof fast));
  }
  RIDGE_CUBLAS_CHECK(cublasLtMatrixLayoutCreate(&plan->b, types.in, rows_b, columns_b, p.ldb));
  RIDGE_CUBLAS_CHECK(
      cublasLtMatrixLayoutCreate(&plan->a, types.in, static_cast<uint64_t>(p.k), m, p.lda));
  RIDGE_CUBLAS_CHECK(cublasLtMatrixLayoutCreate(&plan->c, types.out, n, m, p.ldc));
  return {};
}

Status multiply(const LtPlan& plan, const cublasLtMatmulAlgo_t& algorithm, const blas::Product& p,
                cudaStream_t stream) {
  const blas::Scalar one = blas::scalar_of(plan.types, 1), zero = blas::scalar_of(plan.types, 0);
  RIDGE_CUBLAS_CHECK(cublasLtMatmul(plan.handle, plan.product, &one, p.b, plan.b, p.a, plan.a,
                                    &zero, p.c, plan.c, p.c, plan.c, &algorithm, plan.workspace,
                                    blas::kWorkspaceBytes, stream));
  return {};
}

/// The heuristics' list. Partial sums of a split K are kept in fp32 as ours are, not in C's type.
Status list_algorithms(const LtPlan& plan, cublasLtMatmulHeuristicResult_t* list, int* count) {
  const size_t bytes = blas::kWorkspaceBytes;
  const uint32_t reduction = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
  cublasLtMatmulPreference_t wish = nullptr;
  RIDGE_CUBLAS_CHECK(cublasLtMatmulPreferenceCreate(&wish));
  cublasLtMatmulPreferenceSetAttribute(wish, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes,
                                       sizeof bytes);
  cublasLtMatmulPreferenceSetAttribute(wish, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &reduction,
                                       sizeof reduction);
  const cublasStatus_t status =
      cublasLtMatmulAlgoGetHeuristic(plan.handle, plan.product, plan.b, plan.a, plan.c, plan.c,
                                     wish, kMostAlgorithms, list, count);
  cublasLtMatmulPreferenceDestroy(wish);
  if (status == CUBLAS_STATUS_NOT_SUPPORTED || (status == CUBLAS_STATUS_SUCCESS && *count == 0))
    return {"cuBLASLt has no algorithm for this type and shape on this GPU",
            "cublasLtMatmulAlgoGetHeuristic", __FILE__, __LINE__, false};
  return blas::status_of(status, "cublasLtMatmulAlgoGetHeuristic", __FILE__, __LINE__);
}

struct Choice {
  LtPlan* plan;
  cublasLtMatmulHeuristicResult_t list[kMostAlgorithms];
};

Status try_choice(void* context, int index, const blas::Product& product, cudaStream_t stream) {
  const auto* choice = static_cast<const Choice*>(context);
  return multiply(*choice->plan, choice->list[index].algo, product, stream);
}

template <class T>
T attribute(const cublasLtMatmulAlgo_t& algorithm, cublasLtMatmulAlgoConfigAttributes_t name) {
  T value = {};
  size_t written = 0;
  cublasLtMatmulAlgoConfigGetAttribute(&algorithm, name, &value, sizeof value, &written);
  return value;
}

/// "algorithm 3 of 8: id 66, tile id 21, stages id 34, split-K 1": tile and stages as the library's header
/// numbers them (cublasLtMatmulTile_t, cublasLtMatmulStages_t).
void describe_choice(const cublasLtMatmulAlgo_t& algorithm, int index, int count, Plan* plan) {
  snprintf(plan->note, sizeof plan->note,
           "algorithm %d of %d: id %d, tile id %u, stages id %u, split-K %d", index + 1, count,
           attribute<int32_t>(algorithm, CUBLASLT_ALGO_CONFIG_ID),
           attribute<uint32_t>(algorithm, CUBLASLT_ALGO_CONFIG_TILE_ID),
           attribute<uint32_t>(algorithm, CUBLASLT_ALGO_CONFIG_STAGES_ID),
           attribute<int32_t>(algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM));
}

Status prepare(const Shape& shape, Plan* plan) {
  Choice choice = {new (std::nothrow) LtPlan, {}};
  if (!choice.plan) return {"out of memory", "new LtPlan", __FILE__, __LINE__, false};
  int count = 0, best = 0;
  Status status = describe(shape, choice.plan);
  if (status.ok()) status = list_algorithms(*choice.plan, choice.list, &count);
  if (status.ok())
    status = blas::find_fastest(shape.dtype, choice.plan->operands.product, count, try_choice,
                                &choice, &best);
  if (!status.ok()) {
    release(choice.plan);
    return status;
  }
  choice.plan->algorithm = choice.list[best].algo;
  *plan = {choice.plan, release, blas::kWorkspaceBytes + choice.plan->operands.workspace_bytes};
  describe_choice(choice.plan->algorithm, best, count, plan);
  return {};
}

Status launch(const Launch& launch) {
  const auto* plan = static_cast<const LtPlan*>(launch.plan_state);
  const auto stream = static_cast<cudaStream_t>(launch.stream);
  blas::Product product;
  if (const Status s = blas::begin(plan->operands, launch, &product); !s.ok()) return s;
  if (const Status s = multiply(*plan, plan->algorithm, product, stream); !s.ok()) return s;
  return blas::finish(plan->operands, launch);
}

}  // namespace

RIDGE_KERNEL(gemm, cuda, cublaslt, .dtypes = "bf16 fp16 tf32 fp8 int8 fp32", .library = "cuBLASLt",
             .version = blas::version, .prepare = prepare, .launch = launch);
