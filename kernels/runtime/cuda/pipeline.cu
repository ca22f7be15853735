// ridge: arch=75
#include "kernels/runtime/cuda/pipeline.h"

#include <cudaTypedefs.h>

#include "common/harness/kernel/cuda_check.h"

namespace ridge::device {
namespace {

/// cuTensorMapEncodeTiled of the driver that is loaded; null where there is none. libcuda is not
/// linked, so that the worker starts on a machine without it.
PFN_cuTensorMapEncodeTiled_v12000 find_encoder() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  const cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function,
                                                             12000, cudaEnableDefault, &found);
  if (error != cudaSuccess) cudaGetLastError();
  const bool usable = error == cudaSuccess && found == cudaDriverEntryPointSuccess;
  return usable ? reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(function) : nullptr;
}

}  // namespace

Status encode_tensor_map(const TensorMap2d& matrix, CUtensorMap* map) {
  static const PFN_cuTensorMapEncodeTiled_v12000 encode = find_encoder();
  if (!encode) {
    return refuse("the driver has no cuTensorMapEncodeTiled (it needs CUDA 12)");
  }
  const cuuint64_t sizes[3] = {static_cast<cuuint64_t>(matrix.columns),
                               static_cast<cuuint64_t>(matrix.rows),
                               static_cast<cuuint64_t>(matrix.matrices)};
  const cuuint64_t strides[2] = {static_cast<cuuint64_t>(matrix.row_bytes),
                                 static_cast<cuuint64_t>(matrix.row_bytes * matrix.rows)};
  const cuuint32_t box[3] = {static_cast<cuuint32_t>(matrix.box_columns),
                             static_cast<cuuint32_t>(matrix.box_rows), 1};
  const cuuint32_t steps[3] = {1, 1, 1};
  const cuuint32_t rank = matrix.matrices > 0 ? 3 : 2;
  const CUresult result =
      encode(map, matrix.type, rank, const_cast<void*>(matrix.data), sizes, strides, box, steps,
             CU_TENSOR_MAP_INTERLEAVE_NONE, matrix.swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result == CUDA_SUCCESS) return {};
  return {"the matrix or its box breaks a rule of kernels/runtime/cuda/pipeline.h",
          "cuTensorMapEncodeTiled", __FILE__, __LINE__, false};
}

}  // namespace ridge::device
