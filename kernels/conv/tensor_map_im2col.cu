// ridge: arch=90a
#include "kernels/conv/tensor_map_im2col.h"

#include <cudaTypedefs.h>

#include "common/harness/kernel/cuda_check.h"

namespace ridge::device {
namespace {

/// As pipeline.cu: libcuda is not linked.
PFN_cuTensorMapEncodeIm2col_v12000 find_encoder() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  const cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeIm2col", &function,
                                                             12000, cudaEnableDefault, &found);
  if (error != cudaSuccess) cudaGetLastError();
  const bool usable = error == cudaSuccess && found == cudaDriverEntryPointSuccess;
  return usable ? reinterpret_cast<PFN_cuTensorMapEncodeIm2col_v12000>(function) : nullptr;
}

}  // namespace

Status encode_tensor_map_im2col(const TensorMapIm2col& images, CUtensorMap* map) {
  static const PFN_cuTensorMapEncodeIm2col_v12000 encode = find_encoder();
  if (!encode) {
    return refuse("the driver has no cuTensorMapEncodeIm2col (it needs CUDA 12)");
  }
  const auto size = [](int64_t value) { return static_cast<cuuint64_t>(value); };
  const cuuint64_t sizes[4] = {size(images.c), size(images.w), size(images.h), size(images.n)};
  const cuuint64_t row = size(images.c) * 2;
  const cuuint64_t strides[3] = {row, row * sizes[1], row * sizes[1] * sizes[2]};
  // The upper left tap goes from -pad to the image's size + pad - (filter - 1), less one.
  const int lower[2] = {-images.pad, -images.pad};
  const int upper[2] = {images.pad - (images.s - 1), images.pad - (images.r - 1)};
  const auto stride = static_cast<cuuint32_t>(images.stride);
  const cuuint32_t steps[4] = {1, stride, stride, 1};
  const CUresult result =
      encode(map, images.type, 4, const_cast<void*>(images.data), sizes, strides, lower, upper, 64,
             static_cast<cuuint32_t>(images.pixels), steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
             CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result == CUDA_SUCCESS) return {};
  return {"the images break a rule of kernels/conv/tensor_map_im2col.h",
          "cuTensorMapEncodeIm2col", __FILE__, __LINE__, false};
}

}  // namespace ridge::device
