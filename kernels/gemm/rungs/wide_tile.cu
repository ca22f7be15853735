// ridge: arch=90a
//
// Idea      A tile of 128 x 256: two consumer warpgroups, each 64 x 256 sums, share one tile of B.
// Changed   A byte that comes from the L2 serves 85 FLOP instead of 64, and one wgmma of width 256
//           reads 80 bytes of shared memory a clock instead of 96. The 128 sums of a thread need
//           more registers than 384 threads can have alike: the producers hand theirs over
//           (setmaxnreg).
// Limits    Whole rounds of tiles: 132 SMs take 132 tiles at once, and while a tile is stored
//           nothing is multiplied.
// Look at   The register count: 168 at the start for everybody, then 40 and 232.
// Source    PTX ISA, "setmaxnreg"; pranjalssh/fast.cu, kernel 5.
#include "common/core/ceil_div.h"
#include "kernels/runtime/cuda/pipeline.h"
#include "kernels/runtime/cuda/tensor_gemm.h"
#include "kernels/runtime/cuda/wgmma.h"

namespace {

using namespace ridge;
using namespace ridge::device;

constexpr int kTileM = 128, kTileN = 256, kStages = 4;
constexpr int kConsumers = 256, kThreads = kConsumers + 128;

struct Shared {
  alignas(1024) unsigned char a[kStages][kTileM * kSliceBytes];
  alignas(1024) unsigned char b[kStages][kTileN * kSliceBytes];
  uint64_t full[kStages], empty[kStages];
};

template <typename Element>
__device__ void produce(Shared& shared, const TensorGemm& g, int row, int column) {
  RingPosition<kStages> at;
  for (int k = 0; k < g.k; k += kSliceK<Element>) {
    mbarrier_wait(&shared.empty[at.stage], at.parity ^ 1);
    uint64_t* full = &shared.full[at.stage];
    mbarrier_arrive_expect(full, sizeof shared.a[0] + sizeof shared.b[0]);
    tma_load_2d(shared.a[at.stage], &g.a, k, row, full);
    load_b<Element, kTileN>(shared.b[at.stage], &g.b, column, k, full);
    at.advance();
  }
}

template <typename Element>
__device__ void consume(Shared& shared, const TensorGemm& g, int row, int column) {
  const int half = static_cast<int>(threadIdx.x) / 128 * 64;  // this warpgroup's rows of the tile
  typename Element::Accumulator acc[kTileN / 2];
  RingPosition<kStages> at;
  int before = 0;  // the stage whose multiplications were issued last
  for (int k = 0; k < g.k; k += kSliceK<Element>) {
    mbarrier_wait(&shared.full[at.stage], at.parity);
    wgmma_fence();
    wgmma_tile<Element, kTileN>(acc, shared.a[at.stage] + half * kSliceBytes, shared.b[at.stage], k > 0);
    wgmma_commit();
    wgmma_wait<1>();
    if (k > 0 && threadIdx.x % 32 == 0) mbarrier_arrive(&shared.empty[before]);
    before = at.stage;
    at.advance();
  }
  wgmma_wait<0>();
  wgmma_touch(acc);
  store_registers<Element, kTileN>(acc, g, row + half, column);
}

template <typename Element>
__global__ void __launch_bounds__(kThreads, 1)
    gemm_wide_tile_kernel(const __grid_constant__ TensorGemm g) {
  extern __shared__ __align__(1024) unsigned char raw[];
  Shared& shared = *reinterpret_cast<Shared*>(raw);
  const int tiles_n = ceil_div(g.n, kTileN);
  const int row = static_cast<int>(blockIdx.x) / tiles_n * kTileM;
  const int column = static_cast<int>(blockIdx.x) % tiles_n * kTileN;
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < kStages; ++stage) {
      mbarrier_init(&shared.full[stage], 1);
      mbarrier_init(&shared.empty[stage], kConsumers / 32);  // one thread of each warp arrives
    }
    fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x < kConsumers) {
    take_registers<232>();
    consume<Element>(shared, g, row, column);
  } else {
    give_registers<40>();
    if (threadIdx.x == kConsumers) produce<Element>(shared, g, row, column);
  }
}

constexpr TensorGrid kGrid = {kTileM, kTileN, kThreads, sizeof(Shared)};
constexpr auto kKernel = []<typename Element>(Element) { return gemm_wide_tile_kernel<Element>; };

Status prepare(const Shape& shape, Plan* plan) {
  return prepare_tensor_gemm(kKernel, kGrid, shape, plan);
}

Status launch(const Launch& launch) {
  return launch_tensor_gemm(kKernel, kGrid, launch);
}

}  // namespace

RIDGE_KERNEL(gemm, cuda, wide_tile, .dtypes = "bf16 fp16 tf32 fp8 int8", .prepare = prepare,
             .launch = launch);
