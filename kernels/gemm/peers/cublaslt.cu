// ridge: arch=75 needs=cublas
//
// Idea      The peer at its best: cuBLASLt is asked for the 16 algorithms that its heuristics like
//           most for this shape; each is timed on random data as a CUDA graph, in rounds, and the fastest is kept.
// Changed   cuBLAS takes the first of that list. The list is good, but it is a guess.
// Limits    Power, with tensor cores at work. Choosing happens in prepare(), which is not timed: a
//           program that multiplies more than once would do the same. At large sizes not all of the
//           list is tried: a second and a half is the limit, and the note says how many were.
// Look at   The difference to cuBLAS. A rung has beaten the library only if it beats this one. (fp8
//           with fast accumulation: partial sums stay in the tensor cores, as in our own rungs. cublaslt_promoted.cu
//           is without.)
// Source    cuBLASLt documentation, "cublasLtMatmulAlgoGetHeuristic", "Floating Point 8-bit".
#include "kernels/runtime/cuda/lt_product.h"

namespace {

using namespace ridge;

Status prepare(const Shape& shape, Plan* plan) {
  return blas::prepare_lt(shape, nullptr, plan);
}

}  // namespace

RIDGE_KERNEL(gemm, cuda, cublaslt, .dtypes = "bf16 fp16 tf32 fp8 int8 fp32", .library = "cuBLASLt",
             .version = blas::version, .prepare = prepare, .launch = blas::launch_lt);
