// ridge: arch=75
//
// Idea      The formula in three kernels: all scores S = Q Kt / sqrt(d), the softmax of each row, O = P V.
//           Each product is a tiled one, 64 x 64, from shared memory.
// Changed   Nothing yet: this is what a framework did before there were fused kernels.
// Limits    S: sequence x sequence numbers of 4 bytes for each head, written, read, written and read again.
//           And the products on the CUDA cores.
// Look at   Memory against the sequence: twice the sequence, four times the memory. When it does not fit, the
//           rung says how much it would have taken.
// Source    Vaswani et al., arXiv:1706.03762; the tile is gemm.cuda.shared_tile's idea.
#include "kernels/attention/stored_scores.h"

namespace {

using namespace ridge;
using namespace ridge::device;

constexpr int kTile = 64, kDepth = 16, kThreads = 256, kPart = 4;

/// 64 x 64 elements of a * b for one head; b(k, j) = b[j * ldb + k] if `transposed`, else b[k * ldb + j].
/// f(row, column, sum) gets each of this thread's 16.
template <bool transposed, typename A, typename B, typename F>
__device__ void tile_product(const A* a, int lda, const B* b, int ldb, int m, int n, int depth,
                             F f) {
  __shared__ float as[kDepth][kTile + 1], bs[kDepth][kTile + 1];
  const int row0 = static_cast<int>(blockIdx.y) * kTile,
            column0 = static_cast<int>(blockIdx.x) * kTile;
  const int t = static_cast<int>(threadIdx.x), x = t % 16, y = t / 16;
  float sum[kPart][kPart] = {};
  for (int k0 = 0; k0 < depth; k0 += kDepth) {
    for (int i = t; i < kTile * kDepth; i += kThreads) {
      const int row = i / kDepth, k = i % kDepth;
      as[k][row] = row0 + row < m && k0 + k < depth
                       ? to_float(a[static_cast<int64_t>(row0 + row) * lda + k0 + k])
                       : 0;
      const int bk = transposed ? k : i / kTile, bj = transposed ? row : i % kTile;
      const int64_t from = transposed ? static_cast<int64_t>(column0 + bj) * ldb + k0 + bk
                                      : static_cast<int64_t>(k0 + bk) * ldb + column0 + bj;
      bs[bk][bj] = column0 + bj < n && k0 + bk < depth ? to_float(b[from]) : 0;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kDepth; ++k) {
#pragma unroll
      for (int i = 0; i < kPart; ++i) {
#pragma unroll
        for (int j = 0; j < kPart; ++j) {
          sum[i][j] = fmaf(as[k][y + 16 * i], bs[k][x + 16 * j], sum[i][j]);
        }
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < kPart; ++i) {
    for (int j = 0; j < kPart; ++j) {
      const int row = row0 + y + 16 * i, column = column0 + x + 16 * j;
      if (row < m && column < n) f(row, column, sum[i][j]);
    }
  }
}

template <typename T>
__global__ void attention_stored_scores_kernel(Attention a, float* s) {
  const int64_t head = blockIdx.z, size = a.sequence * a.d;
  const int n = static_cast<int>(a.sequence), d = static_cast<int>(a.d);
  float* to = s + head * a.sequence * a.sequence;
  tile_product<true>(static_cast<const T*>(a.q) + head * size, d,
                     static_cast<const T*>(a.k) + head / a.group * size, d, n, n, d,
                     [&](int row, int column, float sum) {
                       const bool seen = !a.causal || column <= row;
                       to[static_cast<int64_t>(row) * n + column] =
                           seen ? sum * a.scale : -INFINITY;
                     });
}

/// A warp a row, three times over it.
__global__ void attention_stored_softmax_kernel(float* s, int64_t rows, int n) {
  const int64_t row = static_cast<int64_t>(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= rows) return;
  float* p = s + row * n;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  float largest = -INFINITY, sum = 0;
  for (int j = lane; j < n; j += 32) largest = fmaxf(largest, p[j]);
  largest = over_warp(largest, [](float x, float y) { return fmaxf(x, y); });
  for (int j = lane; j < n; j += 32) sum += p[j] = expf(p[j] - largest);
  sum = over_warp(sum, [](float x, float y) { return x + y; });
  for (int j = lane; j < n; j += 32) p[j] /= sum;
}

template <typename T>
__global__ void attention_stored_values_kernel(Attention a, const float* p) {
  const int64_t head = blockIdx.z, size = a.sequence * a.d;
  const int n = static_cast<int>(a.sequence), d = static_cast<int>(a.d);
  T* to = static_cast<T*>(a.o) + head * size;
  tile_product<false>(p + head * a.sequence * a.sequence, n,
                      static_cast<const T*>(a.v) + head / a.group * size, d, n, d, n,
                      [&](int row, int column, float sum) {
                        to[static_cast<int64_t>(row) * d + column] = from_float<T>(sum);
                      });
}

unsigned tiles(int64_t size) {
  return static_cast<unsigned>((size + kTile - 1) / kTile);
}

Status launch(const Launch& launch) {
  return with_cuda_element(launch.shape.dtype, [&]<typename T>(T) -> Status {
    const Attention a = attention_of(launch);
    auto* s = static_cast<float*>(launch.plan_state);
    const auto stream = static_cast<cudaStream_t>(launch.stream);
    const auto heads = static_cast<unsigned>(a.heads);
    const int64_t rows = a.heads * a.sequence;
    attention_stored_scores_kernel<T>
        <<<dim3(tiles(a.sequence), tiles(a.sequence), heads), kThreads, 0, stream>>>(a, s);
    attention_stored_softmax_kernel<<<static_cast<unsigned>((rows + 7) / 8), 256, 0, stream>>>(
        s, rows, static_cast<int>(a.sequence));
    attention_stored_values_kernel<T>
        <<<dim3(tiles(a.d), tiles(a.sequence), heads), kThreads, 0, stream>>>(a, s);
    return RIDGE_CUDA_LAUNCHED(attention_stored_values_kernel);
  });
}

}  // namespace

RIDGE_KERNEL(attention, cuda, stored, .dtypes = "fp32 bf16 fp16", .prepare = prepare_scores,
             .launch = launch);
