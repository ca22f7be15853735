// ridge: arch=90a
// Ceiling: bf16 on Hopper's tensor cores through wgmma, the only instruction that reaches it
// (mma.sync stops at about 600 TFLOP/s on an H200; the fastest sample of this probe there: 922).
//
// Idea        Two warpgroups an SM multiply 64 x 256 tiles out of shared memory without pause: one
//             group of 16 instructions is always in flight behind the one being waited for. 192 KiB
//             of random operands are loaded once and read over and over, so that nothing but the
//             tensor cores is in the way and their inputs change as a real product's do.
// Look at     The clock of the samples: power, and not the count of multipliers, is the limit (the
//             same on zeros is 16 % faster).
// Source      PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions".
#include <cuda_bf16.h>

#include <algorithm>

#include "kernels/device/check.h"
#include "kernels/device/wgmma.h"
#include "kernels/probe/probe_cuda.h"

namespace {

using namespace ridge::probe;
using namespace ridge::device;

constexpr int kK = 256, kSlice = 64,
              kSlices = kK / kSlice;  // a slice is a row of one swizzled tile
constexpr int kThreads = 256;
constexpr int kTileA = kTensorM * kSlice, kTileB = kTensorN * kSlice;  // elements
constexpr size_t kSharedBytes = 1024 + sizeof(__nv_bfloat16) * kSlices * (kTileA + kTileB);

/// Copies a row-major matrix of kK columns into kSlices swizzled tiles, 16 bytes at a time.
__device__ void load_tiles(const __nv_bfloat16* from, int rows, __nv_bfloat16* tiles) {
  constexpr int kPerRow = kK / 8;
  for (int i = static_cast<int>(threadIdx.x); i < rows * kPerRow; i += kThreads) {
    const int row = i / kPerRow, column = i % kPerRow * 8;
    const int slice = column / kSlice;
    *reinterpret_cast<uint4*>(tiles + slice * rows * kSlice +
                              swizzled_index(row, column % kSlice)) =
        *reinterpret_cast<const uint4*>(from + row * kK + column);
  }
}

__global__ void __launch_bounds__(kThreads, 1)
    probe_tensor_wgmma_kernel(const __nv_bfloat16* __restrict__ a,
                              const __nv_bfloat16* __restrict__ b, float* __restrict__ out,
                              int64_t units) {
  extern __shared__ unsigned char shared[];
  auto* tiles = reinterpret_cast<__nv_bfloat16*>((reinterpret_cast<uintptr_t>(shared) + 1023) &
                                                 ~uintptr_t{1023});
  __nv_bfloat16* tiles_b = tiles + kSlices * kTileA;
  load_tiles(a, kTensorM, tiles);
  load_tiles(b, kTensorN, tiles_b);
  fence_shared_for_async();
  __syncthreads();

  const int group = static_cast<int>(threadIdx.x) / 128, lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32 % 4;
  const uint64_t first_a = swizzled_descriptor(tiles + group * 64 * kSlice);
  const uint64_t first_b = swizzled_descriptor(tiles_b);
  for (int64_t unit = blockIdx.x; unit < units; unit += gridDim.x) {
    float d[128];
    for (int repeat = 0; repeat < kTensorDepth / kK; ++repeat) {
      wgmma_fence();
#pragma unroll
      for (int i = 0; i < kK / 16; ++i) {
        const int slice = i / 4, step = i % 4;  // descriptors count in 16 bytes
        wgmma_m64n256k16_bf16(d, first_a + slice * (kTileA / 8) + step * 2,
                              first_b + slice * (kTileB / 8) + step * 2, repeat + i > 0);
      }
      wgmma_commit();
      wgmma_wait<1>();
    }
    wgmma_wait<0>();

    float upper = 0.0f,
          lower = 0.0f;  // of rows g and g + 8: this thread's 64 columns, then all 256
#pragma unroll
    for (int j = 0; j < 32; ++j) {
      upper += d[4 * j] + d[4 * j + 1];
      lower += d[4 * j + 2] + d[4 * j + 3];
    }
    for (int step = 1; step < 4; step *= 2) {
      upper += __shfl_xor_sync(0xffffffffu, upper, step);
      lower += __shfl_xor_sync(0xffffffffu, lower, step);
    }
    if (lane % 4 == 0) {
      float* rows = out + unit * kTensorM + group * 64 + warp * 16 + lane / 4;
      rows[0] = upper;
      rows[8] = lower;
    }
  }
}

ridge::Status prepare(const ridge::Shape&, ridge::Plan*) {
  RIDGE_CUDA_CHECK(cudaFuncSetAttribute(probe_tensor_wgmma_kernel,
                                        cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(kSharedBytes)));
  return {};
}

ridge::Status launch(const ridge::Launch& launch) {
  int device = 0, sms = 1;
  RIDGE_CUDA_CHECK(cudaGetDevice(&device));
  RIDGE_CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  const int64_t units = launch.shape.dim[kUnits];
  probe_tensor_wgmma_kernel<<<static_cast<unsigned>(std::min<int64_t>(sms, units)), kThreads,
                              kSharedBytes, static_cast<cudaStream_t>(launch.stream)>>>(
      static_cast<const __nv_bfloat16*>(launch.buffers[0]),
      static_cast<const __nv_bfloat16*>(launch.buffers[1]), static_cast<float*>(launch.buffers[2]),
      units);
  return RIDGE_CUDA_LAUNCHED(probe_tensor_wgmma_kernel);
}

}  // namespace

RIDGE_KERNEL(probe, cuda, tensor_wgmma, .prepare = prepare, .launch = launch);
