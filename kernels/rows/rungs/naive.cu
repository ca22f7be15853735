// ridge: arch=75
//
// Idea      The definition: a thread takes a row and goes over it, once for each sum and once for the result.
// Limits    Waiting for loads: 8192 rows give work to a thirtieth of the threads that an H200 holds. And
//           coalescing: at each step the 32 threads of a warp read 32 rows, that is 32 sectors for 2 or 4 bytes each.
// Look at   Its bandwidth, and m = 65536: more rows, more threads, the same waste.
// Source    The definitions.
#include "common/harness/kernel/cuda_check.h"
#include "kernels/rows/rungs/row_op.h"
#include "kernels/runtime/cuda/row_math.h"

namespace {

using namespace ridge;
using namespace ridge::device;

/// One thread has the whole row.
struct AloneReduce {
  template <class Op>
  __device__ float operator()(float v, Op) {
    return v;
  }
};

template <class T, RowOp op>
__global__ void rows_naive_kernel(RowsOf<T> r) {
  const int64_t row = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= r.m) return;
  const T* x = r.x + row * r.n;
  T* y = r.y + row * r.n;
  AloneReduce reduce;
  const Statistics s = statistics<op>(
      [&](auto f) {
        for (int64_t j = 0; j < r.n; ++j) f(float(x[j]));
      },
      reduce, static_cast<float>(r.n));
  for (int64_t j = 0; j < r.n; ++j)
    y[j] = T(finish<op>(float(x[j]), s, float(r.weight[j]), float(r.bias[j])));
}

Status launch(const Launch& launch) {
  return with_row_op(launch, [&](auto op, auto element) {
    using T = decltype(element);
    constexpr int kThreads = 64;
    const RowsOf<T> r = typed_rows<T>(launch);
    rows_naive_kernel<T, decltype(op)::value>
        <<<static_cast<unsigned>((r.m + kThreads - 1) / kThreads), kThreads, 0,
           static_cast<cudaStream_t>(launch.stream)>>>(r);
    return RIDGE_CUDA_LAUNCHED(rows_naive_kernel);
  });
}

}  // namespace

RIDGE_KERNEL(rows, cuda, naive, .dtypes = "bf16 fp32", .launch = launch);
