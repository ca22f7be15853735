// What the e4m3 rung has of its own: V the other way round, weights of 8 bits as an operand, shared memory.
//
// wgmma takes 8-bit operands along K only, and K of the second product is the keys: it wants V transposed. And it
// wants four neighbouring keys of a row of P in a thread, where the first product's sums leave two and two, eight
// apart. A sum over keys may be taken in any order: so the keys of V are stored in the order in which the weights
// come, and the weights stay where they are.
//
// Shah et al., FlashAttention-3, arXiv:2407.08608, section 3.3, which transposes in the producer; here a kernel of its
// own does it once for each head, and its time counts.
#pragma once

#include "kernels/attention/flash_order.h"
#include "kernels/runtime/cuda/flash_softmax.h"

namespace ridge {

/// `const __grid_constant__ FlashFp8 a`.
struct FlashFp8 {
  Flash flash;  ///< v: the map of V transposed, d rows of keys; o is not used
  const float* scales;
  void* o;
};

namespace device {

/// Weights are multiplied with 2^8, so that those down to 2^-14 of the largest are normal numbers of e4m3 (2^-6).
constexpr int kFp8Boost = 8;

/// In which order 32 keys stand in V transposed: place 16h + 4q + r holds key 16h + 8 (r / 2) + 2q + r % 2.
__host__ __device__ constexpr int fp8_key_at(int place) {
  return place / 16 * 16 + place % 4 / 2 * 8 + place % 16 / 4 * 2 + place % 2;
}

/// Four numbers as e4m3, rounded to nearest, the first in the lowest byte.
__device__ inline uint32_t pack_fp8(float a, float b, float c, float d) {
  uint32_t word;
  asm("{ .reg .b16 low, high; cvt.rn.satfinite.e4m3x2.f32 low, %2, %1;"
      " cvt.rn.satfinite.e4m3x2.f32 high, %4, %3; mov.b32 %0, {low, high}; }"
      : "=r"(word)
      : "f"(a), "f"(b), "f"(c), "f"(d));
  return word;
}

/// The weights of 128 keys where wgmma wants them (wgmma_registers.h), for V's order of keys.
__device__ __forceinline__ void to_operand_fp8(const float (&s)[kFlashKeys / 2],
                                               uint32_t (&p)[kFlashKeys / 32][4]) {
#pragma unroll
  for (int i = 0; i < kFlashKeys / 8; ++i) {
    const int at = i / 4 * 16 + i % 4 / 2 * 8 + i % 2 * 2;  // row g or g + 8 of two times 8 keys
    p[i / 4][i % 4] = pack_fp8(s[at], s[at + 1], s[at + 4], s[at + 5]);
  }
}

/// Rows of Q and K fill 128 bytes of shared memory at either head size: the copy engine adds zeros.
template <int d>
struct Fp8Tile : FlashTile<d> {
  static constexpr int kStages = 4;
  struct Shared {
    alignas(1024) unsigned char q[2][FlashTile<d>::kGroups][1][kFlashGroupM * kSliceBytes];
    alignas(1024) unsigned char k[kStages][1][kFlashKeys * kSliceBytes];
    alignas(1024) unsigned char v[kStages][d * kSliceBytes];
    uint64_t q_full[2], q_empty[2];
    uint64_t k_full[kStages], k_empty[kStages], v_full[kStages], v_empty[kStages];
  };
  struct Position {
    RingPosition<2> q;
    RingPosition<kStages> k, v;
  };
};

/// Scores of a block, asked for and left in flight.
template <int d>
__device__ __forceinline__ void ask_scores(float (&s)[kFlashKeys / 2], const unsigned char* q,
                                           const unsigned char* k) {
  const uint64_t from_q = swizzled_descriptor(q), from_k = swizzled_descriptor(k);
#pragma unroll
  for (int step = 0; step < d / 32; ++step) {
    Wgmma<Fp8, kFlashKeys, false>::multiply(s, from_q + 2 * step, from_k + 2 * step, step > 0);
  }
  wgmma_commit();
}

template <int d>
__device__ __forceinline__ void ask_weighted_sum(float (&o)[d / 2], const uint32_t (&p)[4][4],
                                                 const unsigned char* v) {
#pragma unroll
  for (int step = 0; step < kFlashKeys / 32; ++step) {
    WgmmaRegisters<Fp8, d>::multiply(o, p[step], swizzled_descriptor(v) + 2 * step);
  }
  wgmma_commit();
}

/// The sums, divided and scaled by `factor`, to O.
template <int d>
__device__ __forceinline__ void store_rows(const float (&o)[d / 2], const FlashFp8& a, int head,
                                           const FlashRows& mine, const float (&factor)[2]) {
  auto* to = static_cast<Bfloat*>(a.o) + static_cast<int64_t>(head) * a.flash.sequence * d;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = mine.row + 8 * half;
    if (row >= a.flash.sequence) continue;
#pragma unroll
    for (int j = 0; j < d / 8; ++j) {
      *reinterpret_cast<uint32_t*>(to + static_cast<int64_t>(row) * d + 8 * j +
                                   threadIdx.x % 4 * 2) =
          pack_pair(Bfloat{}, o[4 * j + 2 * half] * factor[half],
                    o[4 * j + 2 * half + 1] * factor[half]);
    }
  }
}

/// By one thread: all that the consumers of a tile need, in the order in which they need it.
template <int d>
__device__ void produce_fp8(typename Fp8Tile<d>::Shared& shared, const FlashFp8& a, int head,
                            int row, typename Fp8Tile<d>::Position* at) {
  const int kv = head / a.flash.group;
  uint64_t* full = &shared.q_full[at->q.stage];
  mbarrier_wait(&shared.q_empty[at->q.stage], at->q.parity ^ 1);
  mbarrier_arrive_expect(full, sizeof shared.q[0]);
  for (int group = 0; group < Fp8Tile<d>::kGroups; ++group) {
    tma_load_3d(shared.q[at->q.stage][group][0], &a.flash.q, 0, row + group * kFlashGroupM, head,
                full);
  }
  at->q.advance();
  for (int block = flash_blocks<d>(a.flash, row) - 1; block >= 0; --block) {
    flash_load(shared.k, shared.k_full, shared.k_empty, &a.flash.k, block, kv, &at->k);
    mbarrier_wait(&shared.v_empty[at->v.stage], at->v.parity ^ 1);
    mbarrier_arrive_expect(&shared.v_full[at->v.stage], sizeof shared.v[0]);
    tma_load_3d(shared.v[at->v.stage], &a.flash.v, block * kFlashKeys, 0, kv,
                &shared.v_full[at->v.stage]);
    at->v.advance();
  }
}

}  // namespace device

/// Calls run<d>().
template <typename Run>
Status with_fp8_head(const Shape& shape, Run run) {
  if (shape.dim[kAttentionHeadSize] == 64) return run.template operator()<64>();
  if (shape.dim[kAttentionHeadSize] == 128) return run.template operator()<128>();
  return refuse("takes head sizes 64 and 128");
}

/// V transposed and the order of the tiles; in plan->state.
Status prepare_fp8(const Shape& shape, int tile_rows, Plan* plan);  // fp8_values.cu
/// Transposes V, then describes the problem.
Status begin_fp8(const Launch& launch, FlashFp8* a);

}  // namespace ridge
