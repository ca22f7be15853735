// ridge: arch=90
//
// Idea      A block for each SM, and to each an equal share of all pieces of all sequences and heads together,
//           contiguous. A share ends anywhere within a head; the rings go on from one head to the next without
//           running dry.
// Changed   No parts of fixed length: one sequence of 8,192 keys among many of 100 keeps no SM waiting, nothing
//           begins with an empty ring but once, and nobody is left over.
// Limits    Memory.
// Look at   lengths = mixed against equal; page = 16 against 0: the page of a piece is looked up two pieces ahead.
// Source    Osama et al., Stream-K, arXiv:2301.03598; Ye et al., FlashInfer, arXiv:2501.01005, section 3.3.
#include "kernels/decode/tensor_pieces.h"

namespace {

using namespace ridge;
using namespace ridge::device;

constexpr int kWarps = 8, kSharedBytes = kPieceSharedBytes<kWarps>;

/// By a warp, 32 sequences at a time: f(first of them, lane's pieces before its sequence, lane's pieces).
template <typename F>
__device__ int64_t scan_pieces(const DecodeSplit& s, F f) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  int64_t before = 0;
  for (int64_t first = 0; first < s.a.batch; first += 32) {
    const int64_t mine = first + lane < s.a.batch
                             ? decode_pieces(s.a.lengths[first + lane]) * s.a.heads_kv * s.tiles
                             : 0;
    int64_t sum = mine;
    for (int step = 1; step < 32; step *= 2) {
      const int64_t other = __shfl_up_sync(~0u, sum, step);
      if (lane >= step) sum += other;
    }
    f(first + lane, before + sum - mine, mine);
    before += __shfl_sync(~0u, sum, 31);
  }
  return before;
}

template <typename Element, int d>
__global__ void __launch_bounds__(32 * kWarps, 1) decode_balanced_kernel(DecodeSplit s) {
  cudaGridDependencySynchronize();
  cudaTriggerProgrammaticLaunchCompletion();  // the merging blocks may take their places, and wait
  const int64_t worker = blockIdx.x;
  const bool writes = worker == 0 && threadIdx.x < 32;
  const int64_t all = scan_pieces(s, [&](int64_t sequence, int64_t before, int64_t) {
    if (writes && sequence < s.a.batch) s.begins[sequence] = before;
  });
  if (writes && threadIdx.x == 0) s.begins[s.a.batch] = all;
  const int64_t count = all < s.workers ? all : s.workers;
  if (worker >= count) return;
  const int64_t begin = all * worker / count;
  PieceCursor at = {};
  scan_pieces(s, [&](int64_t sequence, int64_t before, int64_t pieces) {
    const uint32_t found = __ballot_sync(~0u, begin >= before && begin < before + pieces);
    if (found == 0) return;
    const int lane = __ffs(static_cast<int>(found)) - 1;
    at.sequence = static_cast<int>(__shfl_sync(~0u, sequence, lane));
    at.piece = static_cast<int>(begin - __shfl_sync(~0u, before, lane));
  });
  at.keys = s.a.lengths[at.sequence];
  at.sub = at.piece / at.pieces();
  at.piece %= at.pieces();
  at.left = static_cast<int>(all * (worker + 1) / count - begin);
  attend_pieces<kWarps, Element, d>(s, at, [&](int64_t item) { return worker + item; });
}

Status prepare(const Shape& shape, Plan* plan) {
  return with_piece_head(shape, [&]<typename Element, int d>() -> Status {
    RIDGE_CUDA_CHECK(cudaFuncSetAttribute(decode_balanced_kernel<Element, d>,
                                          cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          kSharedBytes));
    return prepare_split(shape, kPieceRows, 0, sm_count(), plan);
  });
}

Status launch(const Launch& launch) {
  return with_piece_head(launch.shape, [&]<typename Element, int d>() -> Status {
    const DecodeSplit s = split_of(launch, kPieceRows, 0, sm_count());
    const Status made = launch_overlapped(decode_balanced_kernel<Element, d>, s.workers,
                                          32 * kWarps, kSharedBytes, launch, s);
    if (!made.ok()) return made;
    return launch_merge<typename Element::Out>(s, launch);
  });
}

}  // namespace

RIDGE_KERNEL(decode, cuda, balanced, .dtypes = "bf16 fp16", .prepare = prepare, .launch = launch);
