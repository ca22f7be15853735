// ridge: arch=75
#include "kernels/runtime/cuda/tensor_gemm.h"

#include "common/core/ceil_div.h"
#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/cuda/padding.h"

namespace ridge {

Status prepare_tensor_gemm(const void* kernel, size_t shared_bytes, const Shape& shape, Plan* plan) {
  RIDGE_CUDA_CHECK(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)));
  return prepare_padding(shape, plan);
}

Status describe_gemm(const Launch& launch, CUtensorMapDataType type, CUtensorMapDataType out, int out_bytes, int box_m,
                     int box_n, TensorGemm* g) {
  AlignedOperands in;
  if (const Status status = align_operands(launch, &in); !status.ok()) return status;
  const int64_t m = launch.shape.dim[kGemmM], n = launch.shape.dim[kGemmN], k = launch.shape.dim[kGemmK];
  const auto bytes = static_cast<int>(dtype_size(launch.shape.dtype));
  const int slice = device::kSliceBytes / bytes, c_columns = device::kSliceBytes / out_bytes;

  device::TensorMap2d map = {type, in.a, m, k, in.lda * bytes, box_m, slice, CU_TENSOR_MAP_SWIZZLE_128B};
  if (const Status status = device::encode_tensor_map(map, &g->a); !status.ok()) return status;

  const bool transposed = gemm_b_is_transposed(launch.shape.dtype);
  map.data = in.b;
  map.rows = transposed ? n : k;
  map.columns = transposed ? k : n;
  map.row_bytes = in.ldb * bytes;
  map.box_rows = transposed ? box_n : slice;
  if (const Status status = device::encode_tensor_map(map, &g->b); !status.ok()) return status;

  g->c_data = launch.buffers[kGemmC];
  g->m = static_cast<int>(m);
  g->n = static_cast<int>(n);
  g->k = static_cast<int>(k);
  g->c_rows_aligned = n * out_bytes % 16 == 0;
  if (!g->c_rows_aligned) return {};
  map = {out, g->c_data, m, n, n * out_bytes, 64, c_columns, CU_TENSOR_MAP_SWIZZLE_128B};
  return device::encode_tensor_map(map, &g->c);
}

Status launch_tensor_gemm(const void* kernel, const TensorGrid& grid, const Launch& launch, TensorGemm* g) {
  const int tiles = ceil_div(g->m, grid.cluster * grid.tile_m) * ceil_div(g->n, grid.tile_n);
  const int clusters = grid.persistent ? min(tiles, sm_count() / grid.cluster) : tiles;
  cudaLaunchAttribute overlap = {};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = static_cast<unsigned>(clusters * grid.cluster);
  config.blockDim = static_cast<unsigned>(grid.threads);
  config.dynamicSmemBytes = grid.shared_bytes;
  config.stream = static_cast<cudaStream_t>(launch.stream);
  config.attrs = &overlap;
  config.numAttrs = grid.overlapped ? 1 : 0;
  void* arguments[] = {g};
  RIDGE_CUDA_CHECK(cudaLaunchKernelExC(&config, kernel, arguments));
  return {};
}

}  // namespace ridge
