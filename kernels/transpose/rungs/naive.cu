// ridge: arch=75
//
// Idea      One thread an element: neighbouring threads read neighbouring elements of a row of x, and write
//           them down a column of y.
// Limits    Coalescing of the stores: a warp writes into 32 sectors of 32 bytes, 2 or 4 bytes each.
// Look at   The bandwidth of bytes that count, and the L2 that gathers some of the rest.
// Source    The definition.
#include "kernels/transpose/rungs/transpose_tile.h"

namespace {

using namespace ridge;

template <class Word>
__global__ void transpose_naive_kernel(const Word* __restrict__ x, Word* __restrict__ y, int64_t m,
                                       int64_t n) {
  const int64_t tiles_n = (n + kTransposeTile - 1) / kTransposeTile;
  const int64_t j = blockIdx.x % tiles_n * kTransposeTile + threadIdx.x;
  for (int q = static_cast<int>(threadIdx.y); q < kTransposeTile; q += kTransposeRows) {
    const int64_t i = blockIdx.x / tiles_n * kTransposeTile + q;
    if (i < m && j < n) y[j * m + i] = x[i * n + j];
  }
}

Status launch(const Launch& launch) {
  if (launch.shape.dtype == DType::bf16)
    return launch_tiles<uint16_t>(launch, transpose_naive_kernel<uint16_t>);
  return launch_tiles<uint32_t>(launch, transpose_naive_kernel<uint32_t>);
}

}  // namespace

RIDGE_KERNEL(transpose, cuda, naive, .dtypes = "bf16 fp32", .launch = launch);
