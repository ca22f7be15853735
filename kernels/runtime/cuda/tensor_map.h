// Host side of TMA: describes a row-major matrix to the copy engine (kernels/runtime/cuda/tma.h).
#pragma once

#include <cuda.h>

#include "common/harness/kernel/kernel.h"

namespace ridge::device {

/// A row-major matrix, and the box that one load or store moves.
///
///   type         CU_TENSOR_MAP_DATA_TYPE_FLOAT32, _TFLOAT32, _BFLOAT16, _FLOAT16, _UINT8 (any 8-bit)
///   data         16-byte aligned device memory
///   row_bytes    distance between rows: a multiple of 16, below 2^40 (kernels/runtime/cuda/padding.h)
///   box_*        1 to 256 each; box_columns * element size a multiple of 16 bytes, and with a swizzle
///                of 32, 64 or 128 bytes at most that many
///
/// Swizzle 128 B: 16-byte chunk c of row r of a box (rows of 128 bytes) stands at chunk c xor (r mod 8).
struct TensorMap2d {
  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  const void* data = nullptr;
  int64_t rows = 0, columns = 0;
  int64_t row_bytes = 0;
  int box_rows = 0, box_columns = 0;
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
  /// More than 0: a stack of so many matrices, dense, for kernels/runtime/cuda/tma_3d.h; the box is one deep.
  int64_t matrices = 0;
};

/// Encodes it, on the host, without a device call: cheap enough (under a microsecond is the intent)
/// for every launch, where the buffers' addresses are first known. A map holds for these addresses.
Status encode_tensor_map(const TensorMap2d& matrix, CUtensorMap* map);

}  // namespace ridge::device
