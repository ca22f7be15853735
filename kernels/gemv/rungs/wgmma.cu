// ridge: arch=90a variants=w8a8:-DRIDGE_GEMV_KIND=w8a8,w8a8_fp8:-DRIDGE_GEMV_KIND=w8a8_fp8
//
// Idea      For many rows of x at once (a prompt, or hundreds of sequences) the product is bound by arithmetic: the
//           GEMM lab's last kernel on 8 bits, and each sum becomes relu(sum * scales + bias) in bf16 while it is still
//           in a register.
// Changed   A library's int8 product leaves 4 bytes for each sum, which a second kernel reads to write 2. Here 2 are
//           written, once.
// Limits    Power; below 500 rows of x, memory.
// Look at   batch = 4096 beside cublaslt; then epilogue = none, where both only multiply.
// Source    kernels/gemm/rungs/tuned.cu, whose tile of 128 x 128, PingPong, this is; CUTLASS's epilogue fusions.
#include <new>

#include "common/core/ceil_div.h"
#include "common/harness/kernel/cuda_check.h"
#include "kernels/gemv/product.h"
#include "kernels/gemv/rungs/gemv_cuda.h"
#include "kernels/runtime/cuda/cluster_gemm.h"
#include "kernels/runtime/cuda/launch.h"
#include "kernels/runtime/cuda/store_strips.h"
#include "kernels/runtime/cuda/tensor_gemm.h"
#include "kernels/runtime/cuda/wgmma.h"

namespace {

using namespace ridge;
using namespace ridge::device;

struct Layer_w8a8 {
  using Element = Int8;
  using Bias = float;
};
struct Layer_w8a8_fp8 {
  using Element = Fp8;
  using Bias = __nv_bfloat16;
};
#define RIDGE_LAYER_OF(kind) Layer_##kind
#define RIDGE_LAYER(kind) RIDGE_LAYER_OF(kind)
using Element = RIDGE_LAYER(RIDGE_GEMV_KIND)::Element;
using Bias = RIDGE_LAYER(RIDGE_GEMV_KIND)::Bias;
using Accumulator = Element::Accumulator;

struct ScaledGemm : TensorGemm {
  const float *row_scales, *column_scales;
  const Bias* bias;
};

constexpr int kTileCluster = 2;  // blocks that share a tile of B

/// 128 x 128: each of two consumer warpgroups has a tile of its own, and stores it while the other multiplies.
struct T {
  static constexpr int kBlocks = 2, kM = 64 * kBlocks, kN = 128, kStages = 6, kBand = 8;
  static constexpr int kConsumers = 256, kThreads = kConsumers + 128;
  static constexpr int kReaders = 4;  ///< warps that read a stage, per block

  struct Shared {
    alignas(1024) unsigned char a[kStages][kM * kSliceBytes];
    alignas(1024) unsigned char b[kStages][kN * kSliceBytes];
    alignas(1024) unsigned char strips[2][2][kStripBytes];
    uint64_t full[kStages], empty[kStages];
  };
  static int clusters(int m, int n) { return ceil_div(m, kTileCluster * kM) * ceil_div(n, kN); }
};

/// By the copy engine where it can write C, else from registers.
template <typename Values, typename D>
__device__ __forceinline__ void store_tile(const D& d, const TensorGemm& g, int row, int column,
                                           unsigned char (&strips)[2][kStripBytes]) {
  if (g.c_rows_aligned) {
    store_strips<Values, T::kN>(d, g.c, row, column, strips);
  } else {
    store_registers<Values, T::kN>(d, g, row, column);
  }
}

/// relu(sum * row's scale * column's scale + bias) as bf16; or the sums.
template <bool fused>
__device__ __forceinline__ void store_acc(const Accumulator (&acc)[T::kN / 2], const ScaledGemm& g, int row, int column,
                                          unsigned char (&strips)[2][kStripBytes]) {
  if constexpr (!fused) {
    store_tile<Element>(acc, g, row, column, strips);
  } else {
    const int thread = static_cast<int>(threadIdx.x) % 128, lane = thread % 32;
    const int upper = row + thread / 32 * 16 + lane / 4;
    const float scales[2] = {upper < g.m ? g.row_scales[upper] : 0,
                             upper + 8 < g.m ? g.row_scales[upper + 8] : 0};
    // Lane 4g + q keeps what belongs to its columns of blocks g and g + 8, and lends it: a thread's 32 scales and
    // biases in registers of its own would push its sums out to memory.
    float scale[T::kN / 64][2], bias[T::kN / 64][2];
#pragma unroll
    for (int i = 0; i < T::kN / 32; ++i) {
      const int at = min(column + i / 2 * 64 + lane / 4 * 8 + lane % 4 * 2 + i % 2, g.n - 1);
      scale[i / 2][i % 2] = __ldg(g.column_scales + at);
      bias[i / 2][i % 2] = static_cast<float>(__ldg(g.bias + at));
    }
    float values[T::kN / 2];
#pragma unroll
    for (int i = 0; i < T::kN / 4; ++i) {
      const int block = i / 2, from = block % 8 * 4 + lane % 4;
      const float s = __shfl_sync(~0u, scale[block / 8][i % 2], from);
      const float b = __shfl_sync(~0u, bias[block / 8][i % 2], from);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int at = 4 * block + 2 * half + i % 2;
        values[at] = fmaxf(fmaf(static_cast<float>(acc[at]), s * scales[half], b), 0.0f);
      }
    }
    store_tile<Bf16>(values, g, row, column, strips);
  }
}

__device__ void produce(T::Shared& shared, const ScaledGemm& g) {
  constexpr int kHalfN = T::kN / kTileCluster;
  const int first = cluster_rank() * kHalfN;
  cudaGridDependencySynchronize();  // the grid before may still write x, or read y
  RingPosition<T::kStages> at;
  for_each_cluster_tile<T::kM, T::kN, kTileCluster>(g.m, g.n, T::kBand, [&](int row, int column) {
    for (int k = 0; k < g.k; k += kSliceBytes) {
      mbarrier_wait(&shared.empty[at.stage], at.parity ^ 1);
      uint64_t* full = &shared.full[at.stage];
      mbarrier_arrive_expect(full, sizeof shared.a[0] + sizeof shared.b[0]);
      tma_load_2d(shared.a[at.stage], &g.a, k, row, full);
      load_b_multicast<Element, kHalfN, kTileCluster>(shared.b[at.stage] + first * kSliceBytes,
                                                      &g.b, column + first, k, full);
      at.advance();
    }
  });
}

/// Two warpgroups: one multiplies its tile while the other scales and stores its own.
template <bool fused>
__device__ void consume(T::Shared& shared, const ScaledGemm& g) {
  const int group = static_cast<int>(threadIdx.x) / 128;
  Accumulator acc[T::kBlocks][T::kN / 2];
  RingPosition<T::kStages> at;
  int turn = 0;
  if (group == 1) pass_turn_to(0);
  for_each_cluster_tile<T::kM, T::kN, kTileCluster>(g.m, g.n, T::kBand, [&](int row, int column) {
    if (turn++ % 2 != group) return at.skip(ceil_div(g.k, kSliceBytes));
    wait_for_turn(group);
    int before = 0;
    for (int k = 0; k < g.k; k += kSliceBytes) {
      mbarrier_wait(&shared.full[at.stage], at.parity);
      wgmma_fence();
#pragma unroll
      for (int i = 0; i < T::kBlocks; ++i) {
        wgmma_tile<Element, T::kN>(acc[i], shared.a[at.stage] + i * 64 * kSliceBytes, shared.b[at.stage], k > 0);
      }
      wgmma_commit();
      wgmma_wait<1>();
      if (k > 0) mbarrier_arrive_everywhere<kTileCluster>(&shared.empty[before]);
      before = at.stage;
      at.advance();
    }
    pass_turn_to(1 - group);
    wgmma_wait<0>();
    wgmma_touch(acc);
    mbarrier_arrive_everywhere<kTileCluster>(&shared.empty[before]);
#pragma unroll
    for (int i = 0; i < T::kBlocks; ++i) store_acc<fused>(acc[i], g, row + i * 64, column, shared.strips[group]);
  });
  if (turn % 2 == group) wait_for_turn(group);  // so that no turn is left over
  bulk_wait_read<0>();
}

template <bool fused>
__global__ void __cluster_dims__(kTileCluster) __launch_bounds__(T::kThreads, 1)
    gemv_wgmma_kernel(const __grid_constant__ ScaledGemm g) {
  extern __shared__ __align__(1024) unsigned char raw[];
  auto& shared = *reinterpret_cast<T::Shared*>(raw);
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < T::kStages; ++stage) {
      mbarrier_init(&shared.full[stage], 1);
      mbarrier_init(&shared.empty[stage], kTileCluster * T::kReaders);
    }
    fence_mbarrier_init();
  }
  cluster_sync();
  cudaTriggerProgrammaticLaunchCompletion();
  if (threadIdx.x < T::kConsumers) {
    take_registers<232>();
    consume<fused>(shared, g);
  } else {
    give_registers<40>();
    if (threadIdx.x == T::kConsumers) produce(shared, g);
  }
  cluster_sync();
}

struct WgmmaPlan {
  int64_t turn = 0;
  Plan gemm;
};

void release(void* state) {
  auto* plan = static_cast<WgmmaPlan*>(state);
  if (plan->gemm.release && plan->gemm.state) plan->gemm.release(plan->gemm.state);
  delete plan;
}

Status prepare(const Shape& shape, Plan* plan) {
  auto* state = new (std::nothrow) WgmmaPlan;
  if (!state) return {"out of memory", "new WgmmaPlan", __FILE__, __LINE__, false};
  plan->state = state;
  plan->release = release;
  constexpr int kBytes = sizeof(T::Shared);
  RIDGE_CUDA_CHECK(cudaFuncSetAttribute(gemv_wgmma_kernel<false>,
                                        cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
  return prepare_tensor_gemm(reinterpret_cast<const void*>(gemv_wgmma_kernel<true>), kBytes,
                             gemv_product(shape, Element::kType), &state->gemm);
}

Status launch(const Launch& launch) {
  auto* plan = static_cast<WgmmaPlan*>(launch.plan_state);
  const Gemv v = gemv_next(launch, &plan->turn);
  void* const buffers[] = {const_cast<void*>(v.x), const_cast<void*>(v.w), v.y};
  const Launch gemm = {gemv_product(launch.shape, Element::kType), buffers, launch.stream,
                       plan->gemm.state};
  ScaledGemm g;
  const Status s =
      describe_gemm(gemm, Element::kMap, v.fused ? Bf16::kMapOut : Element::kMapOut,
                    v.fused ? 2 : sizeof(Element::Out), T::kM, T::kN / kTileCluster, &g);
  if (!s.ok()) return s;
  g.row_scales = v.x_scales, g.column_scales = static_cast<const float*>(v.scales);
  g.bias = static_cast<const Bias*>(v.bias);
  const int blocks = min(T::clusters(g.m, g.n), sm_count() / kTileCluster) * kTileCluster;
  return launch_overlapped(v.fused ? gemv_wgmma_kernel<true> : gemv_wgmma_kernel<false>, blocks,
                           T::kThreads, sizeof(T::Shared), gemm, g);
}

}  // namespace

RIDGE_KERNEL(gemv, cuda, wgmma, .dtypes = RIDGE_GEMV_TEXT(RIDGE_GEMV_KIND), .prepare = prepare,
             .launch = launch);
