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

/// sums += chunk c of a slice times x.
template <int tiles>
__device__ __forceinline__ void multiply_at(const unsigned char* w, const unsigned char* x,
                                            int x_bytes, int batch, int c,
                                            const GroupScales& scales, Sum (&sums)[2][tiles][4]) {
  const uint4 upper = *reinterpret_cast<const uint4*>(w + c * 64);
  const uint4 lower = *reinterpret_cast<const uint4*>(w + 8 * kRowPitch + c * 64);
  const unsigned char* part = x + c * S::kPieces * 64;
  if constexpr (W::kGroupScale) {
    Sum of_group[2][tiles][4] = {};
    multiply_chunk<W, tiles>(upper, lower, part, x_bytes, batch, of_group);
#pragma unroll
    for (int t = 0; t < tiles; ++t)
#pragma unroll
      for (int i = 0; i < 4; ++i)
        sums[0][t][i] =
            fmaf(of_group[0][t][i] + of_group[1][t][i], scales.of(i >= 2, c), sums[0][t][i]);
  } else {
    multiply_chunk<W, tiles>(upper, lower, part, x_bytes, batch, sums);
  }
}

template <int tiles>
__device__ __forceinline__ void keep_sums(const Sum (&sums)[2][tiles][4], int batch,
                                          Sum* partials) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int t = 0; t < tiles; ++t)
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int column = 8 * t + lane % 4 * 2 + i % 2;
      if (column < batch)
        partials[column * kStreamRows + lane / 4 + i / 2 * 8] = sums[0][t][i] + sums[1][t][i];
    }
}

/// By a warp: its slices of all units, and with the others the block's part of y.
template <int tiles>
__device__ void multiply_units(const Gemv& g, const StreamShare& share, const unsigned char* stages,
                               uint64_t* full, uint64_t* empty, Sum* partials,
                               const unsigned char* x) {
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int batch = static_cast<int>(g.batch), x_bytes = stream_x_bytes<W>(static_cast<int>(g.k));
  const int w_at = lane / 4 * kRowPitch + warp * kSliceRowBytes + lane % 4 * 16;
  const unsigned char* column = x + lane / 4 * x_bytes + lane % 4 * 16;
  GroupScales ahead = fetch_scales<W>(g, share, 0);
  RingPosition<kStreamStages> at;
  for (int tile = 0, unit = 0; unit < share.units; ++tile) {
    Sum sums[2][tiles][4] = {};
    for (int block = 0; block < share.blocks; ++block, ++unit, at.advance()) {
      const GroupScales scales = ahead;
      ahead = fetch_scales<W>(g, share, unit + 1);
      const int chunks = chunks_of(share, block);
      const unsigned char* w = stages + at.stage * kStageBytes + w_at;
      const unsigned char* part =
          column + (block * kStreamWarps + warp) * kChunks * S::kPieces * 64;
      mbarrier_wait(full + at.stage, at.parity);
      if (chunks == kChunks) {
#pragma unroll
        for (int c = 0; c < kChunks; ++c)
          multiply_at<tiles>(w, part, x_bytes, batch, c, scales, sums);
      } else {
#pragma unroll 1
        for (int c = 0; c < chunks; ++c)
          multiply_at<tiles>(w, part, x_bytes, batch, c, scales, sums);
      }
      __syncwarp();
      if (lane == 0) mbarrier_arrive(empty + at.stage);
    }
    Sum* all = partials + tile % 2 * (stream_partials(batch) / 2);
    keep_sums<tiles>(sums, batch, all + warp * kStreamRows * batch);
    consumers_sync();
    write_tile<W>(g, share, tile, all);
  }
}

template <int tiles>
__global__ void __launch_bounds__(kStreamThreads, 2) gemv_streamed_kernel(const Gemv g) {
  extern __shared__ __align__(128) unsigned char stages[];
  uint64_t* full = reinterpret_cast<uint64_t*>(stages + kStreamStages * kStageBytes);
  uint64_t* empty = full + kStreamStages;
  unsigned char* x = reinterpret_cast<unsigned char*>(empty + kStreamStages);
  Sum* partials = reinterpret_cast<Sum*>(x + g.batch * stream_x_bytes<W>(static_cast<int>(g.k)));
  const StreamShare share(g, W::kBits);
  if (threadIdx.x == kConsumers) {
    for (int s = 0; s < kStreamStages; ++s) {
      mbarrier_init(full + s, 1);
      mbarrier_init(empty + s, kStreamWarps);
    }
    fence_mbarrier_init();
  }
  __syncthreads();
  cudaTriggerProgrammaticLaunchCompletion();  // the next call may fill its ring beside this one
  if (threadIdx.x >= kConsumers) {
    stream_weights(g, share, stages, full, empty);
    return;
  }
  cudaGridDependencySynchronize();  // x, and y as the call before left it
  put_x<W>(g, x);
  consumers_sync();
  multiply_units<tiles>(g, share, stages, full, empty, partials, x);
}

/// The most, whatever this shape takes: another plan of the same kernel may be in use.
template <int tiles>
Status prepare_as(const Shape& shape) {
  constexpr int kMost = 227 * 1024;
  if (stream_shared_bytes<W>(shape) > kMost) {
    return {"x takes more shared memory than there is: choose a smaller batch", nullptr, __FILE__,
            __LINE__, false};
  }
  RIDGE_CUDA_CHECK(cudaFuncSetAttribute(gemv_streamed_kernel<tiles>,
                                        cudaFuncAttributeMaxDynamicSharedMemorySize, kMost));
  // Else the driver may leave the L1 what a second block of this size would need.
  RIDGE_CUDA_CHECK(cudaFuncSetAttribute(gemv_streamed_kernel<tiles>,
                                        cudaFuncAttributePreferredSharedMemoryCarveout,
                                        cudaSharedmemCarveoutMaxShared));
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
  return launch_overlapped(gemv_streamed_kernel<tiles>, blocks, kStreamThreads,
                           static_cast<size_t>(stream_shared_bytes<W>(launch.shape)), launch, g);
}

Status launch(const Launch& launch) {
  return launch.shape.dim[kGemvBatch] <= 8 ? launch_as<1>(launch) : launch_as<2>(launch);
}

}  // namespace

RIDGE_KERNEL(gemv, cuda, streamed, .dtypes = RIDGE_GEMV_TEXT(RIDGE_GEMV_KIND), .prepare = prepare,
             .launch = launch);
