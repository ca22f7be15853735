// ridge: arch=75
//
// Idea      Rows of the tile are one word longer: its columns then go through all banks.
// Changed   kPad.
// Limits    2 or 4 bytes an instruction: a warp's request is 64 bytes of bf16, half a line.
// Look at   fp32 against bf16: the same number of requests for half the bytes.
// Source    Harris, "An Efficient Matrix Transpose in CUDA C/C++" (NVIDIA, 2013).
#include "kernels/transpose/rungs/transpose_tile.h"

namespace {

using namespace ridge;

template <class Word>
constexpr int kPad = 4 / sizeof(Word);  // one bank's word

template <class Word>
__global__ void transpose_padded_kernel(const Word* __restrict__ x, Word* __restrict__ y, int64_t m,
                                        int64_t n) {
  __shared__ Word tile[kTransposeTile][kTransposeTile + kPad<Word>];
  transpose_tile<Word, kPad<Word>>(tile, x, y, m, n);
}

Status launch(const Launch& launch) {
  if (launch.shape.dtype == DType::bf16)
    return launch_tiles<uint16_t>(launch, transpose_padded_kernel<uint16_t>);
  return launch_tiles<uint32_t>(launch, transpose_padded_kernel<uint32_t>);
}

}  // namespace

RIDGE_KERNEL(transpose, cuda, padded, .dtypes = "bf16 fp32", .launch = launch);
