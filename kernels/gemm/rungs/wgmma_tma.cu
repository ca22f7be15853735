// ridge: arch=90a
//
// Idea      Hopper's own two units. The copy engine (TMA) brings a whole tile at the request of one
//           thread, and a warpgroup (128 threads) multiplies it out of shared memory with one
//           instruction, wgmma: 64 x 128 x 16 at once.
// Changed   No thread computes addresses or moves operands through registers any more; the tile's
//           128-byte rows are swizzled by the copy engine so that wgmma reads them without
//           conflicts.
// Limits    Waiting: load, wait, multiply, wait, again and again. Only the other blocks on the same
//           SM fill the gaps.
// Look at   Any m, n and k: what lies outside reads as zero, and nothing in the loop asks.
// Source    PTX ISA, "wgmma" and "cp.async.bulk.tensor"; the steps of this ladder are those of
//           pranjalssh/fast.cu.
#include "common/core/ceil_div.h"
#include "kernels/runtime/cuda/pipeline.h"
#include "kernels/runtime/cuda/tensor_gemm.h"
#include "kernels/runtime/cuda/wgmma.h"

namespace {

using namespace ridge;
using namespace ridge::device;

constexpr int kTileM = 128, kTileN = 128;
constexpr int kThreads = 128;

struct Shared {
  alignas(1024) unsigned char a[kTileM * kSliceBytes];
  alignas(1024) unsigned char b[kTileN * kSliceBytes];
  uint64_t full;
};

template <typename Element>
__global__ void __launch_bounds__(kThreads)
    gemm_wgmma_tma_kernel(const __grid_constant__ TensorGemm g) {
  extern __shared__ __align__(1024) unsigned char raw[];
  Shared& shared = *reinterpret_cast<Shared*>(raw);
  const int tiles_n = ceil_div(g.n, kTileN);
  const int row = static_cast<int>(blockIdx.x) / tiles_n * kTileM;
  const int column = static_cast<int>(blockIdx.x) % tiles_n * kTileN;
  if (threadIdx.x == 0) {
    mbarrier_init(&shared.full, 1);
    fence_mbarrier_init();
  }
  __syncthreads();

  typename Element::Accumulator upper[kTileN / 2], lower[kTileN / 2];
  const int slices = ceil_div(g.k, kSliceK<Element>);
  for (int slice = 0; slice < slices; ++slice) {
    if (threadIdx.x == 0) {
      mbarrier_arrive_expect(&shared.full, sizeof shared.a + sizeof shared.b);
      tma_load_2d(shared.a, &g.a, slice * kSliceK<Element>, row, &shared.full);
      load_b<Element, kTileN>(shared.b, &g.b, column, slice * kSliceK<Element>, &shared.full);
    }
    mbarrier_wait(&shared.full, slice & 1);
    wgmma_fence();
    wgmma_tile<Element, kTileN>(upper, shared.a, shared.b, slice > 0);
    wgmma_tile<Element, kTileN>(lower, shared.a + 64 * kSliceBytes, shared.b, slice > 0);
    wgmma_commit();
    wgmma_wait<0>();
    wgmma_touch(upper);
    wgmma_touch(lower);
    __syncthreads();  // all have read before the next slice comes
  }
  store_registers<Element, kTileN>(upper, g, row, column);
  store_registers<Element, kTileN>(lower, g, row + 64, column);
}

constexpr TensorGrid kGrid = {kTileM, kTileN, kThreads, sizeof(Shared)};
constexpr auto kKernel = []<typename Element>(Element) { return gemm_wgmma_tma_kernel<Element>; };

Status prepare(const Shape& shape, Plan* plan) {
  return prepare_tensor_gemm(kKernel, kGrid, shape, plan);
}

Status launch(const Launch& launch) {
  return launch_tensor_gemm(kKernel, kGrid, launch);
}

}  // namespace

RIDGE_KERNEL(gemm, cuda, wgmma_tma, .dtypes = "bf16 fp16 tf32 fp8 int8", .prepare = prepare,
             .launch = launch);
