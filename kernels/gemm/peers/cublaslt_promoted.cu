// ridge: arch=89 needs=cublas
//
// Idea      The peer in fp8 without fast accumulation: every few products of the tensor cores, whose sums have 14 bits,
//           are added to sums in fp32 registers.
// Changed   Against cublaslt: CUBLASLT_MATMUL_DESC_FAST_ACCUM is 0. The fastest of 16 algorithms, as there.
// Limits    The additions on the CUDA cores, which wait for the tensor cores' results.
// Look at   Its error beside cublaslt's, and what it costs. Our own fp8 rungs accumulate fast: cublaslt is their peer.
// Source    cuBLASLt documentation, "cublasLtMatmulDescAttributes_t"; DeepSeek-V3, arXiv:2412.19437, section 3.3.
#include "kernels/runtime/cuda/lt_product.h"

namespace {

using namespace ridge;

Status prepare(const Shape& shape, Plan* plan) {
  return blas::prepare_lt(shape, nullptr, plan, true);
}

}  // namespace

RIDGE_KERNEL(gemm, cuda, cublaslt_promoted, .dtypes = "fp8", .library = "cuBLASLt", .version = blas::version,
             .prepare = prepare, .launch = blas::launch_lt);
