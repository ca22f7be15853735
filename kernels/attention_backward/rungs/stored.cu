// ridge: arch=75
//
// Idea      The formulas in four products that are stored, one after the other: P, dS, and with them dV, dK and dQ.
//           Each is a tiled product, 64 x 64, from shared memory; D comes first, a warp a row.
// Changed   Nothing yet: this is what a framework did before there were fused kernels, on the CUDA cores.
// Limits    P and dS: sequence x sequence numbers of 4 bytes for each head, twice; and the products on the CUDA
//           cores.
// Look at   dK = dSt Q: the heads that share keys lie below each other, so their sum is one longer product.
// Source    Dao et al., FlashAttention, arXiv:2205.14135, appendix B.2.
#include "common/harness/kernel/cuda_check.h"
#include "kernels/attention_backward/backward.h"
#include "kernels/runtime/cuda/stored_scores.h"

namespace {

using namespace ridge;
using namespace ridge::device;

/// What prepare() made room for: P and dS of all heads, D.
struct Stored {
  float *p, *ds, *d;
};

/// The pointers that one head of queries reads; P and dS are n x n.
template <typename T>
__device__ const T* head_of(const void* data, int64_t head, const Attention& a) {
  return static_cast<const T*>(data) + head * a.sequence * a.d;
}

template <typename T>
__global__ void attention_backward_stored_rows_kernel(AttentionBackward b, float* d) {
  const int64_t row = static_cast<int64_t>(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= b.a.heads * b.a.sequence) return;
  const T *o = static_cast<const T*>(b.a.o) + row * b.a.d,
          *d_o = static_cast<const T*>(b.d_o) + row * b.a.d;
  float sum = 0;
  for (int64_t c = threadIdx.x % 32; c < b.a.d; c += 32)
    sum = fmaf(float(o[c]), float(d_o[c]), sum);
  for (int other = 16; other > 0; other /= 2) sum += __shfl_xor_sync(~0u, sum, other);
  if (threadIdx.x % 32 == 0) d[row] = sum;
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    attention_backward_stored_weights_kernel(AttentionBackward b, Stored to) {
  const int64_t head = blockIdx.z, kv = head / b.a.group;
  const int n = static_cast<int>(b.a.sequence), d = static_cast<int>(b.a.d);
  float* p = to.p + head * n * n;
  tile_product<false, true>(head_of<T>(b.a.q, head, b.a), d, head_of<T>(b.a.k, kv, b.a), d, n, n, d,
                            [&](int row, int column, float sum) {
                              const bool seen = !b.a.causal || column <= row;
                              p[static_cast<int64_t>(row) * n + column] =
                                  seen ? expf(sum * b.a.scale - b.l[head * n + row]) : 0;
                            });
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    attention_backward_stored_scores_kernel(AttentionBackward b, Stored to) {
  const int64_t head = blockIdx.z, kv = head / b.a.group;
  const int n = static_cast<int>(b.a.sequence), d = static_cast<int>(b.a.d);
  tile_product<false, true>(head_of<T>(b.d_o, head, b.a), d, head_of<T>(b.a.v, kv, b.a), d, n, n, d,
                            [&](int row, int column, float sum) {
                              const int64_t at = (head * n + row) * n + column;
                              to.ds[at] = to.p[at] * (sum - to.d[head * n + row]) * b.a.scale;
                            });
}

/// Of a head of keys: to = Pt from, or dSt from; the group's queries one below the other.
template <typename T>
__global__ void __launch_bounds__(kThreads)
    attention_backward_stored_keys_kernel(Attention a, const float* weights, const void* from,
                                          void* to) {
  const int64_t kv = blockIdx.z, head = kv * a.group;
  const int n = static_cast<int>(a.sequence), d = static_cast<int>(a.d);
  T* out = static_cast<T*>(to) + kv * n * d;
  tile_product<true, false>(weights + head * n * n, n, head_of<T>(from, head, a), d, n, d,
                            n * static_cast<int>(a.group), [&](int row, int column, float sum) {
                              out[static_cast<int64_t>(row) * d + column] = T(sum);
                            });
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    attention_backward_stored_queries_kernel(AttentionBackward b, const float* ds) {
  const int64_t head = blockIdx.z;
  const int n = static_cast<int>(b.a.sequence), d = static_cast<int>(b.a.d);
  T* out = static_cast<T*>(b.dq) + head * n * d;
  tile_product<false, false>(ds + head * n * n, n, head_of<T>(b.a.k, head / b.a.group, b.a), d, n,
                             d, n, [&](int row, int column, float sum) {
                               out[static_cast<int64_t>(row) * d + column] = T(sum);
                             });
}

Status prepare(const Shape& shape, Plan* plan) {
  const double rows = double(shape.dim[kAttentionBatch] * shape.dim[kAttentionHeads] *
                             shape.dim[kAttentionSequence]);
  return allocate_scores(
      2 * attention_scores_bytes(shape, sizeof(float)) + rows * double(sizeof(float)), plan);
}

Status launch(const Launch& launch) {
  return with_element<float, Bfloat, Half>(launch.shape.dtype, [&]<typename T>(T) -> Status {
    const AttentionBackward b = backward_of(launch);
    const int64_t n = b.a.sequence, rows = b.a.heads * n;
    auto* p = static_cast<float*>(launch.plan_state);
    const Stored to = {p, p + rows * n, p + 2 * rows * n};
    const auto stream = static_cast<cudaStream_t>(launch.stream);
    const auto heads = static_cast<unsigned>(b.a.heads),
               heads_kv = static_cast<unsigned>(b.a.heads / b.a.group);
    const dim3 square(tiles(n), tiles(n), heads);
    attention_backward_stored_rows_kernel<T>
        <<<static_cast<unsigned>((rows + 7) / 8), 256, 0, stream>>>(b, to.d);
    attention_backward_stored_weights_kernel<T><<<square, kThreads, 0, stream>>>(b, to);
    attention_backward_stored_scores_kernel<T><<<square, kThreads, 0, stream>>>(b, to);
    const dim3 of_keys(tiles(b.a.d), tiles(n), heads_kv);
    attention_backward_stored_keys_kernel<T>
        <<<of_keys, kThreads, 0, stream>>>(b.a, to.p, b.d_o, b.dv);
    attention_backward_stored_keys_kernel<T>
        <<<of_keys, kThreads, 0, stream>>>(b.a, to.ds, b.a.q, b.dk);
    attention_backward_stored_queries_kernel<T>
        <<<dim3(tiles(b.a.d), tiles(n), heads), kThreads, 0, stream>>>(b, to.ds);
    return RIDGE_CUDA_LAUNCHED(attention_backward_stored_queries_kernel);
  });
}

}  // namespace

RIDGE_KERNEL(attention_backward, cuda, stored, .dtypes = "fp32 bf16 fp16", .prepare = prepare,
             .launch = launch);
