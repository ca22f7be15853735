// ridge: arch=75
//
// Idea      A tile of 32 x 32 through shared memory: read along rows of x, written along rows of y.
// Changed   Both sides of memory are coalesced; the transpose happens in shared memory.
// Limits    Bank conflicts: a column of the tile lies 128 bytes apart (fp32), in one bank, so that a warp's
//           reading takes 32 passes; with bf16 16 (rows begin in two banks).
// Look at   The lesson's picture of the banks, then the next rung: one word more a row.
// Source    Harris, "An Efficient Matrix Transpose in CUDA C/C++" (NVIDIA, 2013).
#include "kernels/transpose/rungs/transpose_tile.h"

namespace {

using namespace ridge;

template <class Word>
__global__ void transpose_shared_tile_kernel(const Word* __restrict__ x, Word* __restrict__ y,
                                             int64_t m, int64_t n) {
  __shared__ Word tile[kTransposeTile][kTransposeTile];
  transpose_tile<Word, 0>(tile, x, y, m, n);
}

Status launch(const Launch& launch) {
  if (launch.shape.dtype == DType::bf16)
    return launch_tiles<uint16_t>(launch, transpose_shared_tile_kernel<uint16_t>);
  return launch_tiles<uint32_t>(launch, transpose_shared_tile_kernel<uint32_t>);
}

}  // namespace

RIDGE_KERNEL(transpose, cuda, shared_tile, .dtypes = "bf16 fp32", .launch = launch);
