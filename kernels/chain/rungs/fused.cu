// ridge: arch=75
//
// Idea      One kernel, a block a row: the row is read once, stays in registers through all steps of all
//           layers, and is written once.
// Changed   No step waits for the others' rows, and nothing between two steps goes through memory.
// Limits    Small: one launch or the kernel, whichever takes longer. Large: the copy ceiling.
// Look at   height = 32: us a call beside "kernel launch". height = 8192, width = 4096: bytes. It beats the
//           graph in the one case by launches, in the other by traffic.
// Source    Operator fusion as XLA, TorchInductor and Triton do it.
#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/cuda/row_math.h"

namespace {

using namespace ridge;
using namespace ridge::device;

constexpr int kThreads = 256;

/// A layer on what a thread has of a row. each(f): f(element, its place in the row).
template <class Each>
__device__ void fused_layer(const RowsOf<float>& r, BlockReduce& reduce, const Each& each) {
  const auto n = static_cast<float>(r.n);
  float sum = 0;
  each([&](float& v, int64_t j) { sum += v += r.bias[j]; });
  const float mean = reduce(sum, Plus()) / n;
  sum = 0;
  each([&](float& v, int64_t) { sum = fmaf(v - mean, v - mean, sum); });
  const float scale = rsqrtf(reduce(sum, Plus()) / n + kRowEpsilon);
  each([&](float& v, int64_t j) { v = gelu_of((v - mean) * scale * r.weight[j]); });
}

/// kVectors of four elements a thread; bias and weight are loaded by fours as well, being neighbours.
template <int kVectors>
__global__ void __launch_bounds__(kThreads) chain_fused_kernel(RowsOf<float> r, int64_t layers) {
  __shared__ float slots[2][32];
  const auto* x = reinterpret_cast<const float4*>(r.x + int64_t{blockIdx.x} * r.n);
  auto* y = reinterpret_cast<float4*>(r.y + int64_t{blockIdx.x} * r.n);
  const int vectors = static_cast<int>(r.n / 4), first = static_cast<int>(threadIdx.x);
  float4 v[kVectors];
  const auto each = [&](auto f) {
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
      const int at = first + i * kThreads;
      if (at >= vectors) continue;
      f(v[i].x, 4 * at), f(v[i].y, 4 * at + 1), f(v[i].z, 4 * at + 2), f(v[i].w, 4 * at + 3);
    }
  };
#pragma unroll
  for (int i = 0; i < kVectors; ++i)
    if (first + i * kThreads < vectors) v[i] = x[first + i * kThreads];
  BlockReduce reduce{slots};
  for (int64_t layer = 0; layer < layers; ++layer) fused_layer(r, reduce, each);
#pragma unroll
  for (int i = 0; i < kVectors; ++i)
    if (first + i * kThreads < vectors) y[first + i * kThreads] = v[i];
}

/// Rows that registers do not hold, or that do not begin at 16 bytes, stay in y: each thread reads back only what it wrote.
__global__ void __launch_bounds__(kThreads)
    chain_fused_long_kernel(RowsOf<float> r, int64_t layers) {
  __shared__ float slots[2][32];
  const float* x = r.x + int64_t{blockIdx.x} * r.n;
  float* y = r.y + int64_t{blockIdx.x} * r.n;
  for (int64_t j = threadIdx.x; j < r.n; j += kThreads) y[j] = x[j];
  BlockReduce reduce{slots};
  for (int64_t layer = 0; layer < layers; ++layer) {
    fused_layer(r, reduce, [&](auto f) {
      for (int64_t j = threadIdx.x; j < r.n; j += kThreads) f(y[j], j);
    });
  }
}

Status launch(const Launch& launch) {
  const RowsOf<float> r = typed_rows<float>(launch);
  const int64_t layers = launch.shape.dim[kRowsLayers],
                vectors = (r.n / 4 + kThreads - 1) / kThreads;
  const auto run = [&](auto kernel) {
    kernel<<<static_cast<unsigned>(r.m), kThreads, 0, static_cast<cudaStream_t>(launch.stream)>>>(
        r, layers);
    return RIDGE_CUDA_LAUNCHED(chain_fused_kernel);
  };
  if (r.n % 4 != 0 || vectors > 8) return run(chain_fused_long_kernel);
  if (vectors <= 1) return run(chain_fused_kernel<1>);
  if (vectors <= 4) return run(chain_fused_kernel<4>);
  return run(chain_fused_kernel<8>);
}

}  // namespace

RIDGE_KERNEL(chain, cuda, fused, .may_sync = true, .launch = launch);
