// ridge: arch=90 variants=bf16:-DRIDGE_GEMV_KIND=bf16,fp8:-DRIDGE_GEMV_KIND=fp8,int8:-DRIDGE_GEMV_KIND=int8,int4:-DRIDGE_GEMV_KIND=int4,w8a8:-DRIDGE_GEMV_KIND=w8a8,sparse:-DRIDGE_GEMV_KIND=sparse
//
// Idea      One warp of the block does nothing but ask for weights, 16 rows x 2,048 bytes at a time, three such stages in
//           turn; the other eight multiply 256 bytes of each row.
// Changed   What is in flight no longer depends on how far a warp has come. An eighth of the copies, each of 2 KiB. And two
//           chains of sums, in a slice without branches: an instruction waits for the one before the last.
// Limits    bf16: memory. int4: what is between two calls. x arrives about a microsecond after the call before has ended,
//           and until then nothing more is asked for than the ring holds.
// Footing   The ring fills while the call before ends: weights do not change between the steps of a model. A library's call
//           waits, so part of the ratio to cuBLAS is this overlap. With cold caches calls stand alone and have none.
// Look at   bf16, int8, sparse and int4 in turn: bytes over time falls as the bytes do.
// Source    As warp_rings; the producer is that of the GEMM lab's producer_consumer.
#include "common/harness/kernel/cuda_check.h"
#include "kernels/gemv/rungs/tensor_rows.h"

namespace {

using namespace ridge;
using namespace ridge::device;

using W = RIDGE_GEMV_WEIGHTS(RIDGE_GEMV_KIND);
using Accumulator = RowsOf<W>::Accumulator;

constexpr int kStages = 3, kThreads = kRowThreads + 32;
constexpr int kRowBytes = kRowWarps * kRowSliceBytes;
// 64 bytes more: the eight lanes which read together, two rows of 64 bytes, meet no bank twice.
constexpr int kPitch = kRowBytes + 64, kStageBytes = kTileRows * kPitch;

int shared_bytes(const Shape& shape) {
  const int batch = static_cast<int>(shape.dim[kGemvBatch]);
  return kStages * (kStageBytes + 16) + partial_acc(batch) * 4 +
         x_bytes_of<W>(static_cast<int>(shape.dim[kGemvK]), batch);
}

/// By kRowThreads of the block's threads.
__device__ void multipliers_sync() {
  asm volatile("bar.sync 1, %0;" ::"n"(kRowThreads) : "memory");
}

/// By one warp: keeps the ring full.
__device__ void stream_weights(const Gemv& g, const RowShare& share, unsigned char* stages,
                               uint64_t* full, uint64_t* empty) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  RingPosition<kStages> at;
  for (int unit = 0; unit < share.units; ++unit, at.advance()) {
    const int tile = unit / share.blocks, block = unit % share.blocks;
    const int rows = min(kTileRows, share.rows - tile * kTileRows);
    const int bytes = min(kRowBytes, share.row_bytes - block * kRowBytes);
    mbarrier_wait(empty + at.stage, at.parity ^ 1);
    if (lane == 0) mbarrier_arrive_expect(full + at.stage, static_cast<uint32_t>(rows * bytes));
    __syncwarp();
    if (lane >= rows) continue;
    const int64_t row = share.row0 + tile * kTileRows + lane;
    bulk_load(stages + at.stage * kStageBytes + lane * kPitch,
              static_cast<const char*>(g.w) + row * share.row_bytes + block * kRowBytes,
              static_cast<uint32_t>(bytes), full + at.stage);
  }
}

/// By a warp: its slices of all units, and with the others the block's part of y.
template <int tiles>
__device__ void multiply_units(const Gemv& g, const RowShare& share, const unsigned char* stages, uint64_t* full,
                               uint64_t* empty, Accumulator* partials, const unsigned char* x, ChunkWords ahead) {
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int batch = static_cast<int>(g.batch);
  const int w_at = lane / 4 * kPitch + warp * kRowSliceBytes + lane % 4 * 16;
  x += lane % 4 * 16;
  RingPosition<kStages> at;
  for (int tile = 0; tile * share.blocks < share.units; ++tile) {
    Accumulator acc[2][tiles][4] = {};
    for (int block = 0; block < share.blocks; ++block, at.advance()) {
      const ChunkWords scales = ahead;
      const bool last = block + 1 == share.blocks;
      ahead = fetch_words<W>(g, share, last ? tile + 1 : tile,
                             (last ? 0 : block + 1) * kRowWarps + warp);
      mbarrier_wait(full + at.stage, at.parity);
      multiply_slice<W, tiles, 2>(g, share, block * kRowWarps + warp, stages + at.stage * kStageBytes + w_at,
                                  kTileRows / 2 * kPitch, x, scales, acc);
      __syncwarp();
      if (lane == 0) mbarrier_arrive(empty + at.stage);
    }
    Accumulator* all = partials + tile % 2 * (partial_acc(batch) / 2);
    keep_acc<W, tiles, 2>(acc, batch, all + warp * kTileRows * batch);
    multipliers_sync();
    write_tile<W>(g, share, tile, all);
  }
}

template <int tiles>
__global__ void __launch_bounds__(kThreads, 2) gemv_block_ring_kernel(const Gemv g) {
  extern __shared__ __align__(128) unsigned char stages[];
  uint64_t* full = reinterpret_cast<uint64_t*>(stages + kStages * kStageBytes);
  uint64_t* empty = full + kStages;
  unsigned char* x = reinterpret_cast<unsigned char*>(empty + kStages);
  Accumulator* partials =
      reinterpret_cast<Accumulator*>(x + x_bytes_of<W>(static_cast<int>(g.k), static_cast<int>(g.batch)));
  const RowShare share(g, W::kBits, kRowBytes);
  if (threadIdx.x == kRowThreads) {
    for (int s = 0; s < kStages; ++s) {
      mbarrier_init(full + s, 1);
      mbarrier_init(empty + s, kRowWarps);
    }
    fence_mbarrier_init();
  }
  __syncthreads();
  cudaTriggerProgrammaticLaunchCompletion();  // the next call may fill its ring beside this one
  if (threadIdx.x >= kRowThreads) {
    prefetch_words<W>(g, share);
    stream_weights(g, share, stages, full, empty);
    return;
  }
  const ChunkWords scales = fetch_words<W>(g, share, 0, static_cast<int>(threadIdx.x) / 32);
  cudaGridDependencySynchronize();  // x, and y as the call before left it
  put_x<W>(g, x);
  multipliers_sync();
  multiply_units<tiles>(g, share, stages, full, empty, partials, x, scales);
}

/// The most, whatever this shape takes: another plan of the same kernel may be in use.
template <int tiles>
Status prepare_as(const Shape& shape) {
  constexpr int kMax = 227 * 1024;
  if (shared_bytes(shape) > kMax) {
    return refuse("x takes more shared memory than there is: choose a smaller batch");
  }
  RIDGE_CUDA_CHECK(
      cudaFuncSetAttribute(gemv_block_ring_kernel<tiles>, cudaFuncAttributeMaxDynamicSharedMemorySize, kMax));
  // Else the driver may leave the L1 what a second block of this size would need.
  RIDGE_CUDA_CHECK(cudaFuncSetAttribute(gemv_block_ring_kernel<tiles>,
                                        cudaFuncAttributePreferredSharedMemoryCarveout,
                                        cudaSharedmemCarveoutMaxShared));
  return {};
}

Status prepare(const Shape& shape, Plan* plan) {
  if (const Status s = prepare_gemv(shape, plan); !s.ok()) return s;
  return shape.dim[kGemvBatch] <= 8 ? prepare_as<1>(shape) : prepare_as<2>(shape);
}

Status launch(const Launch& launch) {
  const Gemv g = gemv_next(launch);
  const int blocks = static_cast<int>(g.n < sm_count() ? g.n : sm_count());
  return launch_overlapped(g.batch <= 8 ? gemv_block_ring_kernel<1> : gemv_block_ring_kernel<2>,
                           blocks, kThreads, static_cast<size_t>(shared_bytes(launch.shape)),
                           launch, g);
}

}  // namespace

RIDGE_KERNEL(gemv, cuda, block_ring, .dtypes = RIDGE_GEMV_TEXT(RIDGE_GEMV_KIND), .prepare = prepare,
             .launch = launch);
