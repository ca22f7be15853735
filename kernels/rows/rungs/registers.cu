// ridge: arch=75
//
// Idea      The row is read once, 16 bytes a load, and stays in registers: 32 elements of bf16 a thread. A
//           warp takes a short row, a block a long one. All of a thread's loads are under way at once.
// Changed   No shared memory but for the block's sums; an eighth of the loads and stores.
// Limits    Memory. Blocks that stay and let the copy engine fetch rows ahead (cp.async.bulk, evict-first)
//           were tried on an H200 at n = 8192, bf16: 0.87 of the copy in softmax, where this reached the copy.
//           Eight blocks an SM keep memory busy already, and hide each other's sums better than a few do.
// Look at   Its share of "DRAM copy", op by op: softmax's exponentials should not show.
// Source    Little's law; NVIDIA Apex's and OneFlow's softmax keep rows in registers as well.
#include "common/harness/kernel/cuda_check.h"
#include "kernels/rows/rungs/row_op.h"
#include "kernels/rows/rungs/row_passes.h"

namespace {

using namespace ridge;
using namespace ridge::device;

constexpr int kVectors = 4;  // a thread: 64 bytes under way, 128 KiB an SM

template <class T>
constexpr int kVector = 16 / sizeof(T);

__device__ void unpack(const uint4& v, float (&out)[4]) {
  out[0] = __uint_as_float(v.x), out[1] = __uint_as_float(v.y);
  out[2] = __uint_as_float(v.z), out[3] = __uint_as_float(v.w);
}
/// A bf16 number is the upper half of an fp32 one.
__device__ void unpack(const uint4& v, float (&out)[8]) {
  const uint32_t words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    out[2 * i] = __uint_as_float(words[i] << 16);
    out[2 * i + 1] = __uint_as_float(words[i] & 0xffff0000u);
  }
}
__device__ uint4 pack(const float (&v)[4]) {
  return {__float_as_uint(v[0]), __float_as_uint(v[1]), __float_as_uint(v[2]), __float_as_uint(v[3])};
}
__device__ uint4 pack(const float (&v)[8]) {
  uint32_t words[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    words[i] = pack_pair(Bfloat{}, v[2 * i], v[2 * i + 1]);
  }
  return {words[0], words[1], words[2], words[3]};
}

/// A vector of results; `at` is its place in the row, in vectors.
template <RowOp op, class T>
__device__ uint4 finish_vector(const float (&x)[kVector<T>], const Statistics& s, const T* __restrict__ weight,
                               const T* __restrict__ bias, int64_t at) {
  float w[kVector<T>] = {}, b[kVector<T>] = {}, y[kVector<T>];
  if constexpr (kWeighted<op>) unpack(__ldg(reinterpret_cast<const uint4*>(weight) + at), w);
  if constexpr (op == RowOp::layernorm) unpack(__ldg(reinterpret_cast<const uint4*>(bias) + at), b);
#pragma unroll
  for (int i = 0; i < kVector<T>; ++i) y[i] = finish<op>(x[i], s, w[i], b[i]);
  return pack(y);
}

/// A row by a team of threads: kVectors vectors each, `team` apart, so that neighbours have neighbouring vectors.
template <class T, RowOp op, class Reduce>
__device__ void row_in_registers(const RowsOf<T>& r, int64_t row, int first, int team, Reduce reduce) {
  const int vectors = static_cast<int>(r.n) / kVector<T>;
  const auto* x = reinterpret_cast<const uint4*>(r.x + row * r.n);
  auto* y = reinterpret_cast<uint4*>(r.y + row * r.n);
  uint4 raw[kVectors];  // all loads are under way before the first is unpacked
  float v[kVectors][kVector<T>];
#pragma unroll
  for (int i = 0; i < kVectors; ++i)
    if (first + i * team < vectors) raw[i] = x[first + i * team];
#pragma unroll
  for (int i = 0; i < kVectors; ++i)
    if (first + i * team < vectors) unpack(raw[i], v[i]);
  const Statistics s = statistics<op>(
      [&](auto f) {
#pragma unroll
        for (int i = 0; i < kVectors; ++i) {
          if (first + i * team >= vectors) continue;
#pragma unroll
          for (int j = 0; j < kVector<T>; ++j) f(v[i][j]);
        }
      },
      reduce, static_cast<float>(r.n));
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const int at = first + i * team;
    if (at < vectors) y[at] = finish_vector<op, T>(v[i], s, r.weight, r.bias, at);
  }
}

template <class T, RowOp op>
__global__ void __launch_bounds__(256) rows_warp_kernel(RowsOf<T> r) {
  const int64_t row = int64_t{blockIdx.x} * blockDim.y + threadIdx.y;
  if (row >= r.m) return;
  row_in_registers<T, op>(r, row, static_cast<int>(threadIdx.x), 32, WarpReduce());
}

template <class T, RowOp op, int kThreads>
__global__ void __launch_bounds__(kThreads) rows_block_kernel(RowsOf<T> r) {
  __shared__ float slots[2][32];
  row_in_registers<T, op>(r, blockIdx.x, static_cast<int>(threadIdx.x), kThreads, BlockReduce{slots});
}

template <class T, RowOp op>
Status launch_as(const Launch& launch) {
  const RowsOf<T> r = typed_rows<T>(launch);
  const auto stream = static_cast<cudaStream_t>(launch.stream);
  const auto rows = static_cast<unsigned>(r.m);
  const int64_t threads = (r.n / kVector<T> + kVectors - 1) / kVectors;
  if (r.n % kVector<T> != 0 || threads > 1024) return launch_passes<T, op>(launch);
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
  return with_row_op(launch,
                     [&](auto op, auto element) { return launch_as<decltype(element), decltype(op)::value>(launch); });
}

}  // namespace

RIDGE_KERNEL(rows, cuda, registers, .dtypes = "bf16 fp32", .launch = launch);
