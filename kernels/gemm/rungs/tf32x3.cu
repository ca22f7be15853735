// ridge: arch=90a
//
// Idea      fp32 accuracy from TF32 tensor cores. Each number is split into two of TF32, a = A + a'
//           and b = B + b'; the product needs AB + Ab' + a'B (a'b' is below fp32's own rounding).
//           The tensor cores cut their sums off instead of rounding them, so every 32 steps of K
//           what they hold is promoted: added to fp32 sums in registers, and begun afresh.
// Changed   Against FFMA: three times the multiplications, at seven times their rate. A pre-pass
//           splits A and B and transposes B, since wgmma takes TF32 only with K contiguous.
// Limits    The TF32 tensor cores: a third of their ceiling is the roof. While one warpgroup
//           promotes, the other one multiplies, so that promotion costs nothing. The pre-pass moves
//           12 bytes for an element of A or B: by that a tenth of the time at n = 4096.
// Look at   The error beside the speed. This is not IEEE fp32: an element has 23 bits of 24, and a
//           value beyond TF32's rounding to infinity (3.4e38) would be lost. But long sums lose
//           less than in a chain of FFMAs.
// Accuracy  Componentwise, with a unit up to 8 times fp32's u. A split number is off by 2u of itself at most, and
//           a'b' by 4u of ab (each part is below 2^-11 of its number): 8u of each product on its own scale.
// Source    Ootomo and Yokota, "Recovering single precision accuracy from Tensor Cores" (2022);
//           promotion: DeepSeek-V3's fp8 training (2024); CUTLASS example 27 (3xTF32).
#include "common/core/ceil_div.h"
#include "common/harness/kernel/cuda_check.h"
#include "kernels/gemm/tf32_split.h"
#include "kernels/runtime/cuda/pipeline.h"
#include "kernels/runtime/cuda/tensor_gemm.h"
#include "kernels/runtime/cuda/tile_order.h"
#include "kernels/runtime/cuda/wgmma.h"

namespace {

using namespace ridge;
using namespace ridge::device;

constexpr int kConsumers = 2, kStages = 3, kBand = 8;
constexpr int kTileM = 64 * kConsumers, kTileN = 128, kTileK = kSliceK<Tf32>;
constexpr int kBytesA = kTileM * kSliceBytes, kBytesB = kTileN * kSliceBytes;
constexpr int kStageBytes = 2 * (kBytesA + kBytesB), kSharedBytes = 1024 + kStages * kStageBytes;
constexpr int kThreads = 128 * (kConsumers + 1);
constexpr int64_t kMinK = 8;

/// Below kMinK there is nothing to do for a tensor core; and 23 bits are not as good as 24 until
/// a sum of several products averages the difference away.
__global__ void gemm_tf32x3_short_kernel(Gemm g) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= g.m * g.n) return;
  float sum = 0.0f;
  for (int64_t p = 0; p < g.k; ++p) sum += g.a[i / g.n * g.k + p] * g.b[p * g.n + i % g.n];
  g.c[i] = sum;
}

/// One stage: a slice of K of both parts of A and of B.
struct Tiles {
  unsigned char *high_a, *low_a, *high_b, *low_b;
  __device__ explicit Tiles(unsigned char* stage)
      : high_a(stage), low_a(high_a + kBytesA), high_b(low_a + kBytesA), low_b(high_b + kBytesB) {}
};

/// The maps of A and B cover both parts, the low one behind the high one. (Where a tile reaches
/// past the end of the high part it reads rows of the low one: they end up outside C.)
__global__ void __launch_bounds__(kThreads, 1)
    gemm_tf32x3_kernel(const __grid_constant__ TensorGemm g) {
  extern __shared__ unsigned char shared[];
  unsigned char* stages = shared + (1024 - shared_address(shared) % 1024) % 1024;
  __shared__ uint64_t full[kStages], empty[kStages];
  const int group = static_cast<int>(threadIdx.x) / 128;
  const bool leader = threadIdx.x % 128 == 0;
  const int tiles_k = ceil_div(g.k, kTileK);
  const TileAt place =
      tile_at(static_cast<int>(blockIdx.x), ceil_div(g.m, kTileM), ceil_div(g.n, kTileN), kBand);
  const int row0 = place.row * kTileM, column0 = place.column * kTileN;
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      mbarrier_init(full + s, 1);
      mbarrier_init(empty + s, kConsumers);
    }
    fence_mbarrier_init();
  }
  __syncthreads();

  RingPosition<kStages> at;
  if (group == kConsumers) {
    give_registers<24>();
    if (!leader) return;
    for (int tile = 0; tile < tiles_k; ++tile, at.advance()) {
      const Tiles to(stages + at.stage * kStageBytes);
      const int k = tile * kTileK;
      mbarrier_wait(empty + at.stage, at.parity ^ 1);
      mbarrier_arrive_expect(full + at.stage, kStageBytes);
      tma_load_2d(to.high_a, &g.a, k, row0, full + at.stage);
      tma_load_2d(to.low_a, &g.a, k, g.m + row0, full + at.stage);
      tma_load_2d(to.high_b, &g.b, k, column0, full + at.stage);
      tma_load_2d(to.low_b, &g.b, k, g.n + column0, full + at.stage);
    }
  } else {
    take_registers<240>();
    float acc[kTileN / 2] = {}, part[kTileN / 2];
    const int own_rows = group * 64 * kSliceBytes;
    for (int tile = 0; tile < tiles_k; ++tile, at.advance()) {
      const Tiles t(stages + at.stage * kStageBytes);
      mbarrier_wait(full + at.stage, at.parity);
      wgmma_fence();  // small products first: they are truncated at their own size
      wgmma_tile<Tf32, kTileN>(part, t.low_a + own_rows, t.high_b, false);
      wgmma_tile<Tf32, kTileN>(part, t.high_a + own_rows, t.low_b, true);
      wgmma_tile<Tf32, kTileN>(part, t.high_a + own_rows, t.high_b, true);
      wgmma_commit();
      wgmma_wait<0>();
      wgmma_touch(part);
      if (leader) mbarrier_arrive(empty + at.stage);
#pragma unroll
      for (int i = 0; i < kTileN / 2; ++i) acc[i] += part[i];
    }
    store_registers<Tf32, kTileN>(acc, g, row0 + group * 64, column0);
  }
}

Status prepare(const Shape& shape, Plan* plan) {
  RIDGE_CUDA_CHECK(cudaFuncSetAttribute(gemm_tf32x3_kernel,
                                        cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes));
  return prepare_split(shape, plan);
}

Status launch(const Launch& launch) {
  const Gemm g = gemm_of(launch);
  const auto stream = static_cast<cudaStream_t>(g.stream);
  if (g.k < kMinK) {
    const auto blocks = static_cast<unsigned>((g.m * g.n + 255) / 256);
    gemm_tf32x3_short_kernel<<<blocks, 256, 0, stream>>>(g);
    return RIDGE_CUDA_LAUNCHED(gemm_tf32x3_short_kernel);
  }
  const auto& split = *static_cast<const SplitOperands*>(launch.plan_state);
  if (const Status s = split_operands(launch, split); !s.ok()) return s;
  TensorGemm product = {};
  product.c_data = g.c;
  product.m = static_cast<int>(g.m);
  product.n = static_cast<int>(g.n);
  product.k = static_cast<int>(g.k);
  TensorMap2d map = {Tf32::kMap,      split.a, 2 * g.m, g.k,
                     split.pitch * 4, kTileM,  kTileK,  CU_TENSOR_MAP_SWIZZLE_128B};
  if (const Status s = encode_tensor_map(map, &product.a); !s.ok()) return s;
  map.data = split.b;
  map.rows = 2 * g.n;
  map.box_rows = kTileN;
  if (const Status s = encode_tensor_map(map, &product.b); !s.ok()) return s;
  const int tiles = ceil_div(product.m, kTileM) * ceil_div(product.n, kTileN);
  gemm_tf32x3_kernel<<<static_cast<unsigned>(tiles), kThreads, kSharedBytes, stream>>>(product);
  return RIDGE_CUDA_LAUNCHED(gemm_tf32x3_kernel);
}

}  // namespace

RIDGE_KERNEL(gemm, cuda, tf32x3, .dtypes = "fp32", .prepare = prepare, .launch = launch);
