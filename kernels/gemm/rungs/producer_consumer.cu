// ridge: arch=90a stamped=yes
//
// Idea      Loading and multiplying become two jobs. A producer warp does nothing but ask for
//           tiles, six ahead; a warpgroup of consumers does nothing but multiply. Two mbarriers per
//           stage of the ring say full and empty.
// Changed   Nobody waits for everybody any more. And one group of wgmma is always in flight: a
//           stage is given back once the group *behind* the newest has ended, so the tensor cores
//           never drain between slices.
// Limits    While C is stored nothing is multiplied. And bytes: a 128 x 128 tile asks the L2 for one
//           for every 64 FLOP, three quarters of what it gives, and wgmma of width 128 asks shared
//           memory for 96 a clock.
// Look at   One block an SM now, and faster: the ring hides what occupancy hid before.
// Source    CUTLASS, "warp-specialized" kernels; pranjalssh/fast.cu drains each slice, CUTLASS not.
#include "common/core/ceil_div.h"
#include "kernels/runtime/cuda/pipeline.h"
#include "kernels/runtime/cuda/tensor_gemm.h"
#include "kernels/runtime/cuda/wgmma.h"

namespace {

using namespace ridge;
using namespace ridge::device;

constexpr int kTileM = 128, kTileN = 128, kStages = 6;
constexpr int kConsumers = 128, kThreads = kConsumers + 32;

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
  typename Element::Accumulator upper[kTileN / 2], lower[kTileN / 2];
  RingPosition<kStages> at;
  int before = 0;  // the stage whose multiplications were issued last
  for (int k = 0; k < g.k; k += kSliceK<Element>) {
    mbarrier_wait(&shared.full[at.stage], at.parity);
    const unsigned char *a = shared.a[at.stage], *b = shared.b[at.stage];
    wgmma_fence();
    wgmma_tile<Element, kTileN>(upper, a, b, k > 0);
    wgmma_tile<Element, kTileN>(lower, a + 64 * kSliceBytes, b, k > 0);
    wgmma_commit();
    wgmma_wait<1>();
    if (k > 0 && threadIdx.x % 32 == 0) mbarrier_arrive(&shared.empty[before]);
    before = at.stage;
    at.advance();
  }
  wgmma_wait<0>();
  wgmma_touch(upper);
  wgmma_touch(lower);
  store_registers<Element, kTileN>(upper, g, row, column);
  store_registers<Element, kTileN>(lower, g, row + 64, column);
}

template <typename Element>
__global__ void __launch_bounds__(kThreads)
    gemm_producer_consumer_kernel(const __grid_constant__ TensorGemm g) {
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
    consume<Element>(shared, g, row, column);
  } else if (threadIdx.x == kConsumers) {
    produce<Element>(shared, g, row, column);
  }
}

constexpr TensorGrid kGrid = {kTileM, kTileN, kThreads, sizeof(Shared)};
constexpr auto kKernel = []<typename Element>(Element) { return gemm_producer_consumer_kernel<Element>; };

Status prepare(const Shape& shape, Plan* plan) {
  return prepare_tensor_gemm(kKernel, kGrid, shape, plan);
}

Status launch(const Launch& launch) {
  return launch_tensor_gemm(kKernel, kGrid, launch);
}

}  // namespace

RIDGE_KERNEL(gemm, cuda, producer_consumer, .dtypes = "bf16 fp16 tf32 fp8 int8", .prepare = prepare,
             .launch = launch);
