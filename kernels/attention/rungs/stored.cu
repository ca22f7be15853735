// ridge: arch=75
//
// Idea      The formula in three kernels: all scores S = Q Kt / sqrt(d), the softmax of each row, O = P V.
//           Each product is a tiled one, 64 x 64, from shared memory.
// Changed   Nothing yet: this is what a framework did before there were fused kernels.
// Limits    The products on the CUDA cores, with operands from shared memory. And the size of S: sequence x sequence
//           numbers of 4 bytes for each head. It is written, read three times and written twice by the softmax, and
//           read again.
// Look at   Memory against the sequence: twice the sequence, four times the memory. When it does not fit, the
//           rung says how much it would have taken.
// Source    Vaswani et al., arXiv:1706.03762; the tile is gemm.cuda.shared_tile's idea.
#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/cuda/stored_scores.h"

namespace {

using namespace ridge;
using namespace ridge::device;

template <typename T>
__global__ void attention_stored_scores_kernel(Attention a, float* s) {
  const int64_t head = blockIdx.z, size = a.sequence * a.d;
  const int n = static_cast<int>(a.sequence), d = static_cast<int>(a.d);
  float* to = s + head * a.sequence * a.sequence;
  tile_product<false, true>(static_cast<const T*>(a.q) + head * size, d,
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
  float row_max = -INFINITY, sum = 0;
  for (int j = lane; j < n; j += 32) row_max = fmaxf(row_max, p[j]);
  row_max = over_warp(row_max, [](float x, float y) { return fmaxf(x, y); });
  for (int j = lane; j < n; j += 32) sum += p[j] = expf(p[j] - row_max);
  sum = over_warp(sum, [](float x, float y) { return x + y; });
  for (int j = lane; j < n; j += 32) p[j] /= sum;
}

template <typename T>
__global__ void attention_stored_values_kernel(Attention a, const float* p) {
  const int64_t head = blockIdx.z, size = a.sequence * a.d;
  const int n = static_cast<int>(a.sequence), d = static_cast<int>(a.d);
  T* to = static_cast<T*>(a.o) + head * size;
  tile_product<false, false>(p + head * a.sequence * a.sequence, n,
                             static_cast<const T*>(a.v) + head / a.group * size, d, n, d, n,
                             [&](int row, int column, float sum) {
                               to[static_cast<int64_t>(row) * d + column] = T(sum);
                             });
}

Status launch(const Launch& launch) {
  return with_element<float, Bfloat, Half>(launch.shape.dtype, [&]<typename T>(T) -> Status {
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
