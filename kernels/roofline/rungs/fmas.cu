// ridge: arch=75
//
// Idea      The rate is the lower of two roofs: what the units can compute, and what memory can feed them: bandwidth
//           times FLOP a byte. `fmas` sets the FLOP for each byte, and nothing else changes.
// Changed   The start of this part. Eight threads share a block, so a load of a warp is four whole lines of 128 bytes,
//           and a thread has 32 elements, which are 32 chains. While one warp waits for its elements, others compute.
// Limits    Few fmas: memory, and the time does not grow with them. Many: the units, and it grows in proportion.
// Look at   A sweep over `fmas` in the view Roofline: along the slope, round the corner, then along the level line.
// Source    Williams, Waterman, Patterson, Roofline, Communications of the ACM 2009.
#include "common/harness/kernel/cuda_check.h"
#include "kernels/roofline/roofline.h"

namespace {

using namespace ridge;

constexpr int kThreads = 256;
/// Threads that share a block of elements: a quarter of a warp.
constexpr int kQuarter = 8;
/// Of four elements, a thread.
constexpr int kLoads = kRoofBlock / kQuarter / 4;
constexpr int64_t kQuarters = kThreads / kQuarter;

__device__ float4 fma4(float a, float4 v, float b) {
  return {fmaf(a, v.x, b), fmaf(a, v.y, b), fmaf(a, v.z, b), fmaf(a, v.w, b)};
}
__device__ float4 add4(float4 a, float4 b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}
__device__ float4 from_lane(float4 v, int distance) {
  constexpr unsigned kAll = 0xffffffffu;
  return {__shfl_xor_sync(kAll, v.x, distance), __shfl_xor_sync(kAll, v.y, distance),
          __shfl_xor_sync(kAll, v.z, distance), __shfl_xor_sync(kAll, v.w, distance)};
}

/// Thread t of a quarter has elements 4 t + 32 i + 0 .. 3 of the block: all of sums 4 (t % 2) + 0 .. 3.
__global__ void __launch_bounds__(kThreads) roofline_fmas_kernel(Roofline r) {
  const int64_t block = blockIdx.x * kQuarters + threadIdx.x / kQuarter;
  const int t = static_cast<int>(threadIdx.x) % kQuarter;
  const float a = r.ab[0], b = r.ab[1];
  // A quarter past the end computes the last block too, for the shuffles, and stores nothing.
  const int64_t mine = block < r.blocks ? block : r.blocks - 1;
  const float4* x = reinterpret_cast<const float4*>(r.x + mine * kRoofBlock);
  float4 v[kLoads];
#pragma unroll
  for (int i = 0; i < kLoads; ++i) v[i] = x[i * kQuarter + t];
  const int fmas = static_cast<int>(r.fmas);
#pragma unroll 4
  for (int step = 0; step < fmas; ++step) {
#pragma unroll
    for (int i = 0; i < kLoads; ++i) v[i] = fma4(a, v[i], b);
  }
#pragma unroll
  for (int half = kLoads / 2; half > 0; half /= 2) {
#pragma unroll
    for (int i = 0; i < half; ++i) v[i] = add4(v[i], v[i + half]);
  }
  v[0] = add4(v[0], from_lane(v[0], 2));
  v[0] = add4(v[0], from_lane(v[0], 4));
  if (t < kRoofSums / 4 && block < r.blocks)
    reinterpret_cast<float4*>(r.out + block * kRoofSums)[t] = v[0];
}

Status launch(const Launch& launch) {
  const Roofline r = roofline_of(launch);
  const int64_t groups = (r.blocks + kQuarters - 1) / kQuarters;
  roofline_fmas_kernel<<<static_cast<unsigned>(groups), kThreads, 0,
                         static_cast<cudaStream_t>(launch.stream)>>>(r);
  return RIDGE_CUDA_LAUNCHED(roofline_fmas_kernel);
}

}  // namespace

RIDGE_KERNEL(roofline, cuda, fmas, .launch = launch);
