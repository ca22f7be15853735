// The tiles of the last rung, and which one a shape gets.
#pragma once

#include "kernels/runtime/cuda/store_strips.h"
#include "kernels/runtime/cuda/tensor_gemm.h"
#include "kernels/runtime/problems/gemm.h"

namespace ridge {

constexpr int kTileCluster = 2;  ///< blocks that share a tile of B

/// A consumer warpgroup has blocks x 64 rows and n columns of sums. Together, the groups share a
/// tile; in turns, each has its own, and stores it while the next one multiplies.
template <int groups, int blocks, int n, int stages, bool turns>
struct Tile {
  static constexpr int kBlocks = blocks, kN = n, kStages = stages;
  static constexpr int kM = 64 * blocks * (turns ? 1 : groups);
  static constexpr int kConsumers = 128 * groups, kThreads = kConsumers + 128;
  static constexpr int kReaders = turns ? 4 : 4 * groups;   ///< warps that read a stage, per block
  static constexpr int kBand = 2048 / (kTileCluster * kM);  ///< 2048 rows, in tiles of a cluster
  static constexpr bool kTurns = turns, kHandsOver = blocks * n > 128;

  struct Shared {
    alignas(1024) unsigned char a[stages][kM * device::kSliceBytes];
    alignas(1024) unsigned char b[stages][kN * device::kSliceBytes];
    alignas(1024) unsigned char strips[groups][2][device::kStripBytes];
    uint64_t full[stages], empty[stages];
  };
  static_assert(sizeof(Shared) <= 227 * 1024);

  static int clusters(int m, int n_) {
    return device::ceil_div(m, kTileCluster * kM) * device::ceil_div(n_, kN);
  }
  /// Clocks for the product: rounds of tiles, each a multiplication at full rate (of 64 x 256 x 128
  /// bytes in 512 clocks) and `store` clocks in which nobody multiplies.
  static int64_t clocks(int m, int n_, int slices, int percent, int store) {
    const int64_t rounds = device::ceil_div(clusters(m, n_), sm_count() / kTileCluster);
    return rounds * (int64_t{slices} * (kM * kN / 32) * 100 / percent + store);
  }
};

using Turns = Tile<2, 2, 128, 6, true>;   // 128 x 128, as in ping_pong.cu
using Wide = Tile<2, 1, 256, 4, false>;   // 128 x 256, as in overlapped_store.cu
using Tall = Tile<3, 1, 128, 4, false>;   // 192 x 128: 1536 and 3072 in whole rounds
using Small = Tile<1, 1, 128, 8, false>;  // 64 x 128: as many blocks as SMs at 1024

/// Turns hides its stores, Wide takes a third less from the L2. So Wide is for sums so long that
/// stores hardly count (at 16384 in bf16 5 % faster than Turns, at 8192 2 % slower), and for a
/// product of one round, where the last store is in nobody's shadow.
inline bool prefers_wide(int m, int n, int slices) {
  const bool one_round = Wide::clusters(m, n) <= sm_count() / kTileCluster;
  return slices >= 192 || (one_round && slices >= 32);
}

/// Calls run(Tile*) for the tile that takes least. Rates and stores as measured on an H200.
template <typename Run>
Status with_best_tile(const Shape& shape, Run run) {
  const auto m = static_cast<int>(shape.dim[kGemmM]), n = static_cast<int>(shape.dim[kGemmN]);
  const int64_t k_bytes = shape.dim[kGemmK] * static_cast<int64_t>(dtype_size(shape.dtype));
  const auto slices = static_cast<int>((k_bytes + device::kSliceBytes - 1) / device::kSliceBytes);
  const bool is_wide = prefers_wide(m, n, slices);
  const int64_t large =
      is_wide ? Wide::clocks(m, n, slices, 99, 2600) : Turns::clocks(m, n, slices, 98, 300);
  const int64_t tall = Tall::clocks(m, n, slices, 94, 1500);
  const int64_t small = Small::clocks(m, n, slices, 75, 700);
  if (large <= tall && large <= small) {
    return is_wide ? run(static_cast<Wide*>(nullptr)) : run(static_cast<Turns*>(nullptr));
  }
  return tall <= small ? run(static_cast<Tall*>(nullptr)) : run(static_cast<Small*>(nullptr));
}

namespace device {

/// store_strips() where the copy engine can write C, store_registers() elsewhere.
template <typename Element, int n>
__device__ __forceinline__ void store_tile(const typename Element::Sum (&d)[n / 2],
                                           const TensorGemm& g, int row, int column,
                                           unsigned char (&strips)[2][kStripBytes]) {
  if (g.c_rows_aligned) {
    store_strips<Element, n>(d, g.c, row, column, strips);
  } else {
    store_registers<Element, n>(d, g, row, column);
  }
}

}  // namespace device
}  // namespace ridge
