// ridge: arch=90a
//
// Idea      Within a warpgroup too: the scores of the next block are asked for before the weighted sum of this
//           one, and the softmax of the next runs while the tensor cores still add up this.
// Changed   Both kinds of overlap at once. Two products are in flight, and the first wait leaves one of them
//           there; O is rescaled only when it has ended.
// Limits    Registers: scores, weights and O at the same time, 160 at head size 128. A tile still begins with
//           an empty pipeline and ends by draining it.
// Look at   wgmma_wait<1>: the one character that the rung is about.
// Source    Shah et al., FlashAttention-3, arXiv:2407.08608, section 3.2 and algorithm 2.
#include "common/core/ceil_div.h"
#include "common/harness/kernel/cuda_check.h"
#include "kernels/attention/flash.h"
#include "kernels/runtime/cuda/flash_softmax.h"

namespace {

using namespace ridge;
using namespace ridge::device;

template <typename Element, int d>
__device__ __forceinline__ void consume_tile(typename FlashTile<d>::Shared& shared, const Flash& a,
                                             int head, int row, int group) {
  constexpr int kGroups = FlashTile<d>::kGroups;
  float s[kFlashKeys / 2], o[d / 2] = {}, rescale[2];
  uint32_t p[kFlashKeys / 16][4];
  SoftmaxRows rows;
  typename FlashTile<d>::Position at;
  const FlashRows mine = flash_rows(a, row + group * kFlashGroupM);
  int block = flash_blocks<d>(a, row) - 1;

  auto& q = shared.q[0][group];
  if (group == kGroups - 1) flash_pass_turn<kGroups>(group);  // the first turn is group 0's
  mbarrier_wait(&shared.q_full[0], 0);
  mbarrier_wait(&shared.k_full[at.k.stage], at.k.parity);
  flash_wait_turn(group);
  wgmma_fence();
  flash_scores<Element>(s, q, shared.k[at.k.stage]);
  wgmma_commit();
  flash_pass_turn<kGroups>(group);
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
  flash_store<Element, d>(o, a, head, row + group * kFlashGroupM, q);
  if (group == 0) flash_wait_turn(group);  // so that no turn is left over
}

template <typename Element, int d>
__global__ void __launch_bounds__(FlashTile<d>::kThreads, 1)
    attention_overlapped_kernel(const __grid_constant__ Flash a) {
  using Tile = FlashTile<d>;
  extern __shared__ __align__(1024) unsigned char raw[];
  auto& shared = *reinterpret_cast<typename Tile::Shared*>(raw);
  const int tiles = ceil_div(a.sequence, Tile::kRows);
  const int head = static_cast<int>(blockIdx.x) / tiles;
  const int row = static_cast<int>(blockIdx.x) % tiles * Tile::kRows;
  flash_begin<d>(shared);
  if (threadIdx.x < Tile::kConsumers) {
    take_registers<Tile::kConsumerRegisters>();
    consume_tile<Element, d>(shared, a, head, row, static_cast<int>(threadIdx.x) / 128);
    bulk_wait_read<0>();  // O must have left before its memory goes
  } else {
    give_registers<Tile::kProducerRegisters>();
    typename Tile::Position at;
    if (threadIdx.x == Tile::kConsumers) flash_produce<d>(shared, a, head, row, &at);
  }
}

Status prepare(const Shape& shape, Plan*) {
  return with_tensor_head(shape, [&]<typename Element, int d>() {
    return allow_flash_memory<d>(attention_overlapped_kernel<Element, d>);
  });
}

Status launch(const Launch& launch) {
  return with_tensor_head(launch.shape, [&]<typename Element, int d>() -> Status {
    Flash a;
    if (const Status s = describe_flash(launch, Element::kMap, &a); !s.ok()) return s;
    launch_flash_tiles<d>(attention_overlapped_kernel<Element, d>, a, launch.stream);
    return RIDGE_CUDA_LAUNCHED(attention_overlapped_kernel);
  });
}

}  // namespace

RIDGE_KERNEL(attention, cuda, overlapped, .dtypes = "bf16 fp16", .prepare = prepare,
             .launch = launch);
