// ridge: arch=90a
//
// Idea      A block keeps 128 keys and values and their gradients, and goes along the queries: S and P are
//           computed again from L, never read. Scores are computed transposed, keys down and queries across, so
//           that P and dS come out of the tensor cores where the products for dV and dK want their operand; only
//           dS goes through shared memory, for dQ. dQ is added up in fp32 in device memory, by the copy engine.
// Changed   P and dS are never in memory, and the five products are wgmma's. The next tile's scores are asked for
//           right behind this one's dV, and become weights under its dQ and dK. Atomic adds of 16 bytes by each
//           thread in place of the copy engine: 465 against 477 TFLOP/s on an H200.
// Limits    Shared memory: operands that serve 64 rows are read at 128 bytes a clock, as much as there is. The
//           two warpgroups wait for each other's dS in every round.
// Look at   causal, and heads_kv: heads that share keys add up in registers.
// Source    Shah et al., FlashAttention-3, arXiv:2407.08608; Dao et al., arXiv:2205.14135, algorithm 4.
#include "kernels/attention_backward/query_sums.h"
#include "kernels/attention_backward/rungs/tensor_products.h"

namespace {

using namespace ridge;
using namespace ridge::device;

template <typename Element, int d>
__device__ __forceinline__ void consume(typename BackwardTile<d>::Shared& shared,
                                        const TensorBackward& b, int head_kv, int key0, int group) {
  constexpr int kRows = BackwardTile<d>::kRows;
  constexpr bool kEarly = d == 128;  // at 64 the registers do not hold both
  const int t = static_cast<int>(threadIdx.x) % 128;
  const int key = key0 + group * 64 + t / 32 * 16 + t % 32 / 4;
  const int first = backward_first_piece<d>(b, key0), pieces = backward_pieces<d>(b);
  const bool tail = key0 + kBackwardKeys > b.sequence;
  float dk[d / 2] = {}, dv[d / 2] = {}, s[kRows / 2], dp[kRows / 2], dq[32];
  uint32_t p[kRows / 16][4];
  typename BackwardTile<d>::Position at;
  int piece = first, buffer = 0, before = 0;
  float* to = b.dq_sum + static_cast<int64_t>(head_kv) * b.group * b.padded * d +
              (first * 2 + group) * 4096;
  const int rounds = (pieces - first) * b.group;

  mbarrier_wait(&shared.kv_full, 0);
  mbarrier_wait(&shared.q_full[0], 0);
  wgmma_fence();
  scores<Element, kRows>(s, shared.k[group], shared.q[0]);
  wgmma_wait<0>();
  wgmma_touch(s);
  if (tail || b.causal) mask<kRows>(s, b, piece * kRows, key);
  to_weights(s, shared.l[0], b.scale_log2);
  to_operand<Element>(s, p);
  const auto next_scores = [&] {
    mbarrier_wait(&shared.q_full[at.q.stage], at.q.parity);
    wgmma_fence();
    scores<Element, kRows>(s, shared.k[group], shared.q[at.q.stage]);
  };
  const auto turn = [&]<bool more>(std::bool_constant<more>, bool begun) {
    const int stage = at.q.stage, out = at.d_o.stage;
    mbarrier_wait(&shared.do_full[out], at.d_o.parity);
    wgmma_fence();
    scores<Element, kRows>(dp, shared.v[group], shared.d_o[out]);
    add_product<Element, d, kRows>(dv, p, shared.d_o[out]);
    at.q.advance();
    if constexpr (more && kEarly) next_scores();
    wgmma_wait<more && kEarly ? 2 : 1>();  // dP is there, and dK of the round before
    wgmma_touch(dp);
    if (begun) mbarrier_arrive(&shared.q_empty[before]);
    before = stage;
    to_gradient<Element, kRows>(p, dp, shared.d_rows[out], shared.ds[buffer][group]);
    fence_shared_for_async();
    if constexpr (more && !kEarly) next_scores();
    consumers_sync();  // dS is whole
    wgmma_fence();
    query_product<Element, d>(dq, shared, buffer, group);
    add_key_product<Element, d, kRows>(dk, shared.ds[buffer][group], shared.q[before]);
    wgmma_wait<2>();  // the next scores are there, and dV
    mbarrier_arrive(&shared.do_empty[out]);
    at.d_o.advance();
    if (++piece == pieces) piece = first;  // the next head's
    if constexpr (more) {
      wgmma_touch(s);
      if (tail || (b.causal && piece * kRows < key0 + kBackwardKeys)) {
        mask<kRows>(s, b, piece * kRows, key);
      }
      to_weights(s, shared.l[at.q.stage], b.scale_log2);
      to_operand<Element>(s, p);
    }
    wgmma_wait<1>();
    wgmma_touch(dq);
    add_to_queries(dq, shared.dq[group], to, 1 + group);
    to += 8192 * (piece == first ? 1 + first : 1);
    buffer ^= 1;
  };
  for (int round = 0; round + 1 < rounds; ++round) turn(std::true_type{}, round > 0);
  turn(std::false_type{}, rounds > 1);
  wgmma_wait<0>();
  wgmma_touch(dk);
  wgmma_touch(dv);
  const int row = key0 + group * 64;
  warpgroup_sync(1 + group);  // all four warps have read V for the last time
  backward_store<Element, d>(dv, 1, &b.dv, head_kv, row, shared.v[group]);
  consumers_sync();  // and both groups K
  backward_store<Element, d>(dk, b.scale, &b.dk, head_kv, row, shared.k[group]);
}

template <typename Element, int d>
__global__ void __launch_bounds__(kBackwardThreads, 1)
    attention_backward_wgmma_tma_kernel(const __grid_constant__ TensorBackward b) {
  using Tile = BackwardTile<d>;
  extern __shared__ __align__(1024) unsigned char raw[];
  auto& shared = *reinterpret_cast<typename Tile::Shared*>(raw);
  const int head_kv = static_cast<int>(blockIdx.z * gridDim.x + blockIdx.x);  // backward_blocks()
  const int key = static_cast<int>(blockIdx.y) * kBackwardKeys;
  if (head_kv >= b.heads / b.group) return;
  backward_begin<d>(shared);
  if (threadIdx.x < kBackwardConsumers) {
    take_registers<240>();
    consume<Element, d>(shared, b, head_kv, key, static_cast<int>(threadIdx.x) / 128);
    bulk_wait_read<0>();
  } else {
    give_registers<24>();
    if (threadIdx.x == kBackwardConsumers) backward_produce<d>(shared, b, head_kv, key);
  }
}

Status prepare(const Shape& shape, Plan* plan) {
  return with_tensor_head(shape, [&]<typename Element, int d>() -> Status {
    RIDGE_CUDA_CHECK(
        cudaFuncSetAttribute(attention_backward_wgmma_tma_kernel<Element, d>,
                             cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(sizeof(typename BackwardTile<d>::Shared))));
    return prepare_backward(shape, plan);
  });
}

Status launch(const Launch& launch) {
  return with_tensor_head(launch.shape, [&]<typename Element, int d>() -> Status {
    TensorBackward b;
    if (const Status s = begin_backward(launch, &b); !s.ok()) return s;
    attention_backward_wgmma_tma_kernel<Element, d>
        <<<backward_blocks<d>(b), kBackwardThreads, sizeof(typename BackwardTile<d>::Shared),
           static_cast<cudaStream_t>(launch.stream)>>>(b);
    if (const Status s = RIDGE_CUDA_LAUNCHED(attention_backward_wgmma_tma_kernel); !s.ok())
      return s;
    return end_backward(launch, b);
  });
}

}  // namespace

RIDGE_KERNEL(attention_backward, cuda, wgmma_tma, .dtypes = "bf16 fp16", .prepare = prepare,
             .launch = launch);
