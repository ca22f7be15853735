// ridge: arch=80
//
// Idea      All query heads that share a head of keys, up to 16, are the rows of a product on the tensor cores. A block
//           has a part of 1,024 keys, its four warps take pieces of 16, brought by 16-byte cp.async two pieces ahead.
// Changed   K and V are read once for a group, and 128 KiB an SM are under way: what one SM's part of the memory
//           delivers in two memory latencies and more.
// Limits    A block begins with an empty ring, and the last blocks leave most SMs idle: parts are of fixed length.
// Look at   Bandwidth where heads_kv = heads: the same, with 15 of 16 rows of each product unused.
// Source    Ainslie et al., arXiv:2305.13245; Hong et al., FlashDecoding++, arXiv:2311.01282 (padded rows).
#include "common/harness/kernel/cuda_check.h"
#include "kernels/decode/rungs/tensor_pieces.h"

namespace {

using namespace ridge;
using namespace ridge::device;

constexpr int kPartKeys = 1024, kWarps = 4, kSharedBytes = kPieceSharedBytes<kWarps>;

template <typename Element, int d>
__global__ void __launch_bounds__(32 * kWarps) decode_grouped_kernel(DecodeSplit s) {
  const int64_t item = blockIdx.x / s.parts, per_sequence = s.per_sequence;
  const int part = static_cast<int>(blockIdx.x % s.parts);
  PieceCursor at = {};
  at.enter(s, static_cast<int>(item / per_sequence), s.a.lengths[item / per_sequence]);
  at.sub = static_cast<int>(item % per_sequence);
  at.piece = part * (kPartKeys / RIDGE_DECODE_PIECE);
  at.left = min(kPartKeys / RIDGE_DECODE_PIECE, at.pieces() - at.piece);
  attend_pieces<kWarps, Element, d>(s, at, [&](int64_t) { return int64_t{blockIdx.x}; });
}

Status prepare(const Shape& shape, Plan* plan) {
  return with_piece_head(shape, [&]<typename Element, int d>() -> Status {
    RIDGE_CUDA_CHECK(cudaFuncSetAttribute(decode_grouped_kernel<Element, d>,
                                          cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          kSharedBytes));
    return prepare_split(shape, kPieceRows, kPartKeys, 0, plan);
  });
}

Status launch(const Launch& launch) {
  return with_piece_head(launch.shape, [&]<typename Element, int d>() -> Status {
    const DecodeSplit s = split_of(launch, kPieceRows, kPartKeys, 0);
    const int64_t blocks = decode_items(launch.shape, s.rows) * s.parts;
    decode_grouped_kernel<Element, d><<<static_cast<unsigned>(blocks), 32 * kWarps, kSharedBytes,
                                        static_cast<cudaStream_t>(launch.stream)>>>(s);
    if (const Status made = RIDGE_CUDA_LAUNCHED(decode_grouped_kernel); !made.ok()) return made;
    return launch_merge<typename Element::Out>(s, launch);
  });
}

}  // namespace

RIDGE_KERNEL(decode, cuda, grouped, .dtypes = "bf16 fp16", .prepare = prepare, .launch = launch);
