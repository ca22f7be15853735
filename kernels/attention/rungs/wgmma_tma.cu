// ridge: arch=90a
//
// Idea      Hopper's units: a producer warp asks the copy engine for queries, keys and values; each of two (at
//           head size 64 three) consumer warpgroups has 64 queries, and multiplies with wgmma. The weights P go
//           from the sums of the first product straight into the second, as its operand in registers.
// Changed   128 or 192 queries share every key that is loaded, and nobody computes addresses. Registers are
//           handed from the producer to the consumers: 240 for each thread at head size 128.
// Limits    A warpgroup waits for its scores, then the tensor cores wait for its softmax. Only the other
//           warpgroup fills the gaps, when it happens to be at the right place.
// Look at   The loop: two waits for zero products in flight, each a pause.
// Source    PTX ISA, "wgmma"; Shah et al., FlashAttention-3, arXiv:2407.08608, algorithm 1.
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
  mbarrier_wait(&shared.q_full[0], 0);
  for (int block = flash_blocks<d>(a, row) - 1; block >= 0; --block) {
    mbarrier_wait(&shared.k_full[at.k.stage], at.k.parity);
    wgmma_fence();
    flash_scores<Element>(s, shared.q[0][group], shared.k[at.k.stage]);
    wgmma_commit();
    wgmma_wait<0>();
    wgmma_touch(s);
    flash_release(&shared.k_empty[at.k.stage]);
    at.k.advance();
    if ((block + 1) * kFlashKeys > mine.unmasked) {
      mask_scores(s, block * kFlashKeys, a.sequence, a.causal, mine.row);
    }
    softmax_step(s, a.scale, &rows, rescale);
    scale_rows(o, rescale);
    to_operand<Element>(s, p);
    mbarrier_wait(&shared.v_full[at.v.stage], at.v.parity);
    wgmma_fence();
    flash_weighted_sum<Element, d>(o, p, shared.v[at.v.stage]);
    wgmma_commit();
    wgmma_wait<0>();
    wgmma_touch(o);
    flash_release(&shared.v_empty[at.v.stage]);
    at.v.advance();
  }
  softmax_finish(rows, rescale);
  scale_rows(o, rescale);
  flash_store<Element, d>(o, a, head, row + group * kFlashGroupM, shared.q[0][group]);
}

template <typename Element, int d>
__global__ void __launch_bounds__(FlashTile<d>::kThreads, 1)
    attention_wgmma_tma_kernel(const __grid_constant__ Flash a) {
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
    return allow_flash_memory<d>(attention_wgmma_tma_kernel<Element, d>);
  });
}

Status launch(const Launch& launch) {
  return with_tensor_head(launch.shape, [&]<typename Element, int d>() -> Status {
    Flash a;
    if (const Status s = describe_flash(launch, Element::kMap, &a); !s.ok()) return s;
    launch_flash_tiles<d>(attention_wgmma_tma_kernel<Element, d>, a, launch.stream);
    return RIDGE_CUDA_LAUNCHED(attention_wgmma_tma_kernel);
  });
}

}  // namespace

RIDGE_KERNEL(attention, cuda, wgmma_tma, .dtypes = "bf16 fp16", .prepare = prepare,
             .launch = launch);
