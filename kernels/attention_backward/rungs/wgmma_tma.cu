// ridge: arch=90a
//
// Idea      A block keeps 128 keys and values and their gradients, and goes along the queries: S and P are
//           computed again from L, never read. Scores are computed transposed, keys down and queries across, so
//           that P and dS come out of the tensor cores where the products for dV and dK want their operand; only
//           dS goes through shared memory, for dQ. dQ is added up in fp32 in device memory, by the copy engine.
// Changed   P and dS are never in memory, and the five products are wgmma's. The next tile's scores are asked for
//           right behind this one's dV, and become weights under its dQ and dK. Tried: atomic adds of 16
//           bytes by each thread in place of the copy engine; slower on an H200.
// Limits    Shared memory: operands that serve 64 rows are read at 128 bytes a clock, as much as there is. The
//           two warpgroups wait for each other's dS in every round.
// Look at   causal, and heads_kv: heads that share keys add up in registers.
// Source    Shah et al., FlashAttention-3, arXiv:2407.08608; Dao et al., arXiv:2205.14135, algorithm 4.
#include "common/harness/kernel/cuda_check.h"
#include "kernels/attention_backward/tensor_backward.h"

namespace {

using namespace ridge;
using namespace ridge::device;

/// The two halves of pack_pair().
__device__ inline float2 unpack_pair(Bfloat, uint32_t pair) {
  return make_float2(__uint_as_float(pair << 16), __uint_as_float(pair & 0xffff0000u));
}
__device__ inline float2 unpack_pair(Half, uint32_t pair) {
  float2 two;
  asm("{.reg .f16 low, high;\n\t"
      "mov.b32 {low, high}, %2;\n\t"
      "cvt.f32.f16 %0, low;\n\t"
      "cvt.f32.f16 %1, high;}"
      : "=f"(two.x), "=f"(two.y)
      : "r"(pair));
  return two;
}

// The five products of the backward rung on wgmma, and what lies between them, for a warpgroup with 64 keys and a piece
// of `rows` queries. Each product is committed as a group of its own.

/// s = a bt over the head: 64 keys x the piece's queries. Both K-major.
template <typename Element, int rows, int slices>
__device__ __forceinline__ void scores(float (&s)[rows / 2],
                                       const unsigned char (&a)[slices][kStripBytes],
                                       const unsigned char (&b)[slices][rows * kSliceBytes]) {
#pragma unroll
  for (int slice = 0; slice < slices; ++slice) {
    const uint64_t from_a = swizzled_descriptor(a[slice]), from_b = swizzled_descriptor(b[slice]);
#pragma unroll
    for (int step = 0; step < 4; ++step) {
      Wgmma<Element, rows, false>::multiply(s, from_a + 2 * step, from_b + 2 * step,
                                            slice + step > 0);
    }
  }
  wgmma_commit();
}

/// sums += p b: 64 keys x d, over the piece's queries.
template <typename Element, int d, int rows>
__device__ __forceinline__ void add_product(float (&acc)[d / 2], const uint32_t (&p)[rows / 16][4],
                                            const unsigned char (&b)[d / 64][rows * kSliceBytes]) {
  const uint64_t from_b = swizzled_descriptor_n_major(b, rows * kSliceBytes);
#pragma unroll
  for (int step = 0; step < rows / 16; ++step) {
    WgmmaRegisters<Element, d>::multiply(acc, p[step], from_b + 128 * step);
  }
  wgmma_commit();
}

/// dk += dSt Q: 64 keys x d; dS out of shared memory, where it lies queries down.
template <typename Element, int d, int rows>
__device__ __forceinline__ void add_key_product(
    float (&dk)[d / 2], const unsigned char (&ds)[rows * kSliceBytes],
    const unsigned char (&q)[d / 64][rows * kSliceBytes]) {
  const uint64_t from_ds = swizzled_descriptor_n_major(ds),
                 from_q = swizzled_descriptor_n_major(q, rows * kSliceBytes);
#pragma unroll
  for (int step = 0; step < rows / 16; ++step) {
    Wgmma<Element, d, true, true>::multiply(dk, from_ds + 128 * step, from_q + 128 * step, 1);
  }
  wgmma_commit();
}

/// This warpgroup's 64 x 64 of dS K: at head size 128 its half of the columns, at 64 of the queries.
template <typename Element, int d>
__device__ __forceinline__ void query_product(float (&dq)[32],
                                              const typename BackwardTile<d>::Shared& shared,
                                              int buffer, int group) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const uint64_t from_ds =
        swizzled_descriptor(shared.ds[buffer][half] + (d == 64 ? group * kStripBytes : 0));
    const uint64_t from_k =
        swizzled_descriptor_n_major(shared.k[half][d == 128 ? group : 0], kStripBytes);
#pragma unroll
    for (int step = 0; step < 4; ++step) {
      Wgmma<Element, 64, true>::multiply(dq, from_ds + 2 * step, from_k + 128 * step,
                                         half + step > 0);
    }
  }
  wgmma_commit();
}

/// Scores that nobody has become -infinity: a thread has keys `key` and key + 8, and of 8 queries two.
template <int rows>
__device__ __forceinline__ void mask(float (&s)[rows / 2], const TensorBackward& b, int query,
                                     int key) {
  const int column = static_cast<int>(threadIdx.x) % 4 * 2;
#pragma unroll
  for (int i = 0; i < rows / 2; ++i) {
    const int of_query = query + i / 4 * 8 + column + i % 2, of_key = key + i % 4 / 2 * 8;
    if (of_key >= b.sequence || (b.causal && of_query < of_key)) s[i] = -INFINITY;
  }
}

/// Scores become weights 2^(s scale - l).
template <int rows>
__device__ __forceinline__ void to_weights(float (&s)[rows / 2], const float (&l)[rows],
                                           float scale) {
  const int column = static_cast<int>(threadIdx.x) % 4 * 2;
#pragma unroll
  for (int i = 0; i < rows / 2; i += 4) {
    const float2 pair = *reinterpret_cast<const float2*>(l + 2 * i + column);
    s[i] = fast_exp2(fmaf(s[i], scale, -pair.x));
    s[i + 1] = fast_exp2(fmaf(s[i + 1], scale, -pair.y));
    s[i + 2] = fast_exp2(fmaf(s[i + 2], scale, -pair.x));
    s[i + 3] = fast_exp2(fmaf(s[i + 3], scale, -pair.y));
  }
}

/// dS = P (dP - D) in the type, transposed, to shared memory.
template <typename Element, int rows>
__device__ __forceinline__ void to_gradient(const uint32_t (&p)[rows / 16][4],
                                            const float (&dp)[rows / 2],
                                            const float (&d_rows)[rows],
                                            unsigned char (&to)[rows * kSliceBytes]) {
  using Out = typename Element::Out;
  const int lane = static_cast<int>(threadIdx.x) % 32, column = lane % 4 * 2;
  const int chunk = static_cast<int>(threadIdx.x) / 32 % 4 * 2 + lane / 8 % 2;
#pragma unroll
  for (int step = 0; step < rows / 16; ++step) {
    uint32_t ds[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int at = 8 * step + 2 * i;
      const float2 weight = unpack_pair(Out{}, p[step][i]);
      const float2 pair = *reinterpret_cast<const float2*>(d_rows + 16 * step + i / 2 * 8 + column);
      ds[i] = pack_pair(Out{}, weight.x * (dp[at] - pair.x), weight.y * (dp[at + 1] - pair.y));
    }
    const int row = 16 * step + lane / 16 * 8 + lane % 8;
    stmatrix_x4_transposed(to + row * kSliceBytes + ((chunk ^ (row & 7)) << 4), ds);
  }
}

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
