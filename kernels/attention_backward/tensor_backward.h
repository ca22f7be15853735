// What the backward rung on wgmma is made of beside its products: the description of a problem, the shared
// memory, the producer, and how sums leave.
//
// A block has 128 keys of a head of keys, whose K and V stay in shared memory, and goes along the queries of the
// heads that share them. Each of two consumer warpgroups has 64 of the keys: its dK and dV stay in registers.
// Queries come in pieces of 64 (128 at head size 64). dQ is added up in memory.
//
// Idea: Shah et al., FlashAttention-3, arXiv:2407.08608, section 3.1 and its backward pass.
#pragma once

#include "common/core/ceil_div.h"
#include "kernels/attention_backward/backward.h"
#include "kernels/runtime/cuda/bulk.h"
#include "kernels/runtime/cuda/flash_softmax.h"
#include "kernels/runtime/cuda/pipeline.h"
#include "kernels/runtime/cuda/store_strips.h"
#include "kernels/runtime/cuda/tensor_head.h"
#include "kernels/runtime/cuda/tma_stack.h"
#include "kernels/runtime/cuda/wgmma_registers.h"

namespace ridge {

/// `const __grid_constant__ TensorBackward b`. All boxes: 64 columns, 64 rows.
struct TensorBackward {
  CUtensorMap q, k, v, d_o, dq, dk, dv;
  float* dq_sum;         ///< of scores that are not yet divided by sqrt(d)
  float *l, *d_rows;     ///< L log2(e) and D, heads x `padded`; behind the end infinity and 0
  const float* l_given;  ///< as the forward pass left it
  const void *o, *d_o_given;
  int heads, group, sequence, padded;
  int causal;
  float scale, scale_log2;
};

namespace device {

constexpr int kBackwardKeys = 128, kBackwardGroups = 2;
constexpr int kBackwardConsumers = kBackwardGroups * 128,
              kBackwardThreads = kBackwardConsumers + 128;

template <int d>
struct BackwardTile {
  static constexpr int kRows = 8192 / d;  ///< queries of a piece: 64 x 64 of dQ for each warpgroup
  static constexpr int kSlices = d / 64;
  /// Of queries, whose scores are asked for a round ahead, and of dO.
  static constexpr int kStages = 3, kOutStages = 2;
  static constexpr int kPieceBytes = kRows * kSliceBytes;

  struct Shared {
    alignas(1024) unsigned char k[kBackwardGroups][kSlices][kStripBytes];
    alignas(1024) unsigned char v[kBackwardGroups][kSlices][kStripBytes];
    alignas(1024) unsigned char q[kStages][kSlices][kPieceBytes];
    alignas(1024) unsigned char d_o[kOutStages][kSlices][kPieceBytes];
    alignas(
        1024) unsigned char ds[2][kBackwardGroups][kPieceBytes];  ///< rows: queries; 64 keys each
    alignas(128) float dq[2][4096];                               ///< on its way
    alignas(128) float l[kStages][kRows], d_rows[kOutStages][kRows];
    uint64_t kv_full, q_full[kStages], q_empty[kStages];
    uint64_t do_full[kOutStages], do_empty[kOutStages];
  };
  struct Position {
    RingPosition<kStages> q;
    RingPosition<kOutStages> d_o;
  };
};

/// The pieces of queries that meet a block of keys, of one head.
template <int d>
__device__ int backward_first_piece(const TensorBackward& b, int key) {
  return b.causal ? key / BackwardTile<d>::kRows : 0;
}
template <int d>
__device__ int backward_pieces(const TensorBackward& b) {
  return b.padded / BackwardTile<d>::kRows;
}

/// By all threads.
template <int d>
__device__ void backward_begin(typename BackwardTile<d>::Shared& shared) {
  if (threadIdx.x == 0) {
    mbarrier_init(&shared.kv_full, 1);
    for (int stage = 0; stage < BackwardTile<d>::kStages; ++stage) {
      mbarrier_init(&shared.q_full[stage], 1);
      // By every thread, since every one reads L and D by itself. An arrival for each warp is as right (the
      // groups have met in between) and no faster on an H200, but racecheck cannot follow it.
      mbarrier_init(&shared.q_empty[stage], kBackwardConsumers);
    }
    for (int stage = 0; stage < BackwardTile<d>::kOutStages; ++stage) {
      mbarrier_init(&shared.do_full[stage], 1);
      mbarrier_init(&shared.do_empty[stage], kBackwardConsumers);
    }
    fence_mbarrier_init();
  }
  __syncthreads();
}

/// By all consumers.
__device__ inline void consumers_sync() {
  asm volatile("bar.sync 3, 256;" ::: "memory");
}
static_assert(kBackwardConsumers == 256);

/// By one thread: `rows` rows of a matrix, all its columns, in strips of 64 x 64; they complete on `full`.
template <int slices, int bytes>
__device__ void backward_load(unsigned char (&to)[slices][bytes], const CUtensorMap* map, int row,
                              int head, uint64_t* full) {
  for (int slice = 0; slice < slices; ++slice) {
    for (int at = 0; at < bytes; at += kStripBytes) {
      tma_load_3d(to[slice] + at, map, slice * 64, row + at / kSliceBytes, head, full);
    }
  }
}

/// By one thread: all that the consumers need, in the order in which they need it.
template <int d>
__device__ void backward_produce(typename BackwardTile<d>::Shared& shared, const TensorBackward& b,
                                 int head_kv, int key) {
  constexpr int kRows = BackwardTile<d>::kRows;
  constexpr uint32_t kBytes = kRows * d * 2 + kRows * sizeof(float);
  mbarrier_arrive_expect(&shared.kv_full, sizeof shared.k + sizeof shared.v);
  for (int group = 0; group < kBackwardGroups; ++group) {
    backward_load(shared.k[group], &b.k, key + group * 64, head_kv, &shared.kv_full);
    backward_load(shared.v[group], &b.v, key + group * 64, head_kv, &shared.kv_full);
  }
  typename BackwardTile<d>::Position at;
  for (int head = head_kv * b.group; head < (head_kv + 1) * b.group; ++head) {
    for (int piece = backward_first_piece<d>(b, key); piece < backward_pieces<d>(b); ++piece) {
      const int64_t row = static_cast<int64_t>(head) * b.padded + piece * kRows;
      mbarrier_wait(&shared.q_empty[at.q.stage], at.q.parity ^ 1);
      mbarrier_arrive_expect(&shared.q_full[at.q.stage], kBytes);
      backward_load(shared.q[at.q.stage], &b.q, piece * kRows, head, &shared.q_full[at.q.stage]);
      bulk_load(shared.l[at.q.stage], b.l + row, sizeof shared.l[0], &shared.q_full[at.q.stage]);
      at.q.advance();
      mbarrier_wait(&shared.do_empty[at.d_o.stage], at.d_o.parity ^ 1);
      mbarrier_arrive_expect(&shared.do_full[at.d_o.stage], kBytes);
      backward_load(shared.d_o[at.d_o.stage], &b.d_o, piece * kRows, head,
                    &shared.do_full[at.d_o.stage]);
      bulk_load(shared.d_rows[at.d_o.stage], b.d_rows + row, sizeof shared.l[0],
                &shared.do_full[at.d_o.stage]);
      at.d_o.advance();
    }
  }
}

/// A warpgroup's 64 x d sums, times `factor`, by way of `strips`, which it alone reads and writes by now. Before
/// the block ends: bulk_wait_read<0>() by all.
template <typename Element, int d>
__device__ __forceinline__ void backward_store(const float (&acc)[d / 2], float factor, const CUtensorMap* map,
                                               int head, int row, unsigned char (&strips)[d / 64][kStripBytes]) {
  const int barrier = 1 + static_cast<int>(threadIdx.x) / 128;
#pragma unroll
  for (int slice = 0; slice < d / 64; ++slice) {
    uint32_t pairs[16];
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      const int at = 32 * slice + 2 * i;
      pairs[i] = pack_pair(typename Element::Out{}, acc[at] * factor, acc[at + 1] * factor);
    }
    fill_strip(pairs, strips[slice]);
  }
  fence_shared_for_async();
  warpgroup_sync(barrier);
  if (threadIdx.x % 128 == 0) {
    for (int slice = 0; slice < d / 64; ++slice) {
      tma_store_3d(map, slice * 64, row, head, strips[slice]);
    }
    bulk_commit();
  }
}

// ---- dQ ---------------------------------------------------------------------------------------------
// How dQ is summed up in the backward rung on wgmma: every block of keys has a share of every query's. A share is
// 64 x 64 fp32 a warpgroup, and lies in the workspace in the order of the registers: [head][piece][warpgroup][8][128
// threads] of four floats, so that the copy engine adds 16 KiB in one piece, and no bank of shared memory is met
// twice.

/// By one thread: `bytes` of floats from shared memory are added to those at `to`; among several the order is chance.
/// Before and after as with tma_store_2d() (tma_store.h): fence_shared_for_async() by the writers, a barrier, this,
/// bulk_commit().
__device__ inline void bulk_add(float* to, const void* from, uint32_t bytes) {
  asm volatile(
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(to),
      "r"(shared_address(from)), "r"(bytes)
      : "memory");
}

/// A warpgroup's share sets out to its sums, by way of `staging`, from which the one before must have gone.
__device__ __forceinline__ void add_to_queries(const float (&dq)[32], float (&staging)[4096],
                                               float* to, int barrier) {
  const int t = static_cast<int>(threadIdx.x) % 128;
  if (t == 0) bulk_wait_read<0>();
  warpgroup_sync(barrier);
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    reinterpret_cast<float4*>(staging)[i * 128 + t] =
        make_float4(dq[4 * i], dq[4 * i + 1], dq[4 * i + 2], dq[4 * i + 3]);
  }
  fence_shared_for_async();
  warpgroup_sync(barrier);
  if (t != 0) return;
  bulk_add(to, staging, sizeof staging);
  bulk_commit();
}

}  // namespace device

/// Heads that are worked on together (x), blocks of keys (y), and such groups of heads (z): what all blocks of a
/// group read and add to stays in the L2.
template <int d>
dim3 backward_blocks(const TensorBackward& b) {
  constexpr double kShare_bytes = 24 << 20;
  const double head_bytes = double(b.group) * b.padded * d * (2 + 2 + 4);
  const int heads_kv = b.heads / b.group, fit = static_cast<int>(kShare_bytes / head_bytes);
  const int together = fit < 1 ? 1 : fit < heads_kv ? fit : heads_kv;
  return dim3(static_cast<unsigned>(together),
              static_cast<unsigned>(ceil_div(b.sequence, device::kBackwardKeys)),
              static_cast<unsigned>(ceil_div(heads_kv, together)));
}

Status prepare_backward(const Shape& shape, Plan* plan);  // begin.cu: the workspace
/// Fills `b`, and runs what comes before the products: D, L in base 2, zeros for dQ. In fp32 and at any head size
/// that tensor_head.h knows.
Status begin_backward(const Launch& launch, TensorBackward* b);
/// After the products: dQ in its type.
Status end_backward(const Launch& launch, const TensorBackward& b);  // query_sums.cu

}  // namespace ridge
