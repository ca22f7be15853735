// A product by cuBLASLt in its fastest way, found by trying: the engine of the GEMM lab's peer and of the fp8 layer's.
//
// Source    cuBLASLt documentation, "cublasLtMatmulAlgoGetHeuristic", "Floating Point 8-bit"; cublasLt.h on
//           CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F.
#pragma once

#include <cublasLt.h>

#include <cstdio>
#include <new>

#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/cuda/blas_operands.h"
#include "kernels/runtime/cuda/blas_tuning.h"

namespace ridge::blas {

constexpr int kMaxAlgorithms = 16;

/// What becomes of each sum of an fp8 product before it is stored: relu(sum * rows[i] * columns[j] + bias[j]).
struct LtEpilogue {
  const float *rows, *columns;
  const void* bias;  ///< bf16
};

struct LtPlan {
  cublasLtHandle_t handle = nullptr;
  cublasLtMatmulDesc_t product = nullptr;
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, c = nullptr;
  cublasLtMatmulAlgo_t algorithm = {};
  void* workspace = nullptr;
  Types types = {};
  Operands operands;
  bool fused = false;
  bool promotes = false;  ///< fp8: sums leave the tensor cores for fp32 registers every few products
};

inline void release_lt(void* state) {
  auto* plan = static_cast<LtPlan*>(state);
  for (const auto layout : {plan->a, plan->b, plan->c})
    if (layout) cublasLtMatrixLayoutDestroy(layout);
  if (plan->product) cublasLtMatmulDescDestroy(plan->product);
  if (plan->handle) cublasLtDestroy(plan->handle);
  cudaFree(plan->workspace);
  free_operands(&plan->operands);
  delete plan;
}

template <class T>
Status set_lt(LtPlan* plan, cublasLtMatmulDescAttributes_t name, T value) {
  RIDGE_CUBLAS_CHECK(cublasLtMatmulDescSetAttribute(plan->product, name, &value, sizeof value));
  return {};
}

/// Before a multiplication. Column-major: B is the library's first operand, and its rows are what columns are here.
inline Status point_to(LtPlan* plan, const LtEpilogue& epilogue) {
  Status s = set_lt(plan, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, epilogue.columns);
  if (s.ok()) s = set_lt(plan, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, epilogue.rows);
  if (s.ok()) s = set_lt(plan, CUBLASLT_MATMUL_DESC_BIAS_POINTER, epilogue.bias);
  return s;
}

inline Status ask_for_epilogue(LtPlan* plan) {
  constexpr auto kMode = CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F;
  Status s = set_lt(plan, CUBLASLT_MATMUL_DESC_A_SCALE_MODE, kMode);
  if (s.ok()) s = set_lt(plan, CUBLASLT_MATMUL_DESC_B_SCALE_MODE, kMode);
  if (s.ok()) s = set_lt(plan, CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_RELU_BIAS);
  if (s.ok()) s = set_lt(plan, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, CUDA_R_16BF);
  return s;
}

inline Status describe_lt(const Shape& shape, LtPlan* plan) {
  if (const Status s = make_operands(shape, dtype_size(shape.dtype) == 1, &plan->operands); !s.ok())
    return s;
  const Product& p = plan->operands.product;
  const Types types = plan->types = types_of(shape.dtype);
  const bool transposed = gemm_b_is_transposed(shape.dtype);
  const cublasOperation_t op_b = transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  const auto rows_b = static_cast<uint64_t>(transposed ? p.k : p.n);
  const auto columns_b = static_cast<uint64_t>(transposed ? p.n : p.k);
  const auto m = static_cast<uint64_t>(p.m), n = static_cast<uint64_t>(p.n);
  RIDGE_CUBLAS_CHECK(cublasLtCreate(&plan->handle));
  RIDGE_CUDA_CHECK(cudaMalloc(&plan->workspace, kWorkspaceBytes));
  RIDGE_CUBLAS_CHECK(cublasLtMatmulDescCreate(&plan->product, types.compute, types.scale));
  Status set = set_lt(plan, CUBLASLT_MATMUL_DESC_TRANSA, op_b);
  if (set.ok() && shape.dtype == DType::fp8)
    set = set_lt(plan, CUBLASLT_MATMUL_DESC_FAST_ACCUM, static_cast<int8_t>(plan->promotes ? 0 : 1));
  if (set.ok() && plan->fused) set = ask_for_epilogue(plan);
  if (!set.ok()) return set;
  RIDGE_CUBLAS_CHECK(cublasLtMatrixLayoutCreate(&plan->b, types.in, rows_b, columns_b, p.ldb));
  RIDGE_CUBLAS_CHECK(
      cublasLtMatrixLayoutCreate(&plan->a, types.in, static_cast<uint64_t>(p.k), m, p.lda));
  RIDGE_CUBLAS_CHECK(cublasLtMatrixLayoutCreate(&plan->c, types.out, n, m, p.ldc));
  return {};
}

inline Status multiply_lt(const LtPlan& plan, const cublasLtMatmulAlgo_t& algorithm,
                          const Product& p, cudaStream_t stream) {
  const Scalar one = scalar_of(plan.types, 1), zero = scalar_of(plan.types, 0);
  RIDGE_CUBLAS_CHECK(cublasLtMatmul(plan.handle, plan.product, &one, p.b, plan.b, p.a, plan.a,
                                    &zero, p.c, plan.c, p.c, plan.c, &algorithm, plan.workspace,
                                    kWorkspaceBytes, stream));
  return {};
}

/// The heuristics' list. Partial sums of a split K are kept in fp32 as ours are: in C only where C is of that type.
inline Status list_lt(const LtPlan& plan, cublasLtMatmulHeuristicResult_t* list, int* count) {
  const size_t bytes = kWorkspaceBytes;
  const bool is_wide = plan.types.out == CUDA_R_32F || plan.types.out == CUDA_R_32I;
  const uint32_t reduction =
      CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE | (is_wide ? CUBLASLT_REDUCTION_SCHEME_INPLACE : 0u);
  cublasLtMatmulPreference_t wish = nullptr;
  RIDGE_CUBLAS_CHECK(cublasLtMatmulPreferenceCreate(&wish));
  cublasLtMatmulPreferenceSetAttribute(wish, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes,
                                       sizeof bytes);
  cublasLtMatmulPreferenceSetAttribute(wish, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &reduction,
                                       sizeof reduction);
  const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(plan.handle, plan.product, plan.b, plan.a, plan.c,
                                                               plan.c, wish, kMaxAlgorithms, list, count);
  cublasLtMatmulPreferenceDestroy(wish);
  if (status == CUBLAS_STATUS_NOT_SUPPORTED || (status == CUBLAS_STATUS_SUCCESS && *count == 0))
    return refuse("cuBLASLt has no algorithm for this type and shape on this GPU");
  return status_of(status, "cublasLtMatmulAlgoGetHeuristic", __FILE__, __LINE__);
}

struct LtChoice {
  LtPlan* plan;
  cublasLtMatmulHeuristicResult_t list[kMaxAlgorithms];
};

inline Status try_lt(void* context, int index, const Product& product, cudaStream_t stream) {
  const auto* choice = static_cast<const LtChoice*>(context);
  return multiply_lt(*choice->plan, choice->list[index].algo, product, stream);
}

template <class T>
T lt_attribute(const cublasLtMatmulAlgo_t& algorithm, cublasLtMatmulAlgoConfigAttributes_t name) {
  T value = {};
  size_t written = 0;
  cublasLtMatmulAlgoConfigGetAttribute(&algorithm, name, &value, sizeof value, &written);
  return value;
}

/// "algorithm 3 of 8 tried: id 66, tile id 21, stages id 34, split-K 1": tile and stages as the library's header
/// numbers them (cublasLtMatmulTile_t, cublasLtMatmulStages_t).
inline void note_lt(const cublasLtMatmulAlgo_t& algorithm, const Choice& choice, Plan* plan) {
  snprintf(plan->note, sizeof plan->note,
           "algorithm %d of %d tried: id %d, tile id %u, stages id %u, split-K %d", choice.index + 1, choice.tried,
           lt_attribute<int32_t>(algorithm, CUBLASLT_ALGO_CONFIG_ID),
           lt_attribute<uint32_t>(algorithm, CUBLASLT_ALGO_CONFIG_TILE_ID),
           lt_attribute<uint32_t>(algorithm, CUBLASLT_ALGO_CONFIG_STAGES_ID),
           lt_attribute<int32_t>(algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM));
}

/// The fastest of 16 algorithms. `at_first`: what scales and bias an fp8 product is tried with, of whole rows and
/// columns (operands.product); null: none, the sums themselves. `promotes`: as in LtPlan.
inline Status prepare_lt(const Shape& shape, const LtEpilogue* at_first, Plan* plan, bool promotes = false) {
  LtChoice choice = {new (std::nothrow) LtPlan, {}};
  if (!choice.plan) return {"out of memory", "new LtPlan", __FILE__, __LINE__, false};
  choice.plan->fused = at_first != nullptr;
  choice.plan->promotes = promotes;
  int count = 0;
  Choice fastest;
  Status status = describe_lt(shape, choice.plan);
  if (status.ok() && at_first) status = point_to(choice.plan, *at_first);
  if (status.ok()) status = list_lt(*choice.plan, choice.list, &count);
  if (status.ok())
    status =
        find_fastest(shape.dtype, choice.plan->operands.product, count, try_lt, &choice, &fastest);
  if (!status.ok()) {
    release_lt(choice.plan);
    return status;
  }
  choice.plan->algorithm = choice.list[fastest.index].algo;
  *plan = {choice.plan, release_lt, kWorkspaceBytes + choice.plan->operands.workspace_bytes};
  note_lt(choice.plan->algorithm, fastest, plan);
  return {};
}

inline Status launch_lt(const Launch& launch) {
  const auto* plan = static_cast<const LtPlan*>(launch.plan_state);
  const auto stream = static_cast<cudaStream_t>(launch.stream);
  Product product;
  if (const Status s = begin(plan->operands, launch, &product); !s.ok()) return s;
  if (const Status s = multiply_lt(*plan, plan->algorithm, product, stream); !s.ok()) return s;
  return finish(plan->operands, launch);
}

}  // namespace ridge::blas
