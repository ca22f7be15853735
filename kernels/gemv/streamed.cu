// ridge: arch=90 variants=bf16:-DRIDGE_GEMV_KIND=bf16,fp8:-DRIDGE_GEMV_KIND=fp8,int8:-DRIDGE_GEMV_KIND=int8,int4:-DRIDGE_GEMV_KIND=int4,w8a8:-DRIDGE_GEMV_KIND=w8a8
//
// Idea      The copy engine keeps every SM's shared memory filled with weights, 16 rows at a time, and the tensor
//           cores multiply them: eight or sixteen rows of x cost as much as one. How: stream.h.
// Changed   No thread waits for a load, and none is lost between two calls: the rings of the next call fill while
//           this one ends. x is read once for each block, not for each row.
// Limits    Memory. With int4, in addition, the instructions that unpack.
// Look at   batch = 1, 4, 16: the time hardly moves until x takes the shared memory that two calls would share.
// Source    Marlin, arXiv:2408.11743; CUDA Programming Guide, "Programmatic Dependent Launch".
#include "kernels/gemv/stream.h"

#define RIDGE_JOIN_OF(a, b) a##b
#define RIDGE_JOIN(a, b) RIDGE_JOIN_OF(a, b)

namespace {

using namespace ridge;
using namespace ridge::device;

using Weights_bf16 = Bf16Weights;
using Weights_fp8 = Fp8Weights;
using Weights_int8 = Int8Weights;
using Weights_int4 = Int4Weights;
using Weights_w8a8 = W8a8Weights;
using W = RIDGE_JOIN(Weights_, RIDGE_GEMV_KIND);
using S = StreamOf<W>;
using Sum = S::Sum;

constexpr int kThreads = 32 * kStreamWarps;

/// sums += a stage's rows times x.
template <int tiles>
__device__ __forceinline__ void multiply_stage(const Gemv& g, int block, const unsigned char* stage,
                                               const unsigned char* x, const GroupScales& scales,
                                               Sum (&sums)[tiles][4]) {
  const int lane = static_cast<int>(threadIdx.x) % 32, row = lane / 4, q = lane % 4;
  const int k = static_cast<int>(g.k), x_bytes = stream_x_bytes<W>(k);
  const int chunks = min(kStreamRowBytes / 64, (k - block * S::kSpan) / (4 * S::kElements));
  const unsigned char* upper =
      stage + row / 2 * kTwoRowsBytes + row % 2 * (kStreamRowBytes + 64) + q * 16;
  const unsigned char* lower = upper + 4 * kTwoRowsBytes;
  const unsigned char* at =
      x + row * x_bytes + block * (kStreamRowBytes / 64) * S::kPieces * 64 + q * 16;
#pragma unroll
  for (int c = 0; c < kStreamRowBytes / 64; ++c) {
    if (c >= chunks) break;
    const uint4 up = *reinterpret_cast<const uint4*>(upper + c * 64);
    const uint4 low = *reinterpret_cast<const uint4*>(lower + c * 64);
    const unsigned char* part = at + c * S::kPieces * 64;
    if constexpr (W::kGroupScale) {  // a chunk is a group
      Sum of_group[tiles][4] = {};
      multiply_chunk<W, tiles>(up, low, part, x_bytes, static_cast<int>(g.batch), of_group);
#pragma unroll
      for (int t = 0; t < tiles; ++t)
#pragma unroll
        for (int i = 0; i < 4; ++i)
          sums[t][i] = fmaf(of_group[t][i], scales.of(i >= 2, c), sums[t][i]);
    } else {
      multiply_chunk<W, tiles>(up, low, part, x_bytes, static_cast<int>(g.batch), sums);
    }
  }
}

template <int tiles>
__device__ __forceinline__ void keep_sums(const Sum (&sums)[tiles][4], int batch, Sum* partials) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int t = 0; t < tiles; ++t)
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int column = 8 * t + lane % 4 * 2 + i % 2;
      if (column < batch) partials[column * kStreamRows + lane / 4 + i / 2 * 8] = sums[t][i];
    }
}

template <int tiles>
__global__ void __launch_bounds__(kThreads, 2) gemv_streamed_kernel(const Gemv g) {
  extern __shared__ __align__(128) unsigned char raw[];
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  unsigned char* stages = raw + warp * kStreamStages * kStageBytes;
  unsigned char* behind = raw + kStreamWarps * kStreamStages * kStageBytes;
  uint64_t* full = reinterpret_cast<uint64_t*>(behind) + warp * kStreamStages;
  Sum* partials = reinterpret_cast<Sum*>(behind + kStreamWarps * kStreamStages * 8);
  unsigned char* x = reinterpret_cast<unsigned char*>(partials + kStreamPartials<W, tiles>);
  const StreamShare share(g, S::kSpan);
  cudaTriggerProgrammaticLaunchCompletion();  // the next call may fill its rings beside this one
  if (lane == 0) {
    for (int s = 0; s < kStreamStages; ++s) mbarrier_init(full + s, 1);
    fence_mbarrier_init();
  }
  __syncwarp();
  for (int s = 0; s < kStreamStages; ++s)
    fetch_unit<W>(g, share, warp + s * kStreamWarps, stages + s * kStageBytes, full + s);
  GroupScales ahead = fetch_scales<W>(g, share, warp);
  cudaGridDependencySynchronize();  // x, and y as the call before left it
  put_x<W>(g, x);
  __syncthreads();
  RingPosition<kStreamStages> at;
  int unit = warp;
  for (int tile = 0; tile * share.blocks < share.units; ++tile) {
    Sum sums[tiles][4] = {};
    for (; unit < (tile + 1) * share.blocks; unit += kStreamWarps) {
      const GroupScales scales = ahead;
      ahead = fetch_scales<W>(g, share, unit + kStreamWarps);
      unsigned char* stage = stages + at.stage * kStageBytes;
      mbarrier_wait(full + at.stage, at.parity);
      multiply_stage<tiles>(g, unit - tile * share.blocks, stage, x, scales, sums);
      __syncwarp();
      fetch_unit<W>(g, share, unit + kStreamStages * kStreamWarps, stage, full + at.stage);
      at.advance();
    }
    Sum* all = partials + tile % 2 * (kStreamPartials<W, tiles> / 2);
    keep_sums<tiles>(sums, static_cast<int>(g.batch), all + warp * kStreamRows * 8 * tiles);
    __syncthreads();
    write_tile<W, tiles>(g, share, tile, all);
  }
}

template <int tiles>
Status prepare_as(const Shape& shape) {
  const int bytes = stream_shared_bytes<W, tiles>(shape);
  if (bytes > 227 * 1024) {
    return {"x takes more shared memory than there is: choose a smaller batch", nullptr, __FILE__,
            __LINE__, false};
  }
  RIDGE_CUDA_CHECK(cudaFuncSetAttribute(gemv_streamed_kernel<tiles>,
                                        cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  return {};
}

Status prepare(const Shape& shape, Plan* plan) {
  if (const Status s = prepare_gemv(shape, plan); !s.ok()) return s;
  return shape.dim[kGemvBatch] <= 8 ? prepare_as<1>(shape) : prepare_as<2>(shape);
}

template <int tiles>
Status launch_as(const Launch& launch) {
  const Gemv g = gemv_next(launch);
  const int blocks = static_cast<int>(g.n < sm_count() ? g.n : sm_count());
  return launch_overlapped(gemv_streamed_kernel<tiles>, blocks, kThreads,
                           static_cast<size_t>(stream_shared_bytes<W, tiles>(launch.shape)), launch,
                           g);
}

Status launch(const Launch& launch) {
  return launch.shape.dim[kGemvBatch] <= 8 ? launch_as<1>(launch) : launch_as<2>(launch);
}

}  // namespace

RIDGE_KERNEL(gemv, cuda, streamed, .dtypes = RIDGE_GEMV_TEXT(RIDGE_GEMV_KIND), .prepare = prepare,
             .launch = launch);
