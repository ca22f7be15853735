// ridge: arch=90a
// Ceiling: Hopper's tensor cores, in each of their types, through wgmma, the only instruction that reaches it
// (in bf16 mma.sync stops at about 600 TFLOP/s on an H200; the fastest sample of this probe there: 922).
//
// Idea        Two warpgroups an SM multiply 64 x 256 tiles out of shared memory without pause: one
//             group of 16 instructions is always in flight behind the one being waited for. 192 KiB
//             of random operands are loaded once and read over and over, so that nothing but the
//             tensor cores is in the way and their inputs change as a real product's do.
// Look at     The clock of the samples: power, and not the count of multipliers, is the limit (the
//             same on zeros is 16 % faster).
// Source      PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions".
#include <algorithm>

#include "common/harness/kernel/cuda_check.h"
#include "kernels/probe/probe_cuda.h"
#include "kernels/runtime/cuda/wgmma.h"

namespace {

using namespace ridge::probe;
using namespace ridge::device;

constexpr int kSliceBytes = 128, kSlices = kTensorRowWgmma / kSliceBytes;  // rows of swizzled tiles
constexpr int kThreads = 256;
constexpr int kTileA = kTensorM * kSliceBytes, kTileB = kTensorN * kSliceBytes;
constexpr int kSharedBytes = 1024 + kSlices * (kTileA + kTileB);

/// Copies a row-major matrix into kSlices swizzled tiles, 16 bytes at a time.
__device__ void load_tiles(const uint4* from, int rows, unsigned char* tiles) {
  constexpr int kPerRow = kTensorRowWgmma / 16, kPerSlice = kSliceBytes / 16;
  for (int i = static_cast<int>(threadIdx.x); i < rows * kPerRow; i += kThreads) {
    const int row = i / kPerRow, slice = i % kPerRow / kPerSlice, chunk = i % kPerSlice ^ row % 8;
    *reinterpret_cast<uint4*>(tiles + (slice * rows + row) * kSliceBytes + chunk * 16) = from[i];
  }
}

template <typename Element>
__global__ void __launch_bounds__(kThreads, 1)
    probe_tensor_wgmma_kernel(const uint4* __restrict__ a, const uint4* __restrict__ b,
                              float* __restrict__ out, int64_t units) {
  extern __shared__ unsigned char shared[];
  unsigned char* tiles_a = shared + (1024 - shared_address(shared) % 1024) % 1024;
  unsigned char* tiles_b = tiles_a + kSlices * kTileA;
  load_tiles(a, kTensorM, tiles_a);
  load_tiles(b, kTensorN, tiles_b);
  fence_shared_for_async();
  __syncthreads();

  const int group = static_cast<int>(threadIdx.x) / 128, lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32 % 4;
  const uint64_t first_a = swizzled_descriptor(tiles_a + group * 64 * kSliceBytes);
  const uint64_t first_b = swizzled_descriptor(tiles_b);
  for (int64_t unit = blockIdx.x; unit < units; unit += gridDim.x) {
    typename Element::Accumulator d[128];
    for (int repeat = 0; repeat < kTensorDepthBytes / kTensorRowWgmma; ++repeat) {
      wgmma_fence();
#pragma unroll
      for (int i = 0; i < kTensorRowWgmma / 32; ++i) {
        const int slice = i / 4, step = i % 4;  // descriptors count in 16 bytes
        Wgmma<Element, 256, false>::multiply(d, first_a + slice * (kTileA / 16) + step * 2,
                                             first_b + slice * (kTileB / 16) + step * 2,
                                             repeat + i > 0);
      }
      wgmma_commit();
      wgmma_wait<1>();
    }
    wgmma_wait<0>();
    wgmma_touch(d);

    // Of rows g and g + 8: this thread's 64 columns, then all 256.
    float upper = 0.0f, lower = 0.0f;
#pragma unroll
    for (int j = 0; j < 32; ++j) {
      upper += static_cast<float>(d[4 * j] + d[4 * j + 1]);
      lower += static_cast<float>(d[4 * j + 2] + d[4 * j + 3]);
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

template <typename Element>
ridge::Status run(const ridge::Launch& launch) {
  int device = 0, sms = 1;
  RIDGE_CUDA_CHECK(cudaGetDevice(&device));
  RIDGE_CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  RIDGE_CUDA_CHECK(cudaFuncSetAttribute(probe_tensor_wgmma_kernel<Element>,
                                        cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes));
  const int64_t units = launch.shape.dim[kUnits];
  probe_tensor_wgmma_kernel<Element>
      <<<static_cast<unsigned>(std::min<int64_t>(sms, units)), kThreads, kSharedBytes,
         static_cast<cudaStream_t>(launch.stream)>>>(static_cast<const uint4*>(launch.buffers[0]),
                                                     static_cast<const uint4*>(launch.buffers[1]),
                                                     static_cast<float*>(launch.buffers[2]), units);
  return RIDGE_CUDA_LAUNCHED(probe_tensor_wgmma_kernel);
}

ridge::Status launch(const ridge::Launch& launch) {
  return with_tensor_element(launch.shape.dtype,
                             [&](auto element) { return run<decltype(element)>(launch); });
}

}  // namespace

RIDGE_KERNEL(probe, cuda, tensor_wgmma, .dtypes = "bf16 fp16 tf32 fp8 int8", .launch = launch);
