// ridge: arch=90a
//
// Idea      Everything in e4m3: Q, K and V come as such, with a scale for each head, and the weights are rounded to it
//           too. Half the bytes, twice the rate of the tensor cores.
// Changed   The persistent rung with operands of 8 bits. V is transposed by a kernel before, in the order of keys in
//           which the weights lie in the registers; the scales are multiplied into the scores' and into 1 / sum.
// Limits    Waiting: neither the tensor cores nor the exponentials' unit are full. At head size 128 exponentials take
//           as many clocks as the products do now, as they do at 64 in bf16.
// Look at   The error: a weight has 4 bits. What the type saves is bought with that, not for nothing.
// Accuracy  Row and column. e4m3 has no normal number below 2^-14 of a row's largest weight: a smaller weight is off by
//           2^-18 of that one, whatever its value is multiplied by.
// Source    Shah et al., FlashAttention-3, arXiv:2407.08608, section 3.3; OCP 8-bit floating point specification.
#include "common/harness/kernel/cuda_check.h"
#include "kernels/attention/flash_fp8.h"
#include "kernels/runtime/cuda/launch.h"

namespace {

using namespace ridge;
using namespace ridge::device;

template <int d>
__device__ __forceinline__ void consume_tile(typename Fp8Tile<d>::Shared& shared, const FlashFp8& a,
                                             int head, int row, int group,
                                             typename Fp8Tile<d>::Position& at) {
  constexpr int kGroups = Fp8Tile<d>::kGroups;
  float s[kFlashKeys / 2], o[d / 2] = {}, rescale[2];
  uint32_t p[kFlashKeys / 32][4];
  SoftmaxRows rows;
  const float* scales = a.scales + head / a.flash.group * 3;
  const float scale = a.flash.scale * scales[0] * scales[1];
  const FlashRows mine = flash_rows(a.flash, row + group * kFlashGroupM);
  int block = flash_blocks<d>(a.flash, row) - 1;
  const unsigned char* q = shared.q[at.q.stage][group][0];
  const auto weights = [&] {  // of the scores that are there
    wgmma_touch(s);
    flash_release(&shared.k_empty[at.k.stage]);
    at.k.advance();
    if ((block + 1) * kFlashKeys > mine.unmasked) {
      mask_scores(s, block * kFlashKeys, a.flash.sequence, a.flash.causal, mine.row);
    }
    softmax_step<kFp8Boost>(s, scale, &rows, rescale);
  };
  // The last block stands before the loop: with its own wait inside, ptxas saw sums read that another path
  // still wrote, and let every wgmma wait for the one before (its message C7514). The other warpgroups fill such
  // gaps: on an H200 both take the same time (0.999 times at head size 128, 1.000 at 64).
  mbarrier_wait(&shared.q_full[at.q.stage], at.q.parity);
  mbarrier_wait(&shared.k_full[at.k.stage], at.k.parity);
  flash_wait_turn(group);
  wgmma_fence();
  ask_scores<d>(s, q, shared.k[at.k.stage][0]);
  flash_pass_turn<kGroups>(group);
  wgmma_wait<0>();
  weights();
  to_operand_fp8(s, p);
  for (--block; block >= 0; --block) {
    mbarrier_wait(&shared.k_full[at.k.stage], at.k.parity);
    flash_wait_turn(group);
    wgmma_fence();
    ask_scores<d>(s, q, shared.k[at.k.stage][0]);
    mbarrier_wait(&shared.v_full[at.v.stage], at.v.parity);
    wgmma_fence();
    ask_weighted_sum<d>(o, p, shared.v[at.v.stage]);
    flash_pass_turn<kGroups>(group);
    wgmma_wait<1>();  // the scores are there; the weighted sum goes on under the softmax
    weights();
    wgmma_wait<0>();
    wgmma_touch(o);
    flash_release(&shared.v_empty[at.v.stage]);
    at.v.advance();
    scale_rows(o, rescale);
    to_operand_fp8(s, p);
  }
  flash_release(&shared.q_empty[at.q.stage]);
  at.q.advance();
  mbarrier_wait(&shared.v_full[at.v.stage], at.v.parity);
  wgmma_fence();
  ask_weighted_sum<d>(o, p, shared.v[at.v.stage]);
  softmax_finish(rows, rescale);
  wgmma_wait<0>();
  wgmma_touch(o);
  flash_release(&shared.v_empty[at.v.stage]);
  at.v.advance();
  for (float& factor : rescale) factor *= scales[2];
  store_rows<d>(o, a, head, mine, rescale);
}

template <int d>
__global__ void __launch_bounds__(Fp8Tile<d>::kThreads, 1)
    attention_fp8_kernel(const __grid_constant__ FlashFp8 a) {
  using Tile = Fp8Tile<d>;
  extern __shared__ __align__(1024) unsigned char raw[];
  auto& shared = *reinterpret_cast<typename Tile::Shared*>(raw);
  flash_begin<d>(shared, Tile::kConsumers / 32);
  cudaGridDependencySynchronize();  // V is transposed
  typename Tile::Position at;
  if (threadIdx.x < Tile::kConsumers) {
    take_registers<Tile::kConsumerRegisters>();
    const int group = static_cast<int>(threadIdx.x) / 128;
    if (group == Tile::kGroups - 1) flash_pass_turn<Tile::kGroups>(group);
    for_each_flash_tile<d>(
        a.flash, [&](int head, int row) { consume_tile<d>(shared, a, head, row, group, at); });
    if (group == 0) flash_wait_turn(0);  // so that no turn is left over
  } else {
    give_registers<Tile::kProducerRegisters>();
    if (threadIdx.x == Tile::kConsumers) {
      for_each_flash_tile<d>(a.flash,
                             [&](int head, int row) { produce_fp8<d>(shared, a, head, row, &at); });
    }
  }
}

Status prepare(const Shape& shape, Plan* plan) {
  return with_fp8_head(shape, [&]<int d>() -> Status {
    RIDGE_CUDA_CHECK(cudaFuncSetAttribute(attention_fp8_kernel<d>,
                                          cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          static_cast<int>(sizeof(typename Fp8Tile<d>::Shared))));
    return prepare_fp8(shape, Fp8Tile<d>::kRows, plan);
  });
}

Status launch(const Launch& launch) {
  return with_fp8_head(launch.shape, [&]<int d>() -> Status {
    using Tile = Fp8Tile<d>;
    FlashFp8 a;
    if (const Status s = begin_fp8(launch, &a); !s.ok()) return s;
    return launch_overlapped(attention_fp8_kernel<d>,
                             flash_persistent_blocks(launch.shape, Tile::kRows), Tile::kThreads,
                             sizeof(typename Tile::Shared), launch, a);
  });
}

}  // namespace

RIDGE_KERNEL(attention, cuda, fp8, .dtypes = "fp8", .accuracy = ridge::Accuracy::row_column, .prepare = prepare,
             .launch = launch);
