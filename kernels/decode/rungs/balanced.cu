// ridge: arch=90
//
// Idea      Two blocks for each SM, and to each an equal share of all pieces of all sequences and heads together,
//           contiguous. A share ends anywhere within a head; the rings go on from one head to the next without
//           running dry.
// Changed   No parts of fixed length: one sequence of 8,192 keys among many of 100 keeps no SM waiting, nothing
//           begins with an empty ring but once, and nobody is left over.
// Limits    Memory.
// Look at   lengths = mixed against equal; page = 16 against 0: the page of a piece is looked up two pieces ahead.
// Source    Osama et al., Stream-K, arXiv:2301.03598; Ye et al., FlashInfer, arXiv:2501.01005, section 3.3.
#include "common/harness/kernel/cuda_check.h"
#include "kernels/decode/rungs/tensor_pieces.h"

namespace {

using namespace ridge;
using namespace ridge::device;

constexpr int kWarps = 4, kBlocksPerSm = 2, kSharedBytes = kPieceSharedBytes<kWarps>;

/// By a block: before[i] = units of the sequences before i; the units of all.
__device__ int sum_units(const DecodeSplit& s, int* before) {
  __shared__ int warp_sums[kWarps];
  const int t = static_cast<int>(threadIdx.x), lane = t % 32, warp = t / 32;
  const int batch = static_cast<int>(s.a.batch);
  int all = 0;
  for (int first = 0; first < batch; first += 32 * kWarps) {
    const int mine = first + t < batch
                         ? (static_cast<int>(decode_pieces(s.a.lengths[first + t])) + kItemUnits) *
                               s.per_sequence
                         : 0;
    int sum = mine;
    for (int step = 1; step < 32; step *= 2) {
      const int other = __shfl_up_sync(~0u, sum, step);
      if (lane >= step) sum += other;
    }
    if (lane == 31) warp_sums[warp] = sum;
    __syncthreads();
    int ahead = all;
    for (int w = 0; w < kWarps; ++w) {
      if (w < warp) ahead += warp_sums[w];
      all += warp_sums[w];
    }
    if (first + t < batch) before[first + t] = ahead + sum - mine;
    __syncthreads();
  }
  return all;
}

/// Puts `at` on the first piece at or behind `unit`; how many pieces of all are before it.
__device__ int find_piece(const DecodeSplit& s, const int* before, int unit, PieceCursor* at) {
  int sequence = 0;  // the last that begins at or before `unit`
  for (int step = 1 << 12; step > 0; step /= 2) {
    if (sequence + step < s.a.batch && before[sequence + step] <= unit) sequence += step;
  }
  at->enter(s, sequence, s.a.lengths[sequence]);
  const int units = at->pieces() + kItemUnits, in_sequence = unit - before[sequence];
  at->sub = in_sequence / units;
  at->piece = max(0, in_sequence % units - kItemUnits);
  return before[sequence] - sequence * s.per_sequence * kItemUnits + at->sub * at->pieces() +
         at->piece;
}

template <typename Element, int d>
__global__ void __launch_bounds__(32 * kWarps, kBlocksPerSm) decode_balanced_kernel(DecodeSplit s) {
  cudaGridDependencySynchronize();
  cudaTriggerProgrammaticLaunchCompletion();  // the merging blocks may take their places, and wait
  extern __shared__ __align__(128) unsigned char raw[];
  int* before = reinterpret_cast<int*>(raw);  // where the rings will be
  const int all = sum_units(s, before), batch = static_cast<int>(s.a.batch);
  const int64_t worker = blockIdx.x, count = min(all, s.workers);
  if (worker == 0) {
    for (int i = static_cast<int>(threadIdx.x); i < batch; i += 32 * kWarps)
      s.begins[i] = before[i];
    if (threadIdx.x == 0) s.begins[batch] = all;
  }
  if (worker >= count) return;
  PieceCursor at = {}, end = {};
  const int first = find_piece(s, before, static_cast<int>(all * worker / count), &at);
  at.left = find_piece(s, before, static_cast<int>(all * (worker + 1) / count), &end) - first;
  __syncthreads();
  attend_pieces<kWarps, Element, d>(s, at, [&](int64_t item) { return worker + item; });
}

Status prepare(const Shape& shape, Plan* plan) {
  return with_piece_head(shape, [&]<typename Element, int d>() -> Status {
    RIDGE_CUDA_CHECK(cudaFuncSetAttribute(decode_balanced_kernel<Element, d>,
                                          cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          kSharedBytes));
    return prepare_split(shape, kPieceRows, 0, sm_count() * kBlocksPerSm, plan);
  });
}

Status launch(const Launch& launch) {
  return with_piece_head(launch.shape, [&]<typename Element, int d>() -> Status {
    const DecodeSplit s = split_of(launch, kPieceRows, 0, sm_count() * kBlocksPerSm);
    const Status made = launch_overlapped(decode_balanced_kernel<Element, d>, s.workers,
                                          32 * kWarps, kSharedBytes, launch, s);
    if (!made.ok()) return made;
    return launch_merge<typename Element::Out>(s, launch);
  });
}

}  // namespace

RIDGE_KERNEL(decode, cuda, balanced, .dtypes = "bf16 fp16", .prepare = prepare, .launch = launch);
