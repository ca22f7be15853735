// ridge: arch=75
// Ceiling: fp32 fused multiply-adds.
//
// Idea        Eight chains a thread, all in registers: an FMA takes four clocks and an SM issues four
//             warps' worth a clock, so eight independent chains over many warps leave no slot empty.
//             No memory is touched between the first load and the last store.
// Look at     The clock of the samples: power may hold it under the one the datasheet counts with.
// Source      NVIDIA CUDA C++ Programming Guide, "Arithmetic Instructions" (throughput table).
#include "common/harness/kernel/cuda_check.h"
#include "kernels/probe/probe_cuda.h"

namespace {

using namespace ridge::probe;

__global__ void probe_ffma_kernel(const float* __restrict__ a, const float* __restrict__ b,
                                  const float* __restrict__ c, float* __restrict__ out,
                                  int64_t units) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= units) return;
  const float factor = a[i % kFfmaInputs], addend = b[i % kFfmaInputs];
  float chain[kFfmaChains];
#pragma unroll
  for (int j = 0; j < kFfmaChains; ++j) chain[j] = c[(i + j) % kFfmaInputs];
#pragma unroll 16
  for (int step = 0; step < kFfmaSteps; ++step) {
#pragma unroll
    for (int j = 0; j < kFfmaChains; ++j) chain[j] = fmaf(chain[j], factor, addend);
  }
  float sum = 0.0f;
#pragma unroll
  for (int j = 0; j < kFfmaChains; ++j) sum += chain[j];
  out[i] = sum;
}

ridge::Status launch(const ridge::Launch& launch) {
  const int64_t units = launch.shape.dim[kUnits];
  constexpr int kThreads = 256;
  probe_ffma_kernel<<<static_cast<unsigned>((units + kThreads - 1) / kThreads), kThreads, 0,
                      static_cast<cudaStream_t>(launch.stream)>>>(
      static_cast<const float*>(launch.buffers[0]), static_cast<const float*>(launch.buffers[1]),
      static_cast<const float*>(launch.buffers[2]), static_cast<float*>(launch.buffers[3]), units);
  return RIDGE_CUDA_LAUNCHED(probe_ffma_kernel);
}

}  // namespace

RIDGE_KERNEL(probe, cuda, ffma, .launch = launch);
