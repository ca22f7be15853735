// ridge: arch=80 needs=cublas
//
// Idea      The peer in int8: cuBLASLt's product (the GEMM lab's, fastest of 16 algorithms) leaves int32 sums, and a
//           kernel of its own makes relu(sum * scales + bias) in bf16 of them.
// Changed   The sums go through memory: 4 bytes out, 4 in, 2 out for each.
// Limits    With many rows of x that traffic, behind a product at the tensor cores' rate; with one row, memory.
// Look at   epilogue = none: the product alone. What lies between is what fusing saves.
// Source    cuBLASLt documentation; kernels/gemm/peers/cublaslt.cu.
#include <cuda_bf16.h>

#include <new>

#include "common/harness/kernel/cuda_check.h"
#include "common/harness/kernel/registry.h"
#include "kernels/gemv/product.h"
#include "kernels/runtime/cuda/blas.h"

namespace {

using namespace ridge;

struct LtPlan {
  int64_t turn = 0;
  const KernelDesc* gemm = nullptr;
  Plan product;
  void* acc = nullptr;
};

__device__ uint32_t finish_two(int a, int b, float row_scale, float2 scale, float2 bias) {
  const float x = fmaxf(fmaf(static_cast<float>(a), row_scale * scale.x, bias.x), 0.0f);
  const float y = fmaxf(fmaf(static_cast<float>(b), row_scale * scale.y, bias.y), 0.0f);
  const __nv_bfloat162 two = __floats2bfloat162_rn(x, y);
  return reinterpret_cast<const uint32_t&>(two);
}

/// Four columns a thread where all rows have whole fours.
__global__ void gemv_dequantise_four_kernel(const int4* __restrict__ acc, Gemv g) {
  const int64_t fours = g.n / 4, at = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at >= fours) return;
  const float4 scale = static_cast<const float4*>(g.scales)[at];
  const float4 bias = static_cast<const float4*>(g.bias)[at];
  for (int64_t i = blockIdx.y; i < g.batch; i += gridDim.y) {
    const int4 four = __ldcs(acc + i * fours + at);
    const float row_scale = g.x_scales[i];
    static_cast<uint2*>(g.y)[i * fours + at] = {
        finish_two(four.x, four.y, row_scale, {scale.x, scale.y}, {bias.x, bias.y}),
        finish_two(four.z, four.w, row_scale, {scale.z, scale.w}, {bias.z, bias.w})};
  }
}

__global__ void gemv_dequantise_kernel(const int* __restrict__ acc, Gemv g) {
  const int64_t j = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (j >= g.n) return;
  const float scale = static_cast<const float*>(g.scales)[j],
              bias = static_cast<const float*>(g.bias)[j];
  for (int64_t i = blockIdx.y; i < g.batch; i += gridDim.y) {
    const float value = static_cast<float>(acc[i * g.n + j]) * (g.x_scales[i] * scale) + bias;
    static_cast<__nv_bfloat16*>(g.y)[i * g.n + j] = __float2bfloat16(fmaxf(value, 0.0f));
  }
}

void release(void* state) {
  auto* plan = static_cast<LtPlan*>(state);
  if (plan->product.release && plan->product.state) plan->product.release(plan->product.state);
  cudaFree(plan->acc);
  delete plan;
}

Status prepare(const Shape& shape, Plan* plan) {
  auto* state = new (std::nothrow) LtPlan;
  if (!state) return {"out of memory", "new LtPlan", __FILE__, __LINE__, false};
  plan->state = state;
  plan->release = release;
  state->gemm = find_kernel("gemm.cuda.cublaslt");
  if (!state->gemm) return refuse("gemm.cuda.cublaslt is not built");
  const size_t bytes = static_cast<size_t>(shape.dim[kGemvBatch] * shape.dim[kGemvN]) * 4;
  RIDGE_CUDA_CHECK(cudaMalloc(&state->acc, bytes));
  const Status status = state->gemm->prepare(gemv_product(shape, DType::int8), &state->product);
  plan->workspace_bytes = bytes + state->product.workspace_bytes;
  for (size_t i = 0; i < sizeof plan->note; ++i) plan->note[i] = state->product.note[i];
  return status;
}

Status launch(const Launch& launch) {
  auto* plan = static_cast<LtPlan*>(launch.plan_state);
  const Gemv g = gemv_next(launch, &plan->turn);
  void* const buffers[] = {const_cast<void*>(g.x), const_cast<void*>(g.w), g.fused ? plan->acc : g.y};
  const Status s = plan->gemm->launch(
      {gemv_product(launch.shape, DType::int8), buffers, launch.stream, plan->product.state});
  if (!s.ok() || !g.fused) return s;
  constexpr int kThreads = 256;
  const int64_t columns = g.n % 4 == 0 ? g.n / 4 : g.n;
  const auto rows = static_cast<unsigned>(g.batch < 512 ? g.batch : 512);
  const dim3 grid(static_cast<unsigned>((columns + kThreads - 1) / kThreads), rows);
  const auto stream = static_cast<cudaStream_t>(g.stream);
  if (g.n % 4 == 0) {
    gemv_dequantise_four_kernel<<<grid, kThreads, 0, stream>>>(static_cast<const int4*>(plan->acc), g);
  } else {
    gemv_dequantise_kernel<<<grid, kThreads, 0, stream>>>(static_cast<const int*>(plan->acc), g);
  }
  return RIDGE_CUDA_LAUNCHED(gemv_dequantise_kernel);
}

}  // namespace

RIDGE_KERNEL(gemv, cuda, cublaslt_w8a8, .dtypes = "w8a8", .library = "cuBLASLt",
             .version = blas::version, .prepare = prepare, .launch = launch);
