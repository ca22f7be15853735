// ridge: arch=75
//
// Idea      The row is read from memory once, into shared memory; the passes go over it there.
// Changed   Where the second and third pass find the row, for certain and not by the cache's leave.
// Limits    Element by element still: a load, a store to shared memory and three loads from it for 2 or 4
//           bytes. No unit is full (H200, softmax, n = 8192, bf16): memory is busy for two thirds of the time, the
//           issue slots are used in three quarters.
// Look at   bf16 against fp32: half the bytes, the same number of instructions, and more than half of the time.
// Source    CUDA C++ Best Practices Guide, "Shared Memory".
#include "common/harness/kernel/cuda_check.h"
#include "kernels/rows/rungs/row_op.h"
#include "kernels/rows/rungs/row_passes.h"

namespace {

using namespace ridge;
using namespace ridge::device;

constexpr int kThreads = 256;
constexpr int64_t kMaxBytes = 48 << 10;  // what a block may have without asking for more

template <class T, RowOp op>
__global__ void __launch_bounds__(kThreads) rows_shared_kernel(RowsOf<T> r) {
  extern __shared__ __align__(16) unsigned char raw[];
  __shared__ float slots[2][32];
  T* row = reinterpret_cast<T*>(raw);
  const T* x = r.x + int64_t{blockIdx.x} * r.n;
  T* y = r.y + int64_t{blockIdx.x} * r.n;
  const int n = static_cast<int>(r.n), first = static_cast<int>(threadIdx.x);
  // Each thread reads back only what it wrote itself: no barrier.
  for (int j = first; j < n; j += kThreads) row[j] = x[j];
  BlockReduce reduce{slots};
  const Statistics s = statistics<op>(
      [&](auto f) {
        for (int j = first; j < n; j += kThreads) f(float(row[j]));
      },
      reduce, static_cast<float>(n));
  for (int j = first; j < n; j += kThreads) {
    const float w = kWeighted<op> ? float(r.weight[j]) : 0;
    const float b = op == RowOp::layernorm ? float(r.bias[j]) : 0;
    y[j] = T(finish<op>(float(row[j]), s, w, b));
  }
}

Status launch(const Launch& launch) {
  return with_row_op(launch, [&](auto op, auto element) {
    using T = decltype(element);
    const RowsOf<T> r = typed_rows<T>(launch);
    const int64_t bytes = r.n * int64_t{sizeof(T)};
    if (bytes > kMaxBytes) return launch_passes<T, decltype(op)::value>(launch);
    rows_shared_kernel<T, decltype(op)::value>
        <<<static_cast<unsigned>(r.m), kThreads, static_cast<size_t>(bytes),
           static_cast<cudaStream_t>(launch.stream)>>>(r);
    return RIDGE_CUDA_LAUNCHED(rows_shared_kernel);
  });
}

}  // namespace

RIDGE_KERNEL(rows, cuda, shared_row, .dtypes = "bf16 fp32", .launch = launch);
