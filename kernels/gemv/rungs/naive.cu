// ridge: arch=75
//
// Idea      A thread for each row of W.
// Changed   Nothing yet: the definition, 14,336 rows at once.
// Limits    Neighbouring threads read neighbouring rows, so each load of a warp touches 32 lines and uses two bytes
//           of each; what saves it is that the next loads find the lines in the cache, if they are still there.
// Look at   Bandwidth beside vectors_bf16: the same bytes.
// Source    The definition.
#include "common/harness/kernel/cuda_check.h"
#include "kernels/gemv/rungs/gemv_cuda.h"

namespace {

using namespace ridge;

__global__ void gemv_naive_kernel(Gemv g) {
  const int64_t j = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (j >= g.n) return;
  const auto* w = static_cast<const __nv_bfloat16*>(g.w) + j * g.k;
  for (int64_t i = 0; i < g.batch; ++i) {
    const auto* x = static_cast<const __nv_bfloat16*>(g.x) + i * g.k;
    float sum = 0;
    for (int64_t p = 0; p < g.k; ++p)
      sum = fmaf(__bfloat162float(w[p]), __bfloat162float(x[p]), sum);
    static_cast<__nv_bfloat16*>(g.y)[i * g.n + j] = __float2bfloat16(sum);
  }
}

Status launch(const Launch& launch) {
  const Gemv g = gemv_next(launch);
  constexpr int kThreads = 128;
  gemv_naive_kernel<<<static_cast<unsigned>((g.n + kThreads - 1) / kThreads), kThreads, 0,
                      static_cast<cudaStream_t>(g.stream)>>>(g);
  return RIDGE_CUDA_LAUNCHED(gemv_naive_kernel);
}

}  // namespace

RIDGE_KERNEL(gemv, cuda, naive, .dtypes = "bf16", .prepare = prepare_gemv, .launch = launch);
