// A row by passes over memory: passes.cu, and what the later rungs do with rows that no registers hold, or
// that do not begin at 16 bytes.
#pragma once

#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/cuda/row_math.h"

namespace ridge {

constexpr int kPassThreads = 256;

template <class T, RowOp op>
__global__ void __launch_bounds__(kPassThreads) rows_passes_kernel(RowsOf<T> r) {
  __shared__ float slots[2][32];
  const T* x = r.x + int64_t{blockIdx.x} * r.n;
  T* y = r.y + int64_t{blockIdx.x} * r.n;
  device::BlockReduce reduce{slots};
  const device::Statistics s = device::statistics<op>(
      [&](auto f) {
        for (int64_t j = threadIdx.x; j < r.n; j += kPassThreads) f(float(x[j]));
      },
      reduce, static_cast<float>(r.n));
  for (int64_t j = threadIdx.x; j < r.n; j += kPassThreads) {
    const float w = device::kWeighted<op> ? float(r.weight[j]) : 0;
    const float b = op == RowOp::layernorm ? float(r.bias[j]) : 0;
    y[j] = T(device::finish<op>(float(x[j]), s, w, b));
  }
}

template <class T, RowOp op>
Status launch_passes(const Launch& launch) {
  const RowsOf<T> r = typed_rows<T>(launch);
  rows_passes_kernel<T, op>
      <<<static_cast<unsigned>(r.m), kPassThreads, 0, static_cast<cudaStream_t>(launch.stream)>>>(
          r);
  return RIDGE_CUDA_LAUNCHED(rows_passes_kernel);
}

}  // namespace ridge
