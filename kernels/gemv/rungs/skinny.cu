// ridge: arch=90a variants=bf16:-DRIDGE_GEMV_KIND=bf16,int8:-DRIDGE_GEMV_KIND=int8,int4:-DRIDGE_GEMV_KIND=int4
//
// Idea      Up to 64 rows of x: each block has a tile of up to 128 rows of W for itself, and streams slabs of 128 columns
//           of W and of x through one ring. Weights are unpacked on their way into wgmma's registers, x is its other side.
// Changed   x is no longer kept whole in every block, where 64 rows of it have no room: a warpgroup's 64 rows of W read a
//           slab of it once, where eight warps of 16 rows read it eight times.
// Limits    bf16: memory. int8 and int4: sorting and unpacking weights, of which more warpgroups do more at once; for 64
//           rows x, which every block reads from the L2. Few rows of W leave blocks with little: n = 4096 loses to cuBLAS.
// Footing   As block_ring: the ring's weights are asked for while the call before ends.
// Look at   batch = 2, 8, 16, 64: the time hardly grows; then int4 beside bf16 at 64.
// Source    Frantar et al., Marlin, arXiv:2408.11743; NVIDIA, CUTLASS mixed-input GEMM for Hopper (weights as the operand
//           in registers, y transposed); PTX ISA, "wgmma".
#include <type_traits>

#include "common/core/ceil_div.h"
#include "common/harness/kernel/cuda_check.h"
#include "kernels/gemv/rungs/gemv_cuda.h"
#include "kernels/gemv/rungs/weights.h"
#include "kernels/runtime/cuda/launch.h"
#include "kernels/runtime/cuda/pipeline.h"
#include "kernels/runtime/cuda/wgmma_rows.h"

namespace {

using namespace ridge;
using namespace ridge::device;

using W = RIDGE_GEMV_WEIGHTS(RIDGE_GEMV_KIND);

constexpr int kMaxRows = 64, kTile = 128, kSlab = RIDGE_GEMV_GROUP, kSteps = kSlab / 16;
constexpr int kGroups = W::kBits == 16 ? 2 : 4, kMultipliers = 128 * kGroups,
              kThreads = kMultipliers + 32;
constexpr int kRowBytes = kSlab / 8 * W::kBits;  ///< of W in a slab
constexpr int kBoxBytes = kRowBytes < kSliceBytes ? kRowBytes : kSliceBytes;
constexpr int kBoxes = kRowBytes / kBoxBytes, kXBoxes = kSlab * 2 / kSliceBytes;
constexpr int kXColumns = kSliceBytes / 2;

/// `n` rows of x, padded.
template <int n>
struct Shared {
  static constexpr int kStageBytes = kTile * kRowBytes + n * kSlab * 2;
  static constexpr int kPartialBytes = (kGroups - 1) * n / 2 * 128 * 4;
  static constexpr int kFit = (225 * 1024 - kPartialBytes) / kStageBytes,
                       kFitting = kFit < 12 ? kFit : 12;
  /// A stage is always read by the same warpgroups: a wait for a phase must not take the one before the last for it.
  static constexpr int kStages = kFitting / kGroups * kGroups;
  alignas(1024) unsigned char w[kStages][kBoxes][kTile * kBoxBytes];
  alignas(1024) unsigned char x[kStages][kXBoxes][n * kSliceBytes];
  float partials[kGroups - 1][n / 2][128];
  uint64_t full[kStages], empty[kStages];
};

struct Skinny {
  CUtensorMap w, x;
  Gemv g;
  int row0;  ///< of the copy of W whose turn it is, among all copies' rows
  int tile;  ///< rows of W in a tile: 16 to kTile
  int tiles;
  int halves;  ///< warpgroups beside each other in a tile: 1 or 2; the others divide the slabs
};

/// By one thread: keeps the ring full. Weights do not change between calls; x may be what the call before writes.
template <int n>
__device__ void produce(Shared<n>& shared, const Skinny& s) {
  using S = Shared<n>;
  const int slabs = static_cast<int>(s.g.k) / kSlab;
  const int mine =
      ceil_div(s.tiles - static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x)) * slabs;
  const uint32_t bytes = static_cast<uint32_t>(s.tile * kRowBytes + n * kSlab * 2);
  const auto load_w = [&](int i, int stage) {
    const int tile = static_cast<int>(blockIdx.x) + i / slabs * static_cast<int>(gridDim.x);
    mbarrier_arrive_expect(&shared.full[stage], bytes);
#pragma unroll
    for (int b = 0; b < kBoxes; ++b)
      tma_load_2d(shared.w[stage][b], &s.w, i % slabs * kRowBytes + b * kBoxBytes,
                  s.row0 + tile * s.tile, &shared.full[stage]);
  };
  const auto load_x = [&](int i, int stage) {
#pragma unroll
    for (int b = 0; b < kXBoxes; ++b)
      tma_load_2d(shared.x[stage][b], &s.x, i % slabs * kSlab + b * kXColumns, 0,
                  &shared.full[stage]);
  };
  const int first = min(S::kStages, mine);
  for (int i = 0; i < first; ++i) load_w(i, i);
  cudaGridDependencySynchronize();
  for (int i = 0; i < first; ++i) load_x(i, i);
  RingPosition<S::kStages> at;
  at.skip(first);
  for (int i = first; i < mine; ++i, at.advance()) {
    mbarrier_wait(&shared.empty[at.stage], at.parity ^ 1);
    load_w(i, at.stage);
    load_x(i, at.stage);
  }
}

__device__ __forceinline__ uint32_t first_pair(uint32_t word) {
  uint32_t pair[W::kPairs];
  W::pairs(word, pair);
  return pair[0];
}

/// Of int4 what a group's weights are multiplied with, twice, for rows g and g + 8.
struct Scales {
  uint32_t upper, lower;
};

/// A row's 16 weights of a step as this lane's two pairs of wgmma's A: columns 2q, 2q + 1, and 8 on. `row`: its bytes in
/// a box; `turn`: its number modulo 8, by which the copy engine has turned them; `q`: lane % 4.
__device__ __forceinline__ void pairs_of(const unsigned char* row, int turn, int step, int q,
                                         uint32_t scale, uint32_t& near, uint32_t& far) {
  if constexpr (W::kBits == 16) {
    const int chunk = step % 4 * 2;
    near = *reinterpret_cast<const uint32_t*>(row + ((chunk ^ turn) << 4) + q * 4);
    far = *reinterpret_cast<const uint32_t*>(row + (((chunk + 1) ^ turn) << 4) + q * 4);
  } else if constexpr (W::kBits == 8) {
    // Bytes 2q and 2q + 1 to where pairs() has those of its first pair.
    const uint4 v = *reinterpret_cast<const uint4*>(row + ((step ^ turn) << 4));
    const uint32_t pick = static_cast<uint32_t>(q) * 0x2222 + 0x1100;
    near = first_pair(__byte_perm(v.x, v.y, pick)), far = first_pair(__byte_perm(v.z, v.w, pick));
  } else {
    // Byte q has both: its upper half is moved up by 12 bits.
    const uint2 v = *reinterpret_cast<const uint2*>(row + step * 8);
    const uint32_t pick = 0x4440 + static_cast<uint32_t>(q);
    near = bf16_times(first_pair(__byte_perm(v.x, 0, pick) * 0x1001), scale);
    far = bf16_times(first_pair(__byte_perm(v.y, 0, pick) * 0x1001), scale);
  }
}

/// By a warpgroup: sums += its 64 rows x a slab of W times x. All is done when it returns. Rows that the tile does not
/// have give sums that are not stored.
template <int n>
__device__ __forceinline__ void multiply_slab(const Shared<n>& shared, int stage, int row,
                                              const Scales& scales, float (&sums)[n / 2]) {
  const int turn = row % 8, q = static_cast<int>(threadIdx.x) % 4;
  uint32_t a[kSteps][4];
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
    const unsigned char* at = shared.w[stage][step * kBoxes / kSteps] + row * kBoxBytes;
    pairs_of(at, turn, step, q, scales.upper, a[step][0], a[step][2]);
    pairs_of(at + 8 * kBoxBytes, turn, step, q, scales.lower, a[step][1], a[step][3]);
  }
  wgmma_fence();
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
    const uint64_t x =
        swizzled_descriptor(shared.x[stage][step / 4]) + static_cast<uint64_t>(step % 4 * 2);
    WgmmaRows<n>::multiply(sums, a[step], x, 1);
  }
  wgmma_commit();
  wgmma_wait<0>();
  wgmma_touch(sums);
}

__device__ __forceinline__ Scales scales_of(const Gemv& g, int64_t row, int slab) {
  if constexpr (!W::kGroupScale) return {};
  const auto of = [&](int64_t r) {
    const auto* scales = static_cast<const unsigned short*>(g.scales) +
                         (r < g.n ? r : g.n - 1) * gemv_scale_row(g.k);
    return static_cast<uint32_t>(__ldg(scales + slab)) * 0x10001;
  };
  return {of(row), of(row + 8)};
}

/// A lane's sums are of two rows of W and of two rows of x in each eight.
template <int n>
__device__ __forceinline__ void store_sums(const Skinny& s, int in_tile, int64_t row,
                                           const float (&sums)[n / 2]) {
  const int q = static_cast<int>(threadIdx.x) % 4;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int64_t at = row + half * 8;
    if (in_tile + half * 8 >= s.tile || at >= s.g.n) continue;
    float scale = 1;
    if constexpr (W::kRowScale) scale = __ldg(static_cast<const float*>(s.g.scales) + at);
#pragma unroll
    for (int i = 0; i < n / 4; ++i) {
      const int column = i / 2 * 8 + q * 2 + i % 2;
      if (column < s.g.batch)
        static_cast<__nv_bfloat16*>(s.g.y)[column * s.g.n + at] =
            __float2bfloat16(sums[i / 2 * 4 + half * 2 + i % 2] * scale);
    }
  }
}

/// By all warpgroups of a half of the tile.
__device__ inline void half_sync(int half, int parts) {
  asm volatile("bar.sync %0, %1;" ::"r"(1 + half), "r"(parts * 128) : "memory");
}

/// Each warpgroup of a half has sums of its own slabs: the first of them adds them up and stores them.
template <int n>
__device__ __forceinline__ void gather(Shared<n>& shared, const Skinny& s, int half, int part,
                                       int parts, int in_tile, int64_t row, float (&sums)[n / 2]) {
  const int thread = static_cast<int>(threadIdx.x) % 128;
  if (part > 0) {
#pragma unroll
    for (int i = 0; i < n / 2; ++i)
      shared.partials[(part - 1) * s.halves + half][i][thread] = sums[i];
  }
  half_sync(half, parts);
  if (part == 0) {
    for (int other = 1; other < parts; ++other) {
#pragma unroll
      for (int i = 0; i < n / 2; ++i)
        sums[i] += shared.partials[(other - 1) * s.halves + half][i][thread];
    }
    store_sums<n>(s, in_tile, row, sums);
  }
  half_sync(half, parts);
}

template <int n>
__device__ void multiply(Shared<n>& shared, const Skinny& s) {
  const int slabs = static_cast<int>(s.g.k) / kSlab, lane = static_cast<int>(threadIdx.x) % 32;
  const int group = static_cast<int>(threadIdx.x) / 128, parts = kGroups / s.halves;
  const int half = group % s.halves, part = group / s.halves;
  const int in_tile = half * 64 + static_cast<int>(threadIdx.x) % 128 / 32 * 16 + lane / 4;
  RingPosition<Shared<n>::kStages> at;
  cudaGridDependencySynchronize();  // y as the call before left it
  for (int tile = static_cast<int>(blockIdx.x); tile < s.tiles;
       tile += static_cast<int>(gridDim.x)) {
    const int64_t row = int64_t{tile} * s.tile + in_tile;
    float sums[n / 2] = {};
    Scales ahead = scales_of(s.g, row, min(part, slabs - 1));
    RingPosition<Shared<n>::kStages> mine = at;
    mine.skip(part);
    for (int slab = part; slab < slabs; slab += parts, mine.skip(parts)) {
      const Scales scales = ahead;
      ahead = scales_of(s.g, row, min(slab + parts, slabs - 1));
      mbarrier_wait(&shared.full[mine.stage], mine.parity);
      multiply_slab<n>(shared, mine.stage, in_tile, scales, sums);
      if (lane == 0) mbarrier_arrive(&shared.empty[mine.stage]);
    }
    at.skip(slabs);
    gather<n>(shared, s, half, part, parts, in_tile, row, sums);
  }
}

template <int n>
__global__ void __launch_bounds__(kThreads, 1)
    gemv_skinny_kernel(const __grid_constant__ Skinny s) {
  extern __shared__ __align__(1024) unsigned char raw[];
  auto& shared = *reinterpret_cast<Shared<n>*>(raw);
  if (threadIdx.x == kMultipliers) {
    for (int stage = 0; stage < Shared<n>::kStages; ++stage) {
      mbarrier_init(&shared.full[stage], 1);
      mbarrier_init(&shared.empty[stage], static_cast<uint32_t>(4 * s.halves));
    }
    fence_mbarrier_init();
  }
  __syncthreads();
  cudaTriggerProgrammaticLaunchCompletion();  // the next call may fill its ring beside this one
  if (threadIdx.x < kMultipliers) {
    multiply<n>(shared, s);
  } else if (threadIdx.x == kMultipliers) {
    produce<n>(shared, s);
  }
}

/// Rows of W in a tile: as few as leave no block with more than another.
int tile_of(int64_t rows) {
  int best = kTile;
  int64_t least = INT64_MAX;
  for (int tile = kTile; tile >= 16; tile -= 16) {
    const int64_t cost = ceil_div(ceil_div(rows, int64_t{tile}), int64_t{sm_count()}) * tile;
    if (cost < least) best = tile, least = cost;
  }
  return best;
}

/// x's rows in wgmma's columns: 8, 16, 32 or 64.
template <typename Use>
Status for_rows(int64_t batch, const Use& use) {
  if (batch <= 8) return use(std::integral_constant<int, 8>());
  if (batch <= 16) return use(std::integral_constant<int, 16>());
  if (batch <= 32) return use(std::integral_constant<int, 32>());
  return use(std::integral_constant<int, 64>());
}

Status prepare(const Shape& shape, Plan* plan) {
  if (shape.dim[kGemvBatch] > kMaxRows)
    return refuse("takes at most 64 rows of x: choose batch=64 or less, or a rung for many rows");
  plan->state = calloc(1, sizeof(int64_t));
  plan->release = free;
  if (plan->state == nullptr) return {"out of memory", "calloc", __FILE__, __LINE__, false};
  return for_rows(shape.dim[kGemvBatch], [](auto rows) -> Status {
    constexpr int n = decltype(rows)::value;
    RIDGE_CUDA_CHECK(cudaFuncSetAttribute(gemv_skinny_kernel<n>,
                                          cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          static_cast<int>(sizeof(Shared<n>))));
    return {};
  });
}

/// Both sides' maps; `n`: rows of a box of x.
Status describe(const Launch& launch, int n, Skinny* s) {
  const int64_t k = s->g.k, copies = launch.shape.dim[kGemvCopies],
                row_bytes = gemv_weight_bytes(W::kKind, k);
  const auto* first = static_cast<const char*>(launch.buffers[kGemvW]);
  s->row0 = static_cast<int>((static_cast<const char*>(s->g.w) - first) / row_bytes);
  s->tile = tile_of(s->g.n);
  s->tiles = static_cast<int>(ceil_div(s->g.n, int64_t{s->tile}));
  s->halves = ceil_div(s->tile, 64);
  const TensorMap2d w = {
      .type = CU_TENSOR_MAP_DATA_TYPE_UINT8,
      .data = first,
      .rows = copies * s->g.n,
      .columns = row_bytes,
      .row_bytes = row_bytes,
      .box_rows = s->tile,
      .box_columns = kBoxBytes,
      .swizzle = W::kBits == 4 ? CU_TENSOR_MAP_SWIZZLE_NONE : CU_TENSOR_MAP_SWIZZLE_128B};
  if (const Status status = encode_tensor_map(w, &s->w); !status.ok()) return status;
  const TensorMap2d x = {.type = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
                         .data = s->g.x,
                         .rows = s->g.batch,
                         .columns = k,
                         .row_bytes = k * 2,
                         .box_rows = n,
                         .box_columns = kXColumns,
                         .swizzle = CU_TENSOR_MAP_SWIZZLE_128B};
  return encode_tensor_map(x, &s->x);
}

Status launch(const Launch& launch) {
  Skinny s;
  s.g = gemv_next(launch);
  return for_rows(s.g.batch, [&](auto rows) -> Status {
    constexpr int n = decltype(rows)::value;
    if (const Status status = describe(launch, n, &s); !status.ok()) return status;
    return launch_overlapped(gemv_skinny_kernel<n>, min(s.tiles, sm_count()), kThreads,
                             sizeof(Shared<n>), launch, s);
  });
}

}  // namespace

RIDGE_KERNEL(gemv, cuda, skinny, .dtypes = RIDGE_GEMV_TEXT(RIDGE_GEMV_KIND), .prepare = prepare,
             .launch = launch);
