// ridge: arch=90a
//
// Idea      The warpgroups take turns at the tensor cores: one asks for its products, passes the turn on, and
//           does its softmax while the other's products run.
// Changed   What was chance before is now order. A turn is the weighted sum of one block and the scores of the
//           next, so that a warpgroup comes back with a whole softmax to do.
// Limits    Within a warpgroup nothing overlaps: its products wait for its softmax, and when both sides take
//           as long the tensor cores rest as soon as one is late.
// Look at   Head size 64 against 128: at 64 the softmax takes as many clocks as the products.
// Source    Shah et al., FlashAttention-3, arXiv:2407.08608, section 3.1 (ping-pong scheduling).
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
  float s[kFlashKeys / 2], o[d / 2] = {}, rescale[2];
  uint32_t p[kFlashKeys / 16][4];
  SoftmaxRows rows;
  typename FlashTile<d>::Position at;
  const FlashRows mine = flash_rows(a, row + group * kFlashGroupM);
  constexpr int kGroups = FlashTile<d>::kGroups;
  if (group == kGroups - 1) flash_pass_turn<kGroups>(group);  // the first turn is group 0's
  mbarrier_wait(&shared.q_full[0], 0);
  flash_wait_turn(group);
  const int last = flash_blocks<d>(a, row) - 1;
  for (int block = last; block >= 0; --block) {
    mbarrier_wait(&shared.k_full[at.k.stage], at.k.parity);
    wgmma_fence();
    flash_scores<Element>(s, shared.q[0][group], shared.k[at.k.stage]);
    wgmma_commit();
    flash_pass_turn<kGroups>(group);
    wgmma_wait<0>();
    wgmma_touch(s);
    wgmma_touch(o);
    flash_release(&shared.k_empty[at.k.stage]);
    at.k.advance();
    if (block < last) {
      flash_release(&shared.v_empty[at.v.stage]);
      at.v.advance();
    }
    if ((block + 1) * kFlashKeys > mine.unmasked) {
      mask_scores(s, block * kFlashKeys, a.sequence, a.causal, mine.row);
    }
    softmax_step(s, a.scale, &rows, rescale);
    scale_rows(o, rescale);
    to_operand<Element>(s, p);
    mbarrier_wait(&shared.v_full[at.v.stage], at.v.parity);
    flash_wait_turn(group);
    wgmma_fence();
    flash_weighted_sum<Element, d>(o, p, shared.v[at.v.stage]);
    wgmma_commit();  // and the next block's scores behind it
  }
  if (group < kGroups - 1) flash_pass_turn<kGroups>(group);  // so that no turn is left over
  wgmma_wait<0>();
  wgmma_touch(o);
  softmax_finish(rows, rescale);
  scale_rows(o, rescale);
  flash_store<Element, d>(o, a, head, row + group * kFlashGroupM, shared.q[0][group]);
}

template <typename Element, int d>
__global__ void __launch_bounds__(FlashTile<d>::kThreads, 1)
    attention_ping_pong_kernel(const __grid_constant__ Flash a) {
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
    return allow_flash_memory<d>(attention_ping_pong_kernel<Element, d>);
  });
}

Status launch(const Launch& launch) {
  return with_tensor_head(launch.shape, [&]<typename Element, int d>() -> Status {
    Flash a;
    if (const Status s = describe_flash(launch, Element::kMap, &a); !s.ok()) return s;
    launch_flash_tiles<d>(attention_ping_pong_kernel<Element, d>, a, launch.stream);
    return RIDGE_CUDA_LAUNCHED(attention_ping_pong_kernel);
  });
}

}  // namespace

RIDGE_KERNEL(attention, cuda, ping_pong, .dtypes = "bf16 fp16", .prepare = prepare,
             .launch = launch);
