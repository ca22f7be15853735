// ridge: arch=75
// Ceiling: exponentials.
//
// Idea        Eight chains a thread of the special function unit's 2^x: the result before, with the other sign, is the
//             next argument, and the sign costs nothing. All results are added up, on another unit.
// Look at     16 a clock and SM, where the tensor cores of an H100 do 4,096 FLOP: head size 64 asks of them 256 FLOP for
//             an exponential, as many clocks of each.
// Source      NVIDIA CUDA C++ Programming Guide, "Arithmetic Instructions" (throughput table).
#include "common/harness/kernel/cuda_check.h"
#include "kernels/probe/probe_cuda.h"
#include "kernels/runtime/cuda/flash_softmax.h"

namespace {

using namespace ridge::probe;

__global__ void probe_exp_kernel(const float* __restrict__ x, float* __restrict__ out,
                                 int64_t units) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= units) return;
  float chain[kExpChains], sum[kExpChains] = {};
#pragma unroll
  for (int j = 0; j < kExpChains; ++j) chain[j] = x[(i + j) % kFfmaInputs];
#pragma unroll 8
  for (int step = 0; step < kExpSteps; ++step) {
#pragma unroll
    for (int j = 0; j < kExpChains; ++j) {
      chain[j] = ridge::device::fast_exp2(-chain[j]);
      sum[j] += chain[j];
    }
  }
  float all = 0;
#pragma unroll
  for (int j = 0; j < kExpChains; ++j) all += sum[j];
  out[i] = all;
}

ridge::Status launch(const ridge::Launch& launch) {
  const int64_t units = launch.shape.dim[kUnits];
  constexpr int kThreads = 256;
  probe_exp_kernel<<<static_cast<unsigned>((units + kThreads - 1) / kThreads), kThreads, 0,
                     static_cast<cudaStream_t>(launch.stream)>>>(
      static_cast<const float*>(launch.buffers[0]), static_cast<float*>(launch.buffers[1]), units);
  return RIDGE_CUDA_LAUNCHED(probe_exp_kernel);
}

}  // namespace

RIDGE_KERNEL(probe, cuda, exp, .launch = launch);
