// ridge: arch=75
//
// Idea      One kernel: a block takes 64 queries and goes along the keys, 32 at a time. The scores of such a
//           piece live in shared memory, and each row keeps its maximum and its sum.
// Changed   S is not stored: memory is O(sequence) now, and nothing but Q, K, V and O crosses the bus.
// Limits    The CUDA cores: every multiply-add of the two products is one lane's, with its operands out of
//           shared memory.
// Look at   It may be slower than what it replaces, and still be the only one that runs: see memory.
// Source    Dao et al., FlashAttention, arXiv:2205.14135; Milakov and Gimelshein, arXiv:1805.02867.
#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/cuda/element.h"
#include "kernels/runtime/problems/attention.h"

namespace {

using namespace ridge;
using namespace ridge::device;

constexpr int kQueries = 64, kKeys = 32, kThreads = 256, kLanes = kThreads / kQueries;
constexpr int kMaxHead = 256;

/// A row of the block is worked on by 4 neighbouring threads: each takes every fourth key of a piece, and
/// every fourth element of the head.
template <typename T>
__global__ void __launch_bounds__(kThreads) attention_online_kernel(Attention a) {
  extern __shared__ float shared[];
  const int d = static_cast<int>(a.d), n = static_cast<int>(a.sequence), stride = d + 1;
  float *q = shared, *kv = q + kQueries * stride, *s = kv + kKeys * stride;
  const int64_t head = blockIdx.y, size = a.sequence * a.d;
  const T* qs = static_cast<const T*>(a.q) + head * size;
  const T* ks = static_cast<const T*>(a.k) + head / a.group * size;
  const T* vs = static_cast<const T*>(a.v) + head / a.group * size;
  const int first = static_cast<int>(blockIdx.x) * kQueries;
  const int row = static_cast<int>(threadIdx.x) / kLanes,
            lane = static_cast<int>(threadIdx.x) % kLanes;
  const auto load = [&](float* to, const T* from, int begin, int count) {
    for (int i = static_cast<int>(threadIdx.x); i < count * d; i += kThreads) {
      const int r = begin + i / d;
      to[i / d * stride + i % d] = r < n ? float(from[static_cast<int64_t>(r) * d + i % d]) : 0;
    }
  };
  load(q, qs, first, kQueries);
  float o[kMaxHead / kLanes] = {}, running_max = -INFINITY, sum = 0;
  const int seen = a.causal ? min(n, first + row + 1) : n;
  const int last = a.causal ? min(n, first + kQueries) : n;
  for (int key = 0; key < last; key += kKeys) {
    __syncthreads();  // everybody has read the values of the piece before
    load(kv, ks, key, kKeys);
    __syncthreads();
    float in_piece = running_max;
    for (int j = lane; j < kKeys; j += kLanes) {
      float score = 0;
      for (int c = 0; c < d; ++c) score = fmaf(q[row * stride + c], kv[j * stride + c], score);
      score = key + j < seen ? score * a.scale : -INFINITY;
      s[row * (kKeys + 1) + j] = score;
      in_piece = fmaxf(in_piece, score);
    }
    in_piece = fmaxf(in_piece, __shfl_xor_sync(~0u, in_piece, 1));
    in_piece = fmaxf(in_piece, __shfl_xor_sync(~0u, in_piece, 2));
    const float rescale = expf(running_max - in_piece);  // 0 for the first piece, which has a key for each row
    running_max = in_piece;
    sum *= rescale;
    for (int c = 0; c < kMaxHead / kLanes; ++c) o[c] *= rescale;
    __syncthreads();
    load(kv, vs, key, kKeys);
    __syncthreads();
    for (int j = 0; j < kKeys; ++j) {
      const float p = expf(s[row * (kKeys + 1) + j] - running_max);
      sum += p;
#pragma unroll
      for (int c = 0; c < kMaxHead / kLanes; ++c) {
        if (c * kLanes + lane < d) o[c] = fmaf(p, kv[j * stride + c * kLanes + lane], o[c]);
      }
    }
  }
  if (first + row >= n) return;
  T* to = static_cast<T*>(a.o) + head * size + static_cast<int64_t>(first + row) * d;
#pragma unroll
  for (int c = 0; c < kMaxHead / kLanes; ++c) {
    if (c * kLanes + lane < d) to[c * kLanes + lane] = T(o[c] / sum);
  }
}

size_t shared_bytes(int64_t d) {
  return static_cast<size_t>((kQueries + kKeys) * (d + 1) + kQueries * (kKeys + 1)) * sizeof(float);
}

Status prepare(const Shape& shape, Plan*) {
  return with_element<float, Bfloat, Half>(shape.dtype, [&]<typename T>(T) -> Status {
    RIDGE_CUDA_CHECK(cudaFuncSetAttribute(
        attention_online_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
        static_cast<int>(shared_bytes(shape.dim[kAttentionHeadSize]))));
    return {};
  });
}

Status launch(const Launch& launch) {
  return with_element<float, Bfloat, Half>(launch.shape.dtype, [&]<typename T>(T) -> Status {
    const Attention a = attention_of(launch);
    const dim3 blocks(static_cast<unsigned>((a.sequence + kQueries - 1) / kQueries),
                      static_cast<unsigned>(a.heads));
    attention_online_kernel<T>
        <<<blocks, kThreads, shared_bytes(a.d), static_cast<cudaStream_t>(launch.stream)>>>(a);
    return RIDGE_CUDA_LAUNCHED(attention_online_kernel);
  });
}

}  // namespace

RIDGE_KERNEL(attention, cuda, online, .dtypes = "fp32 bf16 fp16", .prepare = prepare,
             .launch = launch);
