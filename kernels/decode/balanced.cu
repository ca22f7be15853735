// ridge: arch=90
//
// Idea      As many warps as the GPU holds at once, and to each an equal share of all pieces of all sequences and
//           heads together, contiguous. A share ends anywhere within a head; the ring goes on from one head to the
//           next without running dry.
// Changed   No parts of fixed length: one sequence of 8,192 keys among many of 100 keeps no SM waiting, nothing
//           begins with an empty ring but once, and nobody is left over.
// Limits    Memory.
// Look at   lengths = mixed against equal; page = 16 against 0: the page of a piece is looked up two pieces ahead.
// Source    Osama et al., Stream-K, arXiv:2301.03598; Ye et al., FlashInfer, arXiv:2501.01005, section 3.3.
#include "kernels/decode/tensor_pieces.h"

namespace {

using namespace ridge;
using namespace ridge::device;

constexpr int kBlocksPerSm = 2;

int workers() {
  return sm_count() * kBlocksPerSm * kPieceWarps;
}

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
__global__ void __launch_bounds__(kPieceThreads) decode_balanced_kernel(DecodeSplit s) {
  const int64_t worker = static_cast<int64_t>(blockIdx.x) * kPieceWarps + threadIdx.x / 32;
  const int64_t all = scan_pieces(s, [&](int64_t sequence, int64_t before, int64_t) {
    if (worker == 0 && sequence < s.a.batch) s.begins[sequence] = before;
  });
  if (worker == 0 && threadIdx.x == 0) s.begins[s.a.batch] = all;
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
  at.sub = at.piece / static_cast<int>(decode_pieces(at.keys));
  at.piece %= static_cast<int>(decode_pieces(at.keys));
  at.left = all * (worker + 1) / count - begin;
  attend_pieces<Element, d>(s, at, [&](int64_t item) { return worker + item; });
}

Status prepare(const Shape& shape, Plan* plan) {
  return with_tensor_head(
      shape.dtype, shape.dim[kDecodeHeadSize], [&]<typename Element, int d>() -> Status {
        RIDGE_CUDA_CHECK(cudaFuncSetAttribute(decode_balanced_kernel<Element, d>,
                                              cudaFuncAttributeMaxDynamicSharedMemorySize,
                                              kPieceSharedBytes));
        return prepare_split(shape, kPieceRows, 0, workers(), plan);
      });
}

Status launch(const Launch& launch) {
  return with_tensor_head(
      launch.shape.dtype, launch.shape.dim[kDecodeHeadSize],
      [&]<typename Element, int d>() -> Status {
        const DecodeSplit s = split_of(launch, kPieceRows, 0, workers());
        decode_balanced_kernel<Element, d>
            <<<static_cast<unsigned>(s.workers / kPieceWarps), kPieceThreads, kPieceSharedBytes,
               static_cast<cudaStream_t>(launch.stream)>>>(s);
        if (const Status made = RIDGE_CUDA_LAUNCHED(decode_balanced_kernel); !made.ok())
          return made;
        return launch_merge<typename Element::Out>(s, launch);
      });
}

}  // namespace

RIDGE_KERNEL(decode, cuda, balanced, .dtypes = "bf16 fp16", .prepare = prepare, .launch = launch);
