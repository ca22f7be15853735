// ridge: arch=80
//
// Idea      Ampere's tensor cores without a pause: cp.async fills shared memory for later tiles
//           while older ones are multiplied; 16-byte pieces change places (XOR with the row), so
//           that ldmatrix meets no bank twice; the next fragments load while these multiply.
// Changed   Against WMMA: nobody waits for memory, and there is one barrier a tile.
// Limits    mma.sync: on Hopper it has about two thirds of the rate of wgmma (the counters of WMMA and
//           of this rung). Before Hopper nothing is faster.
// Look at   The registers: every operand passes through them. That is what wgmma spares.
// Source    PTX ISA ("mma.sync", "ldmatrix", "cp.async"); CUTLASS 2's multistage pipeline.
#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/cuda/cp_async.h"
#include "kernels/runtime/cuda/mma.h"
#include "kernels/runtime/cuda/padding.h"
#include "kernels/runtime/cuda/tile_order.h"

namespace {
using namespace ridge;
using namespace ridge::device;

constexpr int kTileM = 128, kTileN = 256, kTileK = 32, kStages = 4, kBand = 8;
constexpr int kWarp = 64;  // rows and columns of a warp's part
constexpr int kWarpsN = kTileN / kWarp, kThreads = 32 * (kTileM / kWarp) * kWarpsN;
constexpr int kRowA = 2 * kTileK, kRowB = 2 * kTileN;  // bytes
constexpr int kBytesA = kTileM * kRowA, kStageBytes = kBytesA + kTileK * kRowB;
constexpr int kSharedBytes = kStages * kStageBytes, kSteps = kTileK / 16;

/// Where a 16-byte piece of a row stands in a tile.
template <int row_bytes>
__device__ int swizzled(int row, int piece) {
  return row * row_bytes + ((piece ^ (row_bytes >= 128 ? row & 7 : row >> 1 & 3)) << 4);
}

/// This thread's pieces of a rows x columns tile of a matrix: a column of them, `kStep` rows apart.
template <int rows, int columns>
struct Loader {
  static constexpr int kRowPieces = columns / 8, kStep = kThreads / kRowPieces;
  static_assert(kStep % 8 == 0 && rows % kStep == 0, "all pieces of a thread are swizzled alike");
  const uint16_t* from;
  int64_t ld;
  int to, rows_left, columns_left;  // left: inside the matrix, from this thread's first piece on

  __device__ Loader(const void* matrix, int64_t ld, int row0, int column0, int rows_end, int end)
      : ld(ld) {
    const int t = static_cast<int>(threadIdx.x), row = t / kRowPieces, piece = t % kRowPieces;
    from = static_cast<const uint16_t*>(matrix) + (row0 + row) * ld + column0 + piece * 8;
    to = swizzled<2 * columns>(row, piece);
    rows_left = rows_end - row0 - row;
    columns_left = end - column0 - piece * 8;
  }
  __device__ void load(uint32_t tile) const {
#pragma unroll
    for (int i = 0; i < rows; i += kStep)
      cp_async_16(tile + to + i * 2 * columns, from + i * ld, columns_left > 0 && rows_left > i);
  }
};

/// What a warp multiplies in one step of 16 along K.
struct Fragments {
  uint32_t a[kWarp / 16][4], b[kWarp / 16][4];
  __device__ void load(uint32_t stage, int from_a, int from_b, int step) {
#pragma unroll
    for (int i = 0; i < kWarp / 16; ++i)
      load_matrices(a[i], stage + (from_a ^ step * 32) + i * 16 * kRowA);
#pragma unroll
    for (int j = 0; j < kWarp / 16; ++j)
      load_matrices_transposed(b[j], stage + (from_b ^ j * 32) + step * 16 * kRowB);
  }
};

template <typename Element>
__global__ void __launch_bounds__(kThreads, 1)
    gemm_mma_sync_kernel(AlignedOperands in, typename Element::Out* __restrict__ c, int m, int n,
                         int k, int tiles_m, int tiles_n) {
  extern __shared__ __align__(128) unsigned char shared[];
  const uint32_t stages = shared_address(shared);
  const TileAt place = tile_at(static_cast<int>(blockIdx.x), tiles_m, tiles_n, kBand);
  const int row0 = place.row * kTileM, column0 = place.column * kTileN;
  Loader<kTileM, kTileK> a(in.a, in.lda, row0, 0, m, k);
  Loader<kTileK, kTileN> b(in.b, in.ldb, 0, column0, k, n);
  const int tiles_k = (k + kTileK - 1) / kTileK;
  const auto load_tile = [&](int tile) {
    const uint32_t stage = stages + tile % kStages * kStageBytes;
    if (tile < tiles_k) {
      a.load(stage);
      b.load(stage + kBytesA);
    }
    cp_async_commit();
    a.from += kTileK;
    a.columns_left -= kTileK;
    b.from += kTileK * in.ldb;
    b.rows_left -= kTileK;
  };
  for (int tile = 0; tile < kStages - 1; ++tile) load_tile(tile);
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int warp_row = warp / kWarpsN * kWarp, warp_column = warp % kWarpsN * kWarp;
  const int from_a = swizzled<kRowA>(warp_row + lane % 16, lane / 16);
  const int from_b = kBytesA + swizzled<kRowB>(lane % 16, warp_column / 8 + lane / 16);
  float acc[kWarp / 16][kWarp / 8][4] = {};
  Fragments fragments[2];
  cp_async_wait<kStages - 2>();
  __syncthreads();
  fragments[0].load(stages, from_a, from_b, 0);
  for (int tile = 0; tile < tiles_k; ++tile) {
    uint32_t stage = stages + tile % kStages * kStageBytes;
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      if (step == kSteps - 1) {  // the next tile is there, and nobody reads the oldest any more
        cp_async_wait<kStages - 2>();
        __syncthreads();
        stage = stages + (tile + 1) % kStages * kStageBytes;
      }
      fragments[(step + 1) % 2].load(stage, from_a, from_b, (step + 1) % kSteps);
      if (step == 0) load_tile(tile + kStages - 1);
      const Fragments& f = fragments[step % 2];
#pragma unroll
      for (int i = 0; i < kWarp / 16; ++i)
#pragma unroll
        for (int right = 0; right < kWarp / 8; ++right) {
          const int j = i % 2 == 0 ? right : kWarp / 8 - 1 - right;  // to and fro: f.b[j] again
          mma_m16n8k16(Element{}, acc[i][j], f.a[i], f.b[j / 2][j % 2 * 2], f.b[j / 2][j % 2 * 2 + 1]);
        }
    }
  }
  store_warp<Element>(acc, c, m, n, row0 + warp_row, column0 + warp_column);
}

template <typename Element>
Status multiply(const Launch& launch) {
  const auto size = [&](int dim) { return static_cast<int>(launch.shape.dim[dim]); };
  const int m = size(kGemmM), n = size(kGemmN), k = size(kGemmK);
  AlignedOperands in;
  if (const Status s = align_operands(launch, &in); !s.ok()) return s;
  const int tiles_m = (m + kTileM - 1) / kTileM, tiles_n = (n + kTileN - 1) / kTileN;
  RIDGE_CUDA_CHECK(cudaFuncSetAttribute(gemm_mma_sync_kernel<Element>,
                                        cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes));
  gemm_mma_sync_kernel<Element><<<static_cast<unsigned>(tiles_m * tiles_n), kThreads, kSharedBytes,
                                  static_cast<cudaStream_t>(launch.stream)>>>(
      in, static_cast<typename Element::Out*>(launch.buffers[kGemmC]), m, n, k, tiles_m, tiles_n);
  return RIDGE_CUDA_LAUNCHED(gemm_mma_sync_kernel);
}

Status launch(const Launch& launch) {
  return with_element<Bf16, Fp16>(launch.shape.dtype,
                                  [&]<typename E>(E) { return multiply<E>(launch); });
}

}  // namespace

RIDGE_KERNEL(gemm, cuda, mma_sync, .dtypes = "bf16 fp16", .prepare = prepare_padding,
             .launch = launch);
