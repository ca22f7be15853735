// ridge: arch=75
//
// Idea      JAX on the GPU, in a python3 of its own: the product as XLA compiles it.
// Changed   XLA chooses between cuBLASLt's algorithms and Triton kernels of its own, by trying them while it compiles.
// Limits    As cuBLAS; where a call is short, its dispatch from Python, some tens of microseconds.
// Look at   fp32 at the precision "highest", against tf32: XLA's own choice for fp32 would be TF32.
// Source    JAX, jax.numpy.matmul and jax.default_matmul_precision; XLA's GEMM autotuner.
#include "kernels/gemm/peers/external_gemm.h"
#include "kernels/gemm/peers/jax_gemm.h"
#include "kernels/runtime/cuda/upload.h"

namespace ridge {
namespace {

constexpr external::Peer kJax = {.library = "JAX",
                                 .package = "jax",
                                 .floor = "0.4.30",
                                 .script = kJaxGemm,
                                 .copy = device::copy_and_wait,
                                 .device = [] {
                                   int device = 0;
                                   return cudaGetDevice(&device) == cudaSuccess ? device : 0;
                                 }};

/// JAX reaches a GPU by a package of its own for each CUDA.
const char* unavailable() {
  static constexpr external::Peer kPlugins[] = {{.package = "jax_plugins/xla_cuda13"},
                                                {.package = "jax_plugins/xla_cuda12"}};
  const char* reason = external::unavailable(kJax);
  if (reason != nullptr || external::unavailable(kPlugins[0]) == nullptr) return reason;
  return external::unavailable(kPlugins[1]);
}

Status prepare_jax(const Shape& shape, Plan* plan) {
  return prepare_external_gemm(kJax, shape, plan);
}

}  // namespace
}  // namespace ridge

RIDGE_KERNEL(
    gemm, cuda, jax, .dtypes = "fp32 tf32 bf16 fp16", .library = "JAX",
    .version = [] { return ridge::external::version(ridge::kJax); }, .may_sync = true,
    .time_calls = ridge::external::time_calls, .unavailable = ridge::unavailable, .prepare = ridge::prepare_jax,
    .launch = ridge::external::launch);
