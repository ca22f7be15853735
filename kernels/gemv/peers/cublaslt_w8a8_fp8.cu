// ridge: arch=89 needs=cublas
//
// Idea      The peer in fp8: one call of cuBLASLt, which multiplies by the scales of both sides, adds the bias, takes
//           the ReLU and stores bf16; the fastest of 16 algorithms.
// Changed   Here the library fuses too: nothing is left to win behind the product.
// Limits    Power; with few rows of x, memory.
// Look at   The same with int8, whose sums the library hands over.
// Source    cuBLASLt documentation, "Floating Point 8-bit"; kernels/runtime/cuda/lt_product.h.
#include "common/harness/kernel/cuda_check.h"
#include "kernels/gemv/product.h"
#include "kernels/runtime/cuda/lt_product.h"

namespace {

using namespace ridge;

struct Fp8Plan {
  int64_t turn = 0;
  Plan product;
  int64_t wide_n = 0;
  float *rows = nullptr,
        *columns = nullptr;  ///< where n is no multiple of 16: the columns' scales with more behind
  void* bias = nullptr;
};

void release(void* state) {
  auto* plan = static_cast<Fp8Plan*>(state);
  if (plan->product.release && plan->product.state) plan->product.release(plan->product.state);
  cudaFree(plan->rows), cudaFree(plan->columns), cudaFree(plan->bias);
  delete plan;
}

/// What the library's ways are tried with: scales of 0.747, since zeros would leave the stores of nothing but zeros
/// cheaper than a layer's are. No bias.
Status make_vectors(const Shape& shape, Fp8Plan* plan) {
  const auto rows = static_cast<size_t>(shape.dim[kGemvBatch]) * sizeof(float);
  plan->wide_n = (shape.dim[kGemvN] + 15) / 16 * 16;
  const auto columns = static_cast<size_t>(plan->wide_n) * sizeof(float);
  RIDGE_CUDA_CHECK(cudaMalloc(&plan->rows, rows));
  RIDGE_CUDA_CHECK(cudaMalloc(&plan->columns, columns));
  RIDGE_CUDA_CHECK(cudaMalloc(&plan->bias, columns / 2));
  RIDGE_CUDA_CHECK(cudaMemset(plan->rows, 0x3f, rows));
  RIDGE_CUDA_CHECK(cudaMemset(plan->columns, 0x3f, columns));
  RIDGE_CUDA_CHECK(cudaMemset(plan->bias, 0, columns / 2));
  return {};
}

Status prepare(const Shape& shape, Plan* plan) {
  auto* state = new (std::nothrow) Fp8Plan;
  if (!state) return {"out of memory", "new Fp8Plan", __FILE__, __LINE__, false};
  plan->state = state;
  plan->release = release;
  if (const Status s = make_vectors(shape, state); !s.ok()) return s;
  const blas::LtEpilogue at_first = {state->rows, state->columns, state->bias};
  const Status s = blas::prepare_lt(gemv_product(shape, DType::fp8),
                                    shape.dim[kGemvFused] ? &at_first : nullptr, &state->product);
  plan->workspace_bytes = state->product.workspace_bytes;
  for (size_t i = 0; i < sizeof plan->note; ++i) plan->note[i] = state->product.note[i];
  return s;
}

/// The library reads whole sixteens of them.
Status widen(const Gemv& g, const Fp8Plan& plan, blas::LtEpilogue* epilogue) {
  if (plan.wide_n == g.n) return {};
  const auto n = static_cast<size_t>(g.n);
  const auto stream = static_cast<cudaStream_t>(g.stream);
  RIDGE_CUDA_CHECK(
      cudaMemcpyAsync(plan.columns, g.scales, n * 4, cudaMemcpyDeviceToDevice, stream));
  RIDGE_CUDA_CHECK(cudaMemcpyAsync(plan.bias, g.bias, n * 2, cudaMemcpyDeviceToDevice, stream));
  epilogue->columns = plan.columns;
  epilogue->bias = plan.bias;
  return {};
}

Status launch(const Launch& launch) {
  auto* plan = static_cast<Fp8Plan*>(launch.plan_state);
  const Gemv g = gemv_next(launch, &plan->turn);
  if (g.fused) {
    blas::LtEpilogue epilogue = {g.x_scales, static_cast<const float*>(g.scales), g.bias};
    if (const Status s = widen(g, *plan, &epilogue); !s.ok()) return s;
    auto* product = static_cast<blas::LtPlan*>(plan->product.state);
    if (const Status s = blas::point_to(product, epilogue); !s.ok()) return s;
  }
  void* const buffers[] = {const_cast<void*>(g.x), const_cast<void*>(g.w), g.y};
  return blas::launch_lt(
      {gemv_product(launch.shape, DType::fp8), buffers, launch.stream, plan->product.state});
}

}  // namespace

RIDGE_KERNEL(gemv, cuda, cublaslt_w8a8_fp8, .dtypes = "w8a8_fp8", .library = "cuBLASLt",
             .version = blas::version, .prepare = prepare, .launch = launch);
