// ridge: arch=75
//
// Idea      The row is read once, 16 bytes a load, and stays in registers: 32 elements of bf16 a thread. A
//           warp takes a short row, a block a long one. All of a thread's loads are under way at once.
// Changed   No shared memory but for the block's sums; an eighth of the loads and stores.
// Limits    Memory. Blocks that stay and let the copy engine fetch rows ahead (cp.async.bulk, evict-first)
//           were tried on an H200 at n = 8192, bf16: 0.87 of the copy in softmax, where this is at 1.00.
//           Eight blocks an SM keep memory busy already, and hide each other's sums better than a few do.
// Look at   Its share of "DRAM copy", op by op: softmax's exponentials should not show.
// Source    Little's law; NVIDIA Apex's and OneFlow's softmax keep rows in registers as well.
#include "kernels/rows/rungs/row_passes.h"
#include "kernels/runtime/cuda/register_row.h"

namespace {

using namespace ridge;
using namespace ridge::device;

constexpr int kVectors = 4;  // a thread: 64 bytes under way, 128 KiB an SM

template <class T, RowOp op>
__global__ void __launch_bounds__(256) rows_warp_kernel(RowsOf<T> r) {
  const int64_t row = int64_t{blockIdx.x} * blockDim.y + threadIdx.y;
  if (row >= r.m) return;
  const int vectors = static_cast<int>(r.n) / kVector<T>, lane = static_cast<int>(threadIdx.x);
  const uint4* x = reinterpret_cast<const uint4*>(r.x + row * r.n);
  uint4* y = reinterpret_cast<uint4*>(r.y + row * r.n);
  RegisterRow<T, op, kVectors> mine;
  WarpReduce reduce;
  mine.read(vectors, lane, 32, [&](int i) { return x[i]; });
  mine.compute(r, vectors, lane, 32, reduce, [&](int i, const uint4& v) { y[i] = v; });
}

template <class T, RowOp op, int kThreads>
__global__ void __launch_bounds__(kThreads) rows_block_kernel(RowsOf<T> r) {
  __shared__ float slots[2][32];
  const int vectors = static_cast<int>(r.n) / kVector<T>, first = static_cast<int>(threadIdx.x);
  const uint4* x = reinterpret_cast<const uint4*>(r.x + int64_t{blockIdx.x} * r.n);
  uint4* y = reinterpret_cast<uint4*>(r.y + int64_t{blockIdx.x} * r.n);
  RegisterRow<T, op, kVectors> mine;
  BlockReduce reduce{slots};
  mine.read(vectors, first, kThreads, [&](int i) { return x[i]; });
  mine.compute(r, vectors, first, kThreads, reduce, [&](int i, const uint4& v) { y[i] = v; });
}

template <class T, RowOp op>
Status launch_as(const Launch& launch) {
  const RowsOf<T> r = typed_rows<T>(launch);
  const auto stream = static_cast<cudaStream_t>(launch.stream);
  const auto rows = static_cast<unsigned>(r.m);
  const int64_t threads = (r.n / kVector<T> + kVectors - 1) / kVectors;
  if (!rows_are_aligned(r) || threads > 1024) return launch_passes<T, op>(launch);
  if (threads <= 32) {
    rows_warp_kernel<T, op><<<(rows + 7) / 8, dim3(32, 8), 0, stream>>>(r);
  } else if (threads <= 128) {
    rows_block_kernel<T, op, 128><<<rows, 128, 0, stream>>>(r);
  } else if (threads <= 256) {
    rows_block_kernel<T, op, 256><<<rows, 256, 0, stream>>>(r);
  } else if (threads <= 512) {
    rows_block_kernel<T, op, 512><<<rows, 512, 0, stream>>>(r);
  } else {
    rows_block_kernel<T, op, 1024><<<rows, 1024, 0, stream>>>(r);
  }
  return RIDGE_CUDA_LAUNCHED(rows_block_kernel);
}

Status launch(const Launch& launch) {
  return with_row_op(launch, [&](auto op, auto element) {
    return launch_as<decltype(element), decltype(op)::value>(launch);
  });
}

}  // namespace

RIDGE_KERNEL(rows, cuda, registers, .dtypes = "bf16 fp32", .launch = launch);
