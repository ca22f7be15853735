// ridge: arch=80
// Ceiling: bf16 on the tensor cores through mma.sync, the instruction of Ampere and Ada. On Hopper it
// reaches about 60 % of what wgmma does, so there it is a rung's roof and not the machine's.
//
// Idea        Eight warps hold 64 x 64 of the product each in registers, and all operands too (K is
//             16: one instruction deep), so that 32 independent products a step need no loads.
// Look at     The gap to tensor_wgmma on one machine: what keeping an old instruction costs.
// Source      PTX ISA, "mma.m16n8k16" (fragment layouts).
#include "kernels/device/check.h"
#include "kernels/probe/probe_cuda.h"

namespace {

using namespace ridge::probe;

constexpr int kK = 16, kThreads = 256;
constexpr int kTilesM = 4, kTilesN = 8;  // of 16 x 8, a warp: 64 x 64

__device__ void mma_m16n8k16_bf16(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/// Two neighbouring bf16 of a row-major matrix of kK columns.
__device__ uint32_t pair(const uint16_t* matrix, int row, int column) {
  return *reinterpret_cast<const uint32_t*>(matrix + row * kK + column);
}

__global__ void __launch_bounds__(kThreads, 1)
    probe_tensor_mma_kernel(const uint16_t* __restrict__ a, const uint16_t* __restrict__ b,
                            float* __restrict__ out) {
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int g = lane / 4, q = lane % 4 * 2;
  const int row0 = warp / 4 * 64, column0 = warp % 4 * 64;
  uint32_t part_a[kTilesM][4], part_b[kTilesN][2];
#pragma unroll
  for (int i = 0; i < kTilesM; ++i) {
    const int row = row0 + 16 * i + g;
    part_a[i][0] = pair(a, row, q);
    part_a[i][1] = pair(a, row + 8, q);
    part_a[i][2] = pair(a, row, q + 8);
    part_a[i][3] = pair(a, row + 8, q + 8);
  }
#pragma unroll
  for (int j = 0; j < kTilesN; ++j) {
    part_b[j][0] = pair(b, column0 + 8 * j + g, q);
    part_b[j][1] = pair(b, column0 + 8 * j + g, q + 8);
  }

  float d[kTilesM][kTilesN][4] = {};
  for (int repeat = 0; repeat < kTensorDepth / kK; ++repeat) {
#pragma unroll
    for (int i = 0; i < kTilesM; ++i)
#pragma unroll
      for (int j = 0; j < kTilesN; ++j) mma_m16n8k16_bf16(d[i][j], part_a[i], part_b[j]);
  }

  __shared__ float sums[kTensorM][4];  // a row's sum from each of the four warps that share it
#pragma unroll
  for (int i = 0; i < kTilesM; ++i) {
    float upper = 0.0f, lower = 0.0f;  // rows g and g + 8
#pragma unroll
    for (int j = 0; j < kTilesN; ++j) {
      upper += d[i][j][0] + d[i][j][1];
      lower += d[i][j][2] + d[i][j][3];
    }
    for (int step = 1; step < 4; step *= 2) {
      upper += __shfl_xor_sync(0xffffffffu, upper, step);
      lower += __shfl_xor_sync(0xffffffffu, lower, step);
    }
    if (lane % 4 == 0) {
      sums[row0 + 16 * i + g][warp % 4] = upper;
      sums[row0 + 16 * i + g + 8][warp % 4] = lower;
    }
  }
  __syncthreads();
  const int row = static_cast<int>(threadIdx.x);
  if (row < kTensorM)
    out[int64_t{blockIdx.x} * kTensorM + row] =
        sums[row][0] + sums[row][1] + sums[row][2] + sums[row][3];
}

ridge::Status launch(const ridge::Launch& launch) {
  probe_tensor_mma_kernel<<<static_cast<unsigned>(launch.shape.dim[kUnits]), kThreads, 0,
                            static_cast<cudaStream_t>(launch.stream)>>>(
      static_cast<const uint16_t*>(launch.buffers[0]),
      static_cast<const uint16_t*>(launch.buffers[1]), static_cast<float*>(launch.buffers[2]));
  return RIDGE_CUDA_LAUNCHED(probe_tensor_mma_kernel);
}

}  // namespace

RIDGE_KERNEL(probe, cuda, tensor_mma, .launch = launch);
