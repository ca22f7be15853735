// ridge: arch=80
#include "kernels/gemm/tf32_split.h"

#include <cuda_runtime.h>

#include <new>

#include "common/harness/kernel/cuda_check.h"

namespace ridge {
namespace {

constexpr int kTile = 32, kRows = 8;  // of 32 threads, four elements each

__device__ float round_to_tf32(float x) {
  uint32_t bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
  return __uint_as_float(bits);
}

/// from: rows x columns. to: the same or its transpose in rows of `pitch`, the low part `behind`
/// elements behind the high one. A block takes 32 x 32 elements: reads and writes are whole lines.
template <bool transpose>
__global__ void __launch_bounds__(kTile* kRows)
    gemm_tf32_split_kernel(const float* __restrict__ from, float* __restrict__ to, int64_t rows,
                           int64_t columns, int64_t pitch, int64_t behind) {
  __shared__ float tile[kTile][kTile + 1];  // a column of it is in 32 banks
  const int64_t across = (columns + kTile - 1) / kTile;
  const int64_t row0 = blockIdx.x / across * kTile, column0 = blockIdx.x % across * kTile;
  const int x = static_cast<int>(threadIdx.x) % kTile, y = static_cast<int>(threadIdx.x) / kTile;
#pragma unroll
  for (int i = y; i < kTile; i += kRows) {
    if (row0 + i < rows && column0 + x < columns)
      tile[i][x] = from[(row0 + i) * columns + column0 + x];
  }
  if (transpose) __syncthreads();  // else a thread reads what it wrote itself
  const int64_t to_row0 = transpose ? column0 : row0, to_column = (transpose ? row0 : column0) + x;
  if (to_column >= (transpose ? rows : columns)) return;
#pragma unroll
  for (int i = y; i < kTile; i += kRows) {
    if (to_row0 + i >= (transpose ? columns : rows)) continue;
    const float value = transpose ? tile[x][i] : tile[i][x], high = round_to_tf32(value);
    float* place = to + (to_row0 + i) * pitch + to_column;
    place[0] = high;
    place[behind] = round_to_tf32(value - high);
  }
}

template <bool transpose>
Status split(const void* from, float* to, int64_t rows, int64_t columns, int64_t pitch,
             void* stream) {
  const int64_t blocks = (rows + kTile - 1) / kTile * ((columns + kTile - 1) / kTile);
  const int64_t behind = (transpose ? columns : rows) * pitch;
  gemm_tf32_split_kernel<transpose>
      <<<static_cast<unsigned>(blocks), kTile * kRows, 0, static_cast<cudaStream_t>(stream)>>>(
          static_cast<const float*>(from), to, rows, columns, pitch, behind);
  return RIDGE_CUDA_LAUNCHED(gemm_tf32_split_kernel);
}

void release(void* state) {
  auto* split = static_cast<SplitOperands*>(state);
  cudaFree(split->a);
  delete split;
}

}  // namespace

Status prepare_split(const Shape& shape, Plan* plan) {
  auto* state = new (std::nothrow) SplitOperands;
  if (!state) return {"out of memory", "new SplitOperands", __FILE__, __LINE__, false};
  const int64_t m = shape.dim[kGemmM], n = shape.dim[kGemmN];
  state->pitch = (shape.dim[kGemmK] + 3) / 4 * 4;
  *plan = {state, release, static_cast<size_t>(2 * (m + n) * state->pitch) * sizeof(float)};
  RIDGE_CUDA_CHECK(cudaMalloc(&state->a, plan->workspace_bytes));
  state->b = state->a + 2 * m * state->pitch;
  return {};
}

Status split_operands(const Launch& launch, const SplitOperands& to) {
  const int64_t m = launch.shape.dim[kGemmM], n = launch.shape.dim[kGemmN];
  const int64_t k = launch.shape.dim[kGemmK];
  const Status status = split<false>(launch.buffers[kGemmA], to.a, m, k, to.pitch, launch.stream);
  if (!status.ok()) return status;
  return split<true>(launch.buffers[kGemmB], to.b, k, n, to.pitch, launch.stream);
}

}  // namespace ridge
