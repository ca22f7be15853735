// What the decode rungs on the tensor cores share: a block attends over a range of keys, its warps taking pieces of
// 16 in turn, for up to 16 heads of queries that share them. A warp's keys and values come by cp.async into a ring of
// its own; the warps meet only where a head ends.
//
// A product of a warp has 16 rows whether they are used or not: the queries of a group are those rows, and what
// is not used costs nothing that memory would not have cost. The layouts are attention's (mma_products.h).
#pragma once

#include "kernels/decode/rungs/slots.h"
#include "kernels/runtime/cuda/cp_async.h"
#include "kernels/runtime/cuda/mma_products.h"
#include "kernels/runtime/cuda/tensor_head.h"

namespace ridge {

constexpr int kPieceRows = 16;

/// Calls run<Element, d>() for the type and head size of `shape`.
template <typename Run>
Status with_piece_head(const Shape& shape, Run run) {
  return with_tensor_head(shape.dtype, shape.dim[kDecodeHeadSize], run);
}

/// Of a warp's ring, whatever the head size: two of three stages are under way, 128 KiB of an SM's 8 warps in two blocks.
constexpr int kRingBytes = 24 << 10;
/// Where a block's warps meet: 8 rows of each at a time.
template <int warps>
constexpr int kMeetingFloats = warps * 8 * (128 + 2);
template <int warps>
constexpr int kPieceSharedBytes = warps* kRingBytes + kMeetingFloats<warps> * 4;

namespace device {

/// A piece of keys, and where the cache has it.
struct PieceCursor {
  int sequence, sub, piece;  ///< sub: head of keys * tiles + set of query heads
  int keys, keys_after;      ///< of this sequence and of the next, which is needed without a wait
  int left;                  ///< pieces of the range, with this one
  int page;  ///< of this piece; fetched when the cursor came here, needed one step later

  __device__ int pieces() const { return (keys + RIDGE_DECODE_PIECE - 1) / RIDGE_DECODE_PIECE; }
  __device__ int count() const {
    return min(RIDGE_DECODE_PIECE, keys - piece * RIDGE_DECODE_PIECE);
  }
  __device__ int64_t item(const DecodeSplit& s) const {
    return static_cast<int64_t>(sequence) * s.per_sequence + sub;
  }
  __device__ void look_up(const DecodeSplit& s) {
    if (s.page == 0 || left <= 0) return;
    page = s.a.table[static_cast<int64_t>(sequence) * s.table_width +
                     piece * RIDGE_DECODE_PIECE / s.page];
  }
  __device__ int64_t row(const DecodeSplit& s) const {
    const int kv = sub / s.tiles, key = piece * RIDGE_DECODE_PIECE;
    if (s.page == 0) return (sequence * s.a.heads_kv + kv) * s.a.length + key;
    return (page * s.a.heads_kv + kv) * s.page + key % s.page;
  }
  /// So many pieces on, through the heads and sequences.
  __device__ void advance(const DecodeSplit& s, int step) {
    left -= step;
    if (left <= 0) return;
    piece += step;
    while (piece >= pieces()) {
      piece -= pieces();
      if (++sub < s.per_sequence) continue;
      sub = 0;
      enter(s, sequence + 1, keys_after);
    }
  }
  __device__ void enter(const DecodeSplit& s, int which, int its_keys) {
    sequence = which;
    keys = its_keys;
    if (which + 1 < s.a.batch) keys_after = s.a.lengths[which + 1];
  }
};

/// By a warp: the piece's keys, then its values; zeros behind the end of the sequence.
template <int d>
__device__ void load_piece(uint32_t to, const DecodeSplit& s, const PieceCursor& at) {
  const int64_t from = at.row(s) * d;
  const auto *k = static_cast<const uint16_t*>(s.a.k) + from,
             *v = static_cast<const uint16_t*>(s.a.v) + from;
  const int count = at.count(), lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int i = lane; i < RIDGE_DECODE_PIECE * d / 8; i += 32) {
    const int row = i / (d / 8), place = row_place<d>(row, i % (d / 8));
    cp_async_16(to + place, k + i * 8, row < count);
    cp_async_16(to + RIDGE_DECODE_PIECE * d * 2 + place, v + i * 8, row < count);
  }
}

/// A warp's queries and what it has found so far. Lane 4g + q has the query heads g and g + 8.
template <typename Element, int d>
struct PieceState {
  uint32_t q[d / 16][4];
  float o[d / 8][4];
  SoftmaxRows rows;

  __device__ void begin(const DecodeSplit& s, const PieceCursor& at) {
    const int lane = static_cast<int>(threadIdx.x) % 32, first = at.sub % s.tiles * s.rows;
    const int64_t head = at.sequence * s.a.heads + at.sub / s.tiles * s.a.group + first;
    const auto* from = static_cast<const uint16_t*>(s.a.q) + head * d + lane % 4 * 2;
    const int used = min(s.rows, static_cast<int>(s.a.group) - first);
#pragma unroll
    for (int i = 0; i < d / 4; ++i) {
      const int row = lane / 4 + i % 2 * 8;
      q[i / 4][i % 4] =
          row < used
              ? *reinterpret_cast<const uint32_t*>(from + row * d + i / 4 * 16 + i / 2 % 2 * 8)
              : 0;
      o[i / 2][i % 2 * 2] = o[i / 2][i % 2 * 2 + 1] = 0;
    }
    rows = SoftmaxRows();
  }

  __device__ void take(uint32_t k, int count, float scale) {
    const uint32_t v = k + RIDGE_DECODE_PIECE * d * 2;
    float s[2][4] = {}, factor[2];
    uint32_t p[1][4];
    auto& flat = reinterpret_cast<float(&)[8]>(s);
    warp_scores<Element, d>(s, q, k);
    if (count < RIDGE_DECODE_PIECE) mask_scores(flat, 0, count, false, 0);
    softmax_step(flat, scale, &rows, factor);
    scale_rows(reinterpret_cast<float(&)[d / 2]>(o), factor);
    to_operand<Element>(flat, p);
    warp_weighted_sum<Element, d>(o, p, v);
  }
};

/// By a block: its warps' results for the item at `at` become one, in `slot`, or O where the block had all keys.
template <int warps, typename Element, int d>
__device__ void meet(const DecodeSplit& s, const PieceState<Element, d>& state,
                     const PieceCursor& at, bool complete, int64_t slot, float scale,
                     float* meeting) {
  const int first = at.sub % s.tiles * s.rows,
            used = min(s.rows, static_cast<int>(s.a.group) - first);
  const int64_t head = at.sequence * s.a.heads + at.sub / s.tiles * s.a.group + first;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  for (int half = 0; half * 8 < used; ++half) {
    float sum = half == 0 ? state.rows.sum[0] : state.rows.sum[1];
    const float running_max = half == 0 ? state.rows.running_max[0] : state.rows.running_max[1];
    sum += __shfl_xor_sync(~0u, sum, 1);
    sum += __shfl_xor_sync(~0u, sum, 2);
    __syncthreads();  // what was here before has been read
    float* mine = meeting + (warp * 8 + lane / 4) * (d + 2);
#pragma unroll
    for (int j = 0; j < d / 8; ++j) {
      *reinterpret_cast<float2*>(mine + j * 8 + lane % 4 * 2) =
          half == 0 ? make_float2(state.o[j][0], state.o[j][1])
                    : make_float2(state.o[j][2], state.o[j][3]);
    }
    if (lane % 4 == 0) *reinterpret_cast<float2*>(mine + d) = make_float2(running_max * scale, sum);
    __syncthreads();
    const int rows = min(8, used - half * 8);
    for (int i = static_cast<int>(threadIdx.x); i < rows * d; i += 32 * warps) {
      const float* from = meeting + i / d * (d + 2);
      float most = -INFINITY, all = 0, o = 0;
      for (int w = 0; w < warps; ++w) most = fmaxf(most, from[w * 8 * (d + 2) + d]);
      for (int w = 0; w < warps; ++w) {
        const float* one = from + w * 8 * (d + 2);
        const float weight = fast_exp2(one[d] - most);
        o = fmaf(one[i % d], weight, o);
        all = fmaf(one[d + 1], weight, all);
      }
      const int row = half * 8 + i / d;
      if (complete) {
        decode_write<typename Element::Out>(s, head + row, i % d, o, all);
        continue;
      }
      float* to = decode_slot(s, slot, row);
      to[i % d] = o;
      if (i % d == 0) to[d] = most, to[d + 1] = all;
    }
  }
}

/// By a block: all pieces of its range, from `at` on. slot_of(item) says where a head's partial result goes.
template <int warps, typename Element, int d, typename SlotOf>
__device__ void attend_pieces(const DecodeSplit& s, PieceCursor at, SlotOf slot_of) {
  constexpr int kStageBytes = 2 * RIDGE_DECODE_PIECE * d * 2, kStages = kRingBytes / kStageBytes;
  extern __shared__ __align__(128) unsigned char raw[];
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const uint32_t ring = shared_address(raw) + static_cast<uint32_t>(warp * kRingBytes);
  auto* meeting = reinterpret_cast<float*>(raw + warps * kRingBytes);
  const float scale = s.a.scale * 1.44269504f;
  PieceState<Element, d> state;
  PieceCursor next = at;
  next.advance(s, warp);
  next.look_up(s);
  int to = 0, from = 0;
  const auto load_next = [&] {
    if (next.left > 0) {
      load_piece<d>(ring + to * kStageBytes, s, next);
      next.advance(s, warps);
      next.look_up(s);
    }
    cp_async_commit();
    to = to + 1 == kStages ? 0 : to + 1;
  };
  for (int i = 0; i < kStages - 1; ++i) load_next();
  int turn = warp;  // pieces from `at` to this warp's next
  while (at.left > 0) {
    const int here = min(at.left, at.pieces() - at.piece);
    state.begin(s, at);
    for (; turn < here; turn += warps) {
      cp_async_wait<kStages - 2>();
      __syncwarp();  // every lane's copies are there, and all have read the stage that is filled next
      load_next();
      const int key = (at.piece + turn) * RIDGE_DECODE_PIECE;
      state.take(ring + from * kStageBytes, min(RIDGE_DECODE_PIECE, at.keys - key), scale);
      from = from + 1 == kStages ? 0 : from + 1;
    }
    turn -= here;
    meet<warps>(s, state, at, at.piece == 0 && here == at.pieces(), slot_of(at.item(s)), scale,
                meeting);
    at.advance(s, here);
  }
}

}  // namespace device
}  // namespace ridge
