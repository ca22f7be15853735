// What the attention rungs from wgmma_tma on share: the description of a problem that they get as their only
// argument, their shared memory, the producer, and how a tile of O leaves.
//
// A block has `groups` consumer warpgroups with 64 queries each, and one producer warp. Keys and values come
// in blocks of 128, the last one first: under a mask it is the first blocks that need it. A tile of r rows
// and d columns lies as d / 64 slices of r rows of 128 bytes, with the 128-byte swizzle (wgmma.h).
//
// Ideas: Dao, FlashAttention-2, arXiv:2307.08691; Shah et al., FlashAttention-3, arXiv:2407.08608.
#pragma once

#include "common/core/ceil_div.h"
#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/cuda/pipeline.h"
#include "kernels/runtime/cuda/store_strips.h"
#include "kernels/runtime/cuda/tensor_head.h"
#include "kernels/runtime/cuda/tma_stack.h"
#include "kernels/runtime/cuda/wgmma_registers.h"

namespace ridge {

/// `const __grid_constant__ Flash a`: the maps are read by the copy engine.
struct Flash {
  CUtensorMap q, k, v, o;  ///< of heads x sequence x d; boxes: 64 columns, 64 rows (k, v: 128)
  int heads, group, sequence;
  int causal;
  const int* order;  ///< of the persistent rung's tiles (flash_order.h)
  float scale;       ///< log2(e) / sqrt(d)
};

Status describe_flash(const Launch& launch, CUtensorMapDataType type, Flash* a);  // flash.cu

namespace device {

constexpr int kFlashKeys = 128;   ///< of a block
constexpr int kFlashGroupM = 64;  ///< queries of a consumer warpgroup

template <int d>
struct FlashTile {
  /// With 64 columns a third warpgroup fits into the register file: 192 queries share each key.
  static constexpr int kGroups = d == 64 ? 3 : 2, kStages = d == 64 ? 4 : 2, kSlices = d / 64;
  static constexpr int kRows = kGroups * kFlashGroupM;
  static constexpr int kConsumers = kGroups * 128, kThreads = kConsumers + 128;
  static constexpr int kProducerRegisters = d == 64 ? 32 : 24,
                       kConsumerRegisters = d == 64 ? 160 : 240;
  static constexpr int kBlockBytes = kFlashKeys * kSliceBytes;  ///< a slice of K or V

  struct Shared {
    alignas(1024) unsigned char q[2][kGroups][kSlices][kFlashGroupM * kSliceBytes];
    alignas(1024) unsigned char k[kStages][kSlices][kBlockBytes];
    alignas(1024) unsigned char v[kStages][kSlices][kBlockBytes];
    uint64_t q_full[2], q_empty[2];
    uint64_t k_full[kStages], k_empty[kStages], v_full[kStages], v_empty[kStages];
  };
  /// Where a producer or a consumer is in the three rings.
  struct Position {
    RingPosition<2> q;
    RingPosition<kStages> k, v;
  };
};

/// By all threads. `q_arrivals`: how many of the consumers say that a tile's queries are no longer needed.
template <int d, typename Shared>
__device__ void flash_begin(Shared& shared, int q_arrivals = FlashTile<d>::kGroups) {
  constexpr int kStages = sizeof shared.k_full / sizeof shared.k_full[0];
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < 2; ++stage) {
      mbarrier_init(&shared.q_full[stage], 1);
      mbarrier_init(&shared.q_empty[stage], q_arrivals);
    }
    for (int stage = 0; stage < kStages; ++stage) {
      mbarrier_init(&shared.k_full[stage], 1);
      mbarrier_init(&shared.v_full[stage], 1);
      mbarrier_init(&shared.k_empty[stage],
                    FlashTile<d>::kConsumers / 32);  // a thread of each warp
      mbarrier_init(&shared.v_empty[stage], FlashTile<d>::kConsumers / 32);
    }
    fence_mbarrier_init();
  }
  __syncthreads();
}

/// Blocks of keys that a tile of queries meets.
template <int d>
__device__ int flash_blocks(const Flash& a, int row) {
  const int last = a.causal ? min(a.sequence, row + FlashTile<d>::kRows) : a.sequence;
  return ceil_div(last, kFlashKeys);
}

/// By one thread: block `block` of K or V into the next stage of its ring.
template <int stages, int slices>
__device__ void flash_load(unsigned char (&ring)[stages][slices][kFlashKeys * kSliceBytes],
                           uint64_t* full, uint64_t* empty, const CUtensorMap* map, int block,
                           int head, RingPosition<stages>* at) {
  mbarrier_wait(&empty[at->stage], at->parity ^ 1);
  mbarrier_arrive_expect(&full[at->stage], sizeof ring[0]);
  for (int slice = 0; slice < slices; ++slice) {
    tma_load_3d(ring[at->stage][slice], map, slice * 64, block * kFlashKeys, head,
                &full[at->stage]);
  }
  at->advance();
}

/// By one thread: all that the consumers of a tile need, in the order in which they need it.
template <int d>
__device__ void flash_produce(typename FlashTile<d>::Shared& shared, const Flash& a, int head,
                              int row, typename FlashTile<d>::Position* at) {
  const int kv = head / a.group, blocks = flash_blocks<d>(a, row);
  uint64_t* full = &shared.q_full[at->q.stage];
  mbarrier_wait(&shared.q_empty[at->q.stage], at->q.parity ^ 1);
  mbarrier_arrive_expect(full, sizeof shared.q[0]);
  for (int group = 0; group < FlashTile<d>::kGroups; ++group) {
    for (int slice = 0; slice < FlashTile<d>::kSlices; ++slice) {
      tma_load_3d(shared.q[at->q.stage][group][slice], &a.q, slice * 64, row + group * kFlashGroupM,
                  head, full);
    }
  }
  at->q.advance();
  flash_load(shared.k, shared.k_full, shared.k_empty, &a.k, blocks - 1, kv, &at->k);
  for (int block = blocks - 1; block >= 0; --block) {
    if (block > 0) flash_load(shared.k, shared.k_full, shared.k_empty, &a.k, block - 1, kv, &at->k);
    flash_load(shared.v, shared.v_full, shared.v_empty, &a.v, block, kv, &at->v);
  }
}

/// Which queries a thread has: `row` and row + 8. No key below `unmasked` is masked for its warpgroup.
struct FlashRows {
  int row, unmasked;
};
__device__ inline FlashRows flash_rows(const Flash& a, int group_row) {
  const int lane = static_cast<int>(threadIdx.x) % 32,
            warp = static_cast<int>(threadIdx.x) / 32 % 4;
  return {group_row + warp * 16 + lane / 4, a.causal ? min(a.sequence, group_row + 1) : a.sequence};
}

/// The consumer warpgroups take turns at the tensor cores, round and round; each waits for its own turn,
/// which the one before passes on. Every turn passed must be waited for. Barriers 5, 6, 7.
inline __device__ void flash_wait_turn(int group) {
  asm volatile("bar.sync %0, 256;" ::"r"(5 + group) : "memory");
}
template <int groups>
__device__ void flash_pass_turn(int group) {
  asm volatile("bar.arrive %0, 256;" ::"r"(5 + (group + 1) % groups) : "memory");
}

/// By a thread of each warp of the consumers.
__device__ inline void flash_release(uint64_t* empty) {
  if (threadIdx.x % 32 == 0) mbarrier_arrive(empty);
}

/// s = Q Kt of a warpgroup and a block: 64 x 128 x d. The caller fences before and commits after.
template <typename Element, int slices>
__device__ __forceinline__ void flash_scores(
    float (&s)[kFlashKeys / 2], const unsigned char (&q)[slices][kFlashGroupM * kSliceBytes],
    const unsigned char (&k)[slices][kFlashKeys * kSliceBytes]) {
#pragma unroll
  for (int slice = 0; slice < slices; ++slice) {
    const uint64_t from_q = swizzled_descriptor(q[slice]), from_k = swizzled_descriptor(k[slice]);
#pragma unroll
    for (int step = 0; step < 4; ++step) {
      Wgmma<Element, kFlashKeys, false>::multiply(s, from_q + 2 * step, from_k + 2 * step,
                                                  slice + step > 0);
    }
  }
}

/// o += P V: 64 x d x 128, P from registers.
template <typename Element, int d>
__device__ __forceinline__ void flash_weighted_sum(
    float (&o)[d / 2], const uint32_t (&p)[kFlashKeys / 16][4],
    const unsigned char (&v)[d / 64][kFlashKeys * kSliceBytes]) {
  const uint64_t from_v = swizzled_descriptor_n_major(v, kFlashKeys * kSliceBytes);
#pragma unroll
  for (int step = 0; step < kFlashKeys / 16; ++step) {
    WgmmaRegisters<Element, d>::multiply(o, p[step], from_v + 128 * step);
  }
}

/// o, already divided, to O by way of the shared memory in which the warpgroup's queries were. The leader
/// commits; before this memory is used again it waits (bulk_wait_read).
template <typename Element, int d>
__device__ __forceinline__ void flash_store(
    const float (&o)[d / 2], const Flash& a, int head, int row,
    unsigned char (&strips)[d / 64][kFlashGroupM * kSliceBytes]) {
  const int barrier = 1 + static_cast<int>(threadIdx.x) / 128;
  warpgroup_sync(barrier);  // all four warps have read their queries for the last time
#pragma unroll
  for (int slice = 0; slice < d / 64; ++slice) {
    uint32_t pairs[16];
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      pairs[i] =
          pack_pair(typename Element::Out{}, o[32 * slice + 2 * i], o[32 * slice + 2 * i + 1]);
    }
    fill_strip(pairs, strips[slice]);
  }
  fence_shared_for_async();
  warpgroup_sync(barrier);
  if (threadIdx.x % 128 == 0) {
    for (int slice = 0; slice < d / 64; ++slice) {
      tma_store_3d(&a.o, slice * 64, row, head, strips[slice]);
    }
    bulk_commit();
  }
}

}  // namespace device

/// A block for each tile of queries.
template <int d, typename Kernel>
void launch_flash_tiles(Kernel* kernel, const Flash& a, void* stream) {
  using Tile = device::FlashTile<d>;
  const int tiles = ceil_div(a.sequence, Tile::kRows) * a.heads;
  kernel<<<static_cast<unsigned>(tiles), Tile::kThreads, sizeof(typename Tile::Shared),
           static_cast<cudaStream_t>(stream)>>>(a);
}

template <int d, typename Kernel>
Status allow_flash_memory(Kernel* kernel) {
  RIDGE_CUDA_CHECK(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           static_cast<int>(sizeof(typename device::FlashTile<d>::Shared))));
  return {};
}

}  // namespace ridge
