// The element types of the tensor cores, as a kernel template's parameter: what the same code needs
// to know about bf16, fp16, tf32, fp8 and int8. The layouts follow kernels/runtime/problems/gemm.h.
//
//   kBytes   of an element of A and B         kNMajorB  B is k x n in memory (else n x k)
//   Sum      what the tensor core adds up in  Out       an element of C
//   kMap, kMapOut                             their types for the copy engine
#pragma once

#include <cuda.h>

#include <cstdint>

#include "kernels/runtime/cuda/element.h"

namespace ridge::device {

struct Bf16 {
  using Accumulator = float;
  using Out = Bfloat;
  static constexpr DType kType = DType::bf16;
  static constexpr int kBytes = 2;
  static constexpr bool kNMajorB = true;
  static constexpr CUtensorMapDataType kMap = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, kMapOut = kMap;
};

struct Fp16 {
  using Accumulator = float;
  using Out = Half;
  static constexpr DType kType = DType::fp16;
  static constexpr int kBytes = 2;
  static constexpr bool kNMajorB = true;
  static constexpr CUtensorMapDataType kMap = CU_TENSOR_MAP_DATA_TYPE_FLOAT16, kMapOut = kMap;
};

struct Tf32 {
  using Accumulator = float;
  using Out = float;
  static constexpr DType kType = DType::tf32;
  static constexpr int kBytes = 4;
  static constexpr bool kNMajorB = false;
  static constexpr CUtensorMapDataType kMap = CU_TENSOR_MAP_DATA_TYPE_FLOAT32, kMapOut = kMap;
};

struct Fp8 {
  using Accumulator = float;
  using Out = Bfloat;
  static constexpr DType kType = DType::fp8;
  static constexpr int kBytes = 1;
  static constexpr bool kNMajorB = false;
  static constexpr CUtensorMapDataType kMap = CU_TENSOR_MAP_DATA_TYPE_UINT8,
                                       kMapOut = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
};

struct Int8 {
  using Accumulator = int32_t;
  using Out = int32_t;
  static constexpr DType kType = DType::int8;
  static constexpr int kBytes = 1;
  static constexpr bool kNMajorB = false;
  static constexpr CUtensorMapDataType kMap = CU_TENSOR_MAP_DATA_TYPE_UINT8,
                                       kMapOut = CU_TENSOR_MAP_DATA_TYPE_INT32;
};

/// Calls `run(Bf16{})` or whichever type `dtype` names; tf32, fp8 and int8 included.
template <typename Run>
Status with_tensor_element(DType dtype, Run run) {
  return with_element<Bf16, Fp16, Tf32, Fp8, Int8>(dtype, run);
}

/// 32-bit results need no packing: both, side by side.
__device__ inline uint2 pack_pair(float, float first, float second) {
  return make_uint2(__float_as_uint(first), __float_as_uint(second));
}
__device__ inline uint2 pack_pair(int32_t, int32_t first, int32_t second) {
  return make_uint2(static_cast<uint32_t>(first), static_cast<uint32_t>(second));
}

}  // namespace ridge::device
