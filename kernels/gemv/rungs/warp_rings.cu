// ridge: arch=90 variants=bf16:-DRIDGE_GEMV_KIND=bf16,fp8:-DRIDGE_GEMV_KIND=fp8,int8:-DRIDGE_GEMV_KIND=int8,int4:-DRIDGE_GEMV_KIND=int4,w8a8:-DRIDGE_GEMV_KIND=w8a8
//
// Idea      The copy engine keeps shared memory filled with weights, and the tensor cores multiply them: eight rows of
//           x cost as much as one. Each warp has a ring of its own: two stages of 16 rows x 256 bytes.
// Changed   No thread waits for a load, x is read once for each block instead of each row, and the weights, which do
//           not depend on the call before, are asked for before that one has ended.
// Limits    Latency, of everything that waits for something else: while a warp multiplies one stage, only the other one is
//           in flight. A row comes in pieces of 256 bytes, each asked for by itself, and the instructions of a
//           tile wait for each other, since all add to the same sums.
// Footing   The ring fills while the call before ends: weights do not change between the steps of a model. A library's call
//           waits, so part of the ratio to cuBLAS is this overlap. With cold caches calls stand alone and have none.
// Look at   w8a8 beside int8: the same bytes, but nothing to unpack. The difference is what unpacking costs here.
// Source    Marlin, arXiv:2408.11743; CUDA Programming Guide, "Programmatic Dependent Launch".
#include "common/harness/kernel/cuda_check.h"
#include "kernels/gemv/rungs/tensor_rows.h"

namespace {

using namespace ridge;
using namespace ridge::device;

using W = RIDGE_GEMV_WEIGHTS(RIDGE_GEMV_KIND);
using Accumulator = RowsOf<W>::Accumulator;

constexpr int kStages = 2;
// Rows 2p and 2p + 1 begin 320 bytes apart, so that the eight lanes which read together, two rows of 64 bytes, meet no
// bank twice.
constexpr int kOddRow = kRowSliceBytes + 64, kTwoRows = 2 * kRowSliceBytes + 64;
constexpr int kStageBytes = kTileRows / 2 * kTwoRows;

int shared_bytes(const Shape& shape) {
  const int batch = static_cast<int>(shape.dim[kGemvBatch]);
  return kRowWarps * kStages * (kStageBytes + 8) + partial_acc(batch) * 4 +
         x_bytes_of<W>(static_cast<int>(shape.dim[kGemvK]), batch);
}

/// By a warp: asks for the 16 rows of a unit.
__device__ void fetch_unit(const Gemv& g, const RowShare& share, int unit, unsigned char* stage,
                           uint64_t* full) {
  if (unit >= share.units) return;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int tile = unit / share.blocks, block = unit % share.blocks;
  const int rows = min(kTileRows, share.rows - tile * kTileRows);
  const int bytes = min(kRowSliceBytes, share.row_bytes - block * kRowSliceBytes);
  if (lane == 0) mbarrier_arrive_expect(full, static_cast<uint32_t>(rows * bytes));
  __syncwarp();
  if (lane >= rows) return;
  const int64_t row = share.row0 + tile * kTileRows + lane;
  bulk_load(stage + lane / 2 * kTwoRows + lane % 2 * kOddRow,
            static_cast<const char*>(g.w) + row * share.row_bytes + block * kRowSliceBytes,
            static_cast<uint32_t>(bytes), full);
}

template <int tiles>
__global__ void __launch_bounds__(kRowThreads, 2) gemv_warp_rings_kernel(const Gemv g) {
  extern __shared__ __align__(128) unsigned char raw[];
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  unsigned char* stages = raw + warp * kStages * kStageBytes;
  unsigned char* behind = raw + kRowWarps * kStages * kStageBytes;
  uint64_t* full = reinterpret_cast<uint64_t*>(behind) + warp * kStages;
  unsigned char* x = behind + kRowWarps * kStages * 8;
  Accumulator* partials =
      reinterpret_cast<Accumulator*>(x + x_bytes_of<W>(static_cast<int>(g.k), static_cast<int>(g.batch)));
  const RowShare share(g, W::kBits, kRowSliceBytes);
  cudaTriggerProgrammaticLaunchCompletion();  // the next call may fill its rings beside this one
  if (lane == 0) {
    for (int s = 0; s < kStages; ++s) mbarrier_init(full + s, 1);
    fence_mbarrier_init();
  }
  __syncwarp();
  for (int s = 0; s < kStages; ++s)
    fetch_unit(g, share, warp + s * kRowWarps, stages + s * kStageBytes, full + s);
  const auto scales_of = [&](int unit) {
    return fetch_words<W>(g, share, unit / share.blocks, unit % share.blocks);
  };
  ChunkWords ahead = scales_of(warp);
  cudaGridDependencySynchronize();  // x, and y as the call before left it
  put_x<W>(g, x);
  __syncthreads();
  const int w_at = lane / 8 * kTwoRows + lane / 4 % 2 * kOddRow + lane % 4 * 16;
  x += lane % 4 * 16;
  RingPosition<kStages> at;
  int unit = warp;
  for (int tile = 0; tile * share.blocks < share.units; ++tile) {
    Accumulator acc[1][tiles][4] = {};
    for (; unit < (tile + 1) * share.blocks; unit += kRowWarps) {
      const ChunkWords scales = ahead;
      ahead = scales_of(unit + kRowWarps);
      unsigned char* stage = stages + at.stage * kStageBytes;
      mbarrier_wait(full + at.stage, at.parity);
      multiply_slice<W, tiles, 1>(g, share, unit - tile * share.blocks, stage + w_at, kTileRows / 4 * kTwoRows, x,
                                  scales, acc);
      __syncwarp();
      fetch_unit(g, share, unit + kStages * kRowWarps, stage, full + at.stage);
      at.advance();
    }
    const int batch = static_cast<int>(g.batch);
    Accumulator* all = partials + tile % 2 * (partial_acc(batch) / 2);
    keep_acc<W, tiles, 1>(acc, batch, all + warp * kTileRows * batch);
    __syncthreads();
    write_tile<W>(g, share, tile, all);
  }
}

/// The most, whatever this shape takes: another plan of the same kernel may be in use.
template <int tiles>
Status prepare_as(const Shape& shape) {
  constexpr int kMax = 227 * 1024;
  if (shared_bytes(shape) > kMax) {
    return refuse("x takes more shared memory than there is: choose a smaller batch");
  }
  RIDGE_CUDA_CHECK(
      cudaFuncSetAttribute(gemv_warp_rings_kernel<tiles>, cudaFuncAttributeMaxDynamicSharedMemorySize, kMax));
  return {};
}

Status prepare(const Shape& shape, Plan* plan) {
  if (const Status s = prepare_gemv(shape, plan); !s.ok()) return s;
  return shape.dim[kGemvBatch] <= 8 ? prepare_as<1>(shape) : prepare_as<2>(shape);
}

Status launch(const Launch& launch) {
  const Gemv g = gemv_next(launch);
  const int blocks = static_cast<int>(g.n < sm_count() ? g.n : sm_count());
  return launch_overlapped(g.batch <= 8 ? gemv_warp_rings_kernel<1> : gemv_warp_rings_kernel<2>,
                           blocks, kRowThreads, static_cast<size_t>(shared_bytes(launch.shape)),
                           launch, g);
}

}  // namespace

RIDGE_KERNEL(gemv, cuda, warp_rings, .dtypes = RIDGE_GEMV_TEXT(RIDGE_GEMV_KIND), .prepare = prepare,
             .launch = launch);
