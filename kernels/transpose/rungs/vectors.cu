// ridge: arch=75
//
// Idea      16 bytes a load and a store. A thread takes a block of 8 x 8 elements of bf16 (4 x 4 of fp32),
//           turns it in its registers, where byte permutes pair two rows' neighbours, and puts eight vectors
//           into a tile of 128 x 128 in shared memory; out come rows of y, 256 bytes a half warp.
// Changed   An eighth of the instructions, and tiles whose rows are two whole lines on both sides. Instead of
//           padding, a vector's place is its column XOR the row's block: 16-byte accesses then meet no bank
//           twice.
// Limits    Memory, nearly as in a copy.
// Look at   Its share of the copy's bandwidth; n = 8192 against 8200.
// Source    CUDA C++ Programming Guide, __byte_perm; the XOR swizzle is that of CUTLASS's layouts.
#include "common/harness/kernel/cuda_check.h"
#include "kernels/transpose/rungs/transpose_tile.h"

namespace {

using namespace ridge;

constexpr int kBlocks = 16, kThreads = kBlocks * kBlocks;  // blocks a side; one a thread

template <class Word>
constexpr int kSide = 16 / sizeof(Word);  // of a block: elements in a vector

/// in[i]: row i of the block; out[j]: its column j.
__device__ void transpose_block(const uint32_t (&in)[4][4], uint32_t (&out)[4][4]) {
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) out[j][i] = in[i][j];
}
__device__ void transpose_block(const uint32_t (&in)[8][4], uint32_t (&out)[8][4]) {
#pragma unroll
  for (int i = 0; i < 8; i += 2)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      out[2 * j][i / 2] = __byte_perm(in[i][j], in[i + 1][j], 0x5410);      // the lower halves
      out[2 * j + 1][i / 2] = __byte_perm(in[i][j], in[i + 1][j], 0x7632);  // the upper ones
    }
}

__device__ uint4 vector_of(const uint32_t (&words)[4]) {
  return {words[0], words[1], words[2], words[3]};
}

template <class Word>
__global__ void __launch_bounds__(kThreads)
    transpose_vectors_kernel(const Word* __restrict__ x, Word* __restrict__ y, int64_t m,
                             int64_t n) {
  constexpr int kVec = kSide<Word>, kTile = kBlocks * kVec;
  __shared__ uint4 tile[kTile][kBlocks];
  const int64_t tiles_n = (n + kTile - 1) / kTile;
  const int64_t i0 = blockIdx.x / tiles_n * kTile, j0 = blockIdx.x % tiles_n * kTile;
  const int bi = static_cast<int>(threadIdx.x) / kBlocks,
            bj = static_cast<int>(threadIdx.x) % kBlocks;
  if (i0 + bi * kVec < m && j0 + bj * kVec < n) {
    uint32_t in[kVec][4], out[kVec][4];
#pragma unroll
    for (int q = 0; q < kVec; ++q) {
      const uint4 v =
          __ldcs(reinterpret_cast<const uint4*>(x + (i0 + bi * kVec + q) * n + j0 + bj * kVec));
      in[q][0] = v.x, in[q][1] = v.y, in[q][2] = v.z, in[q][3] = v.w;
    }
    transpose_block(in, out);
#pragma unroll
    for (int q = 0; q < kVec; ++q) tile[bj * kVec + q][bi ^ bj] = vector_of(out[q]);
  }
  __syncthreads();
#pragma unroll
  for (int q = 0; q < kVec; ++q) {
    const int row = q * kBlocks + bi;  // of y's tile
    if (j0 + row < n && i0 + bj * kVec < m)
      __stcs(reinterpret_cast<uint4*>(y + (j0 + row) * m + i0 + bj * kVec),
             tile[row][bj ^ row / kVec]);
  }
}

/// Where rows do not begin at 16 bytes, the padded rung's way.
template <class Word>
__global__ void transpose_vectors_edge_kernel(const Word* __restrict__ x, Word* __restrict__ y,
                                              int64_t m, int64_t n) {
  __shared__ Word tile[kTransposeTile][kTransposeTile + 4 / sizeof(Word)];
  transpose_tile<Word, 4 / sizeof(Word)>(tile, x, y, m, n);
}

template <class Word>
Status launch_as(const Launch& launch) {
  const Rows r = rows_of(launch);
  if (r.m % kSide<Word> != 0 || r.n % kSide<Word> != 0)
    return launch_tiles<Word>(launch, transpose_vectors_edge_kernel<Word>);
  constexpr int kTile = kBlocks * kSide<Word>;
  const int64_t tiles = (r.m + kTile - 1) / kTile * ((r.n + kTile - 1) / kTile);
  transpose_vectors_kernel<Word>
      <<<static_cast<unsigned>(tiles), kThreads, 0, static_cast<cudaStream_t>(launch.stream)>>>(
          reinterpret_cast<const Word*>(r.x), reinterpret_cast<Word*>(r.y), r.m, r.n);
  return RIDGE_CUDA_LAUNCHED(transpose_vectors_kernel);
}

Status launch(const Launch& launch) {
  return launch.shape.dtype == DType::bf16 ? launch_as<uint16_t>(launch)
                                           : launch_as<uint32_t>(launch);
}

}  // namespace

RIDGE_KERNEL(transpose, cuda, vectors, .dtypes = "bf16 fp32", .launch = launch);
