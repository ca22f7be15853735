// ridge: arch=90a
//
// Idea      F(2 x 2, 3 x 3) in fp32 without a trip to memory between its parts: patches are transformed on their way
//           into shared memory, 16 small products follow, and the sums are transformed on their way out.
// Changed   Against implicit GEMM: 2.25 times fewer multiplications, each element of x fetched for 64 filters and four
//           times, not nine; and those who multiply do nothing else. Against the CPU's Winograd: nothing is stored.
// Limits    The issue of instructions. An SM issues four a clock, and every one that is no FFMA is lost: loads of
//           operands (5 %), the transforms (6 %), the sums' way out.
// Look at   TFLOP/s above what the CUDA cores do: counted are the direct convolution's. And the error.
// Accuracy  Row and column. Sums of pixels and sums of taps are rounded before they are multiplied: an error is
//           relative to the largest of both, channel by channel. The sums that make an output are of its own 3 x 3
//           pixels alone: y0 of a row needs d0 - d2, d1 + d2 and d2 - d1. Barabasz et al., ACM TOMS 2020,
//           arXiv:1803.10986; Higham, Accuracy and Stability of Numerical Algorithms, chapter 23.
// Source    D. Yan, W. Wang, X. Chu, Optimizing Batched Winograd Convolution on GPUs, PPoPP 2020 (the tile of 64
//           filters, 32 tiles and 8 channels); A. Lavin, S. Gray, arXiv:1509.09308.
#include <cstdio>
#include <new>

#include "common/core/ceil_div.h"
#include "common/harness/kernel/cuda_check.h"
#include "kernels/conv/rungs/winograd_fused.h"

namespace ridge {
namespace {

using namespace device;

struct State {
  float* u = nullptr;  ///< transformed filters, on the device
  bool direct = false;
};

bool fits(const Conv& v) {
  return v.r == 3 && v.s == 3 && v.stride == 1 && v.groups == 1;
}

bool is_aligned(const Conv& v) {
  return v.layout == kConvNchw && v.pad == 1 && v.w % 4 == 0;
}

auto* kernel_for(const Conv& v) {
  return is_aligned(v) ? conv_winograd_kernel<true> : conv_winograd_kernel<false>;
}

/// Filters are constant (conv.h): transformed once, untimed.
Status transform_filters(const Conv& v, const float* host, float* u) {
  const size_t bytes = static_cast<size_t>(v.m * v.c) * 9 * sizeof(float);
  const int steps = ceil_div(static_cast<int>(v.c), kWinoStep);
  float* f = nullptr;
  RIDGE_CUDA_CHECK(cudaMalloc(&f, bytes));
  cudaError_t error = cudaMemcpy(f, host, bytes, cudaMemcpyHostToDevice);
  if (error == cudaSuccess) {
    const dim3 blocks(static_cast<unsigned>(ceil_div(static_cast<int>(v.m), kWinoM)),
                      static_cast<unsigned>(steps * kWinoStep));
    conv_winograd_filters_kernel<<<blocks, kWinoM>>>(f, u, static_cast<int>(v.m),
                                                     static_cast<int>(v.c), steps);
    error = cudaGetLastError();  // a refused launch is not what waiting for the device reports
    if (error == cudaSuccess) error = cudaDeviceSynchronize();
  }
  cudaFree(f);
  return cuda_status(error, "conv_winograd_filters_kernel", __FILE__, __LINE__);
}

Status prepare(const Shape& shape, Plan* plan) {
  const Conv v = conv_shape(&shape);
  auto* state = new (std::nothrow) State;
  if (!state) return {"out of memory", "new State", __FILE__, __LINE__, false};
  plan->state = state;
  plan->release = [](void* made) {
    auto* state = static_cast<State*>(made);
    cudaFree(state->u);
    delete state;
  };
  state->direct = !fits(v);
  if (state->direct) {
    std::snprintf(plan->note, sizeof plan->note,
                  "one thread an output: F(2x2, 3x3) takes 3 x 3 filters at stride 1, no groups");
    return {};
  }
  const int64_t blocks = (v.m + kWinoM - 1) / kWinoM, steps = (v.c + kWinoStep - 1) / kWinoStep;
  plan->workspace_bytes = static_cast<size_t>(blocks * steps) * 16 * kWinoU * sizeof(float);
  RIDGE_CUDA_CHECK(cudaMalloc(&state->u, plan->workspace_bytes));
  RIDGE_CUDA_CHECK(cudaFuncSetAttribute(kernel_for(v), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        sizeof(WinogradShared)));
  const auto* constants = static_cast<const ConvConstants*>(shape.constants);
  return transform_filters(v, static_cast<const float*>(constants->f), state->u);
}

Status launch(const Launch& launch) {
  const auto& state = *static_cast<const State*>(launch.plan_state);
  if (state.direct) return conv_direct_cuda(launch);
  WinogradWork g = {};
  g.v = conv_of(&launch);
  const auto stream = static_cast<cudaStream_t>(g.v.stream);
  if (const Status cleared = conv_clear_padding(launch); !cleared.ok()) return cleared;
  g.u = state.u;
  g.across = ceil_div(static_cast<int>(g.v.q), 2);
  g.tiles_image = ceil_div(static_cast<int>(g.v.p), 2) * g.across;
  g.tiles = static_cast<int>(g.v.n) * g.tiles_image;
  g.blocks_m = ceil_div(static_cast<int>(g.v.m), kWinoM);
  g.count = ceil_div(g.tiles, kWinoTiles) * g.blocks_m;
  g.steps = ceil_div(static_cast<int>(g.v.c), kWinoStep);
  const int blocks = g.count < sm_count() ? g.count : sm_count();
  kernel_for(g.v)<<<static_cast<unsigned>(blocks), kWinoThreads, sizeof(WinogradShared), stream>>>(
      g);
  return RIDGE_CUDA_LAUNCHED(conv_winograd_kernel);
}

}  // namespace
}  // namespace ridge

RIDGE_KERNEL(conv, cuda, winograd, .dtypes = "fp32", .accuracy = ridge::Accuracy::row_column,
             .prepare = ridge::prepare, .launch = ridge::launch);
