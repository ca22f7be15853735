// ridge: arch=90a
//
// Idea      One block for each SM, which takes tile after tile: the queries of the next are loaded while this
//           one is worked on, and O leaves through the copy engine while the next begins. Who takes what is
//           decided beforehand: each tile goes to the block with least to do, the longest first.
// Changed   No block ends with an empty pipeline, and no long tile is left to the end. Heads whose keys and
//           values fit the L2 together are worked on together.
// Limits    Power and the tensor cores at head size 128; at 64 the exponentials, which take as many clocks as
//           the products.
// Look at   causal, against the rung before: a tile's work is anything from 1 to all blocks of keys.
// Source    Shah et al., FlashAttention-3, arXiv:2407.08608; longest first: Graham, SIAM J. Appl. Math. 1969.
#include "common/harness/kernel/cuda_check.h"
#include "kernels/attention/flash_order.h"
#include "kernels/runtime/cuda/flash_softmax.h"

namespace {

using namespace ridge;
using namespace ridge::device;

template <typename Element, int d>
__device__ __forceinline__ void consume_tile(typename FlashTile<d>::Shared& shared, const Flash& a,
                                             int head, int row, int group,
                                             typename FlashTile<d>::Position& at, int* stored) {
  constexpr int kGroups = FlashTile<d>::kGroups;
  float s[kFlashKeys / 2], o[d / 2] = {}, rescale[2];
  uint32_t p[kFlashKeys / 16][4];
  SoftmaxRows rows;
  const int first_row = row + group * kFlashGroupM;
  const FlashRows mine = flash_rows(a, first_row);
  int block = flash_blocks<d>(a, row) - 1;

  auto& q = shared.q[at.q.stage][group];
  mbarrier_wait(&shared.q_full[at.q.stage], at.q.parity);
  mbarrier_wait(&shared.k_full[at.k.stage], at.k.parity);
  flash_wait_turn(group);
  wgmma_fence();
  flash_scores<Element>(s, q, shared.k[at.k.stage]);
  wgmma_commit();
  flash_pass_turn<kGroups>(group);
  if (threadIdx.x % 128 == 0 && *stored >= 0) {
    bulk_wait_read<0>();  // O of the tile before has left; its place is free for queries
    mbarrier_arrive(&shared.q_empty[*stored]);
  }
  wgmma_wait<0>();
  wgmma_touch(s);
  flash_release(&shared.k_empty[at.k.stage]);
  at.k.advance();
  if ((block + 1) * kFlashKeys > mine.unmasked) {
    mask_scores(s, block * kFlashKeys, a.sequence, a.causal, mine.row);
  }
  softmax_step(s, a.scale, &rows, rescale);
  to_operand<Element>(s, p);

  for (--block; block >= 0; --block) {
    mbarrier_wait(&shared.k_full[at.k.stage], at.k.parity);
    flash_wait_turn(group);
    wgmma_fence();
    flash_scores<Element>(s, q, shared.k[at.k.stage]);
    wgmma_commit();
    mbarrier_wait(&shared.v_full[at.v.stage], at.v.parity);
    wgmma_fence();
    flash_weighted_sum<Element, d>(o, p, shared.v[at.v.stage]);
    wgmma_commit();
    flash_pass_turn<kGroups>(group);
    wgmma_wait<1>();  // the scores are there; the weighted sum goes on under the softmax
    wgmma_touch(s);
    flash_release(&shared.k_empty[at.k.stage]);
    at.k.advance();
    if ((block + 1) * kFlashKeys > mine.unmasked) {
      mask_scores(s, block * kFlashKeys, a.sequence, a.causal, mine.row);
    }
    softmax_step(s, a.scale, &rows, rescale);
    wgmma_wait<0>();
    wgmma_touch(o);
    flash_release(&shared.v_empty[at.v.stage]);
    at.v.advance();
    scale_rows(o, rescale);
    to_operand<Element>(s, p);
  }
  mbarrier_wait(&shared.v_full[at.v.stage], at.v.parity);
  wgmma_fence();
  flash_weighted_sum<Element, d>(o, p, shared.v[at.v.stage]);
  wgmma_commit();
  softmax_finish(rows, rescale);
  wgmma_wait<0>();
  wgmma_touch(o);
  flash_release(&shared.v_empty[at.v.stage]);
  at.v.advance();
  scale_rows(o, rescale);
  flash_store<Element, d>(o, a, head, first_row, q);
  *stored = at.q.stage;
  at.q.advance();
}

template <typename Element, int d>
__global__ void __launch_bounds__(FlashTile<d>::kThreads, 1)
    attention_persistent_kernel(const __grid_constant__ Flash a) {
  using Tile = FlashTile<d>;
  extern __shared__ __align__(1024) unsigned char raw[];
  auto& shared = *reinterpret_cast<typename Tile::Shared*>(raw);
  flash_begin<d>(shared);
  typename Tile::Position at;
  if (threadIdx.x < Tile::kConsumers) {
    take_registers<Tile::kConsumerRegisters>();
    const int group = static_cast<int>(threadIdx.x) / 128;
    int stored = -1;  // the stage of q from which O leaves
    if (group == Tile::kGroups - 1) flash_pass_turn<Tile::kGroups>(group);
    for_each_flash_tile<d>(a, [&](int head, int row) {
      consume_tile<Element, d>(shared, a, head, row, group, at, &stored);
    });
    if (group == 0) flash_wait_turn(0);  // so that no turn is left over
    bulk_wait_read<0>();
  } else {
    give_registers<Tile::kProducerRegisters>();
    if (threadIdx.x == Tile::kConsumers) {
      for_each_flash_tile<d>(
          a, [&](int head, int row) { flash_produce<d>(shared, a, head, row, &at); });
    }
  }
}

Status prepare(const Shape& shape, Plan* plan) {
  return with_tensor_head(shape, [&]<typename Element, int d>() -> Status {
    const Status status = allow_flash_memory<d>(attention_persistent_kernel<Element, d>);
    if (!status.ok()) return status;
    constexpr int kRows = FlashTile<d>::kRows;
    return order_flash_tiles(shape, kRows, flash_persistent_blocks(shape, kRows), plan);
  });
}

Status launch(const Launch& launch) {
  return with_tensor_head(launch.shape, [&]<typename Element, int d>() -> Status {
    using Tile = FlashTile<d>;
    Flash a;
    if (const Status s = describe_flash(launch, Element::kMap, &a); !s.ok()) return s;
    const int blocks = flash_persistent_blocks(launch.shape, Tile::kRows);
    attention_persistent_kernel<Element, d>
        <<<static_cast<unsigned>(blocks), Tile::kThreads, sizeof(typename Tile::Shared),
           static_cast<cudaStream_t>(launch.stream)>>>(a);
    return RIDGE_CUDA_LAUNCHED(attention_persistent_kernel);
  });
}

}  // namespace

RIDGE_KERNEL(attention, cuda, persistent, .dtypes = "bf16 fp16", .prepare = prepare,
             .launch = launch);
