// ridge: arch=80
// Ceiling: the tensor cores, in each of their types, through mma.sync, the instruction of Ampere and
// Ada. On Hopper it reaches about 60 % of what wgmma does, so there it is a rung's roof and not the
// machine's.
//
// Idea        Eight warps hold 64 x 64 of the product each in registers, and all operands too (K is
//             32 bytes: one instruction deep), so that 32 independent products a step need no loads.
// Look at     The gap to tensor_wgmma on one machine: what keeping an old instruction costs.
// Source      PTX ISA, "mma.m16n8k16" (fragment layouts).
#include "common/harness/kernel/cuda_check.h"
#include "kernels/probe/probe_cuda.h"
#include "kernels/runtime/cuda/tensor_element.h"

namespace {

using namespace ridge::probe;
using namespace ridge::device;

constexpr int kThreads = 256;
constexpr int kTilesM = 4, kTilesN = 8;  // of 16 x 8, a warp: 64 x 64
constexpr int kRowWords = kTensorRowMma / 4;

/// In 32-bit words all types lie alike: A's row g (+8) and B's column g hold words q and q + 4.
#define RIDGE_MMA(element, shape, types, c)                                                                      \
  __device__ void multiply(element, element::Accumulator(&d)[4], const uint32_t(&a)[4], const uint32_t(&b)[2]) { \
    asm volatile("mma.sync.aligned." shape ".row.col." types                                                     \
                 " {%0, %1, %2, %3}, "                                                                           \
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                                                 \
                 : c(d[0]), c(d[1]), c(d[2]), c(d[3])                                                            \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));                            \
  }
RIDGE_MMA(Bf16, "m16n8k16", "f32.bf16.bf16.f32", "+f")
RIDGE_MMA(Fp16, "m16n8k16", "f32.f16.f16.f32", "+f")
RIDGE_MMA(Tf32, "m16n8k8", "f32.tf32.tf32.f32", "+f")
RIDGE_MMA(Int8, "m16n8k32", "s32.s8.s8.s32", "+r")
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 890
RIDGE_MMA(Fp8, "m16n8k32", "f32.e4m3.e4m3.f32", "+f")
#else
__device__ void multiply(Fp8, float (&)[4], const uint32_t (&)[4], const uint32_t (&)[2]) {}
#endif

template <typename Element>
__global__ void __launch_bounds__(kThreads, 1)
    probe_tensor_mma_kernel(const uint32_t* __restrict__ a, const uint32_t* __restrict__ b,
                            float* __restrict__ out) {
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int g = lane / 4, q = lane % 4;
  const int row0 = warp / 4 * 64, column0 = warp % 4 * 64;
  uint32_t part_a[kTilesM][4], part_b[kTilesN][2];
#pragma unroll
  for (int i = 0; i < kTilesM; ++i) {
    const uint32_t *upper = a + (row0 + 16 * i + g) * kRowWords, *lower = upper + 8 * kRowWords;
    part_a[i][0] = upper[q];
    part_a[i][1] = lower[q];
    part_a[i][2] = upper[q + 4];
    part_a[i][3] = lower[q + 4];
  }
#pragma unroll
  for (int j = 0; j < kTilesN; ++j) {
    const uint32_t* column = b + (column0 + 8 * j + g) * kRowWords;
    part_b[j][0] = column[q];
    part_b[j][1] = column[q + 4];
  }

  typename Element::Accumulator d[kTilesM][kTilesN][4] = {};
  for (int repeat = 0; repeat < kTensorDepthBytes / kTensorRowMma; ++repeat) {
#pragma unroll
    for (int i = 0; i < kTilesM; ++i)
#pragma unroll
      for (int j = 0; j < kTilesN; ++j) multiply(Element{}, d[i][j], part_a[i], part_b[j]);
  }

  __shared__ float acc[kTensorM][4];  // a row's sum from each of the four warps that share it
#pragma unroll
  for (int i = 0; i < kTilesM; ++i) {
    float upper = 0.0f, lower = 0.0f;  // rows g and g + 8
#pragma unroll
    for (int j = 0; j < kTilesN; ++j) {
      upper += static_cast<float>(d[i][j][0] + d[i][j][1]);
      lower += static_cast<float>(d[i][j][2] + d[i][j][3]);
    }
    for (int step = 1; step < 4; step *= 2) {
      upper += __shfl_xor_sync(0xffffffffu, upper, step);
      lower += __shfl_xor_sync(0xffffffffu, lower, step);
    }
    if (lane % 4 == 0) {
      acc[row0 + 16 * i + g][warp % 4] = upper;
      acc[row0 + 16 * i + g + 8][warp % 4] = lower;
    }
  }
  __syncthreads();
  const int row = static_cast<int>(threadIdx.x);
  if (row < kTensorM) out[int64_t{blockIdx.x} * kTensorM + row] = acc[row][0] + acc[row][1] + acc[row][2] + acc[row][3];
}

template <typename Element>
ridge::Status run(const ridge::Launch& launch) {
  probe_tensor_mma_kernel<Element><<<static_cast<unsigned>(launch.shape.dim[kUnits]), kThreads, 0,
                                     static_cast<cudaStream_t>(launch.stream)>>>(
      static_cast<const uint32_t*>(launch.buffers[0]),
      static_cast<const uint32_t*>(launch.buffers[1]), static_cast<float*>(launch.buffers[2]));
  return RIDGE_CUDA_LAUNCHED(probe_tensor_mma_kernel);
}

ridge::Status launch(const ridge::Launch& launch) {
  int device = 0, major = 0, minor = 0;
  RIDGE_CUDA_CHECK(cudaGetDevice(&device));
  RIDGE_CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  RIDGE_CUDA_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
  if (launch.shape.dtype == ridge::DType::fp8 && major * 10 + minor < 89)
    return ridge::refuse("fp8 tensor cores come with sm_89");
  return with_tensor_element(launch.shape.dtype,
                             [&](auto element) { return run<decltype(element)>(launch); });
}

}  // namespace

RIDGE_KERNEL(probe, cuda, tensor_mma, .dtypes = "bf16 fp16 tf32 fp8 int8", .launch = launch);
