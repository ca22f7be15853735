// The types and head sizes that the rungs on the tensor cores are built for.
#pragma once

#include "kernels/runtime/cuda/tensor_element.h"
#include "kernels/runtime/problems/attention.h"

namespace ridge {

/// Calls run<Element, d>() for the type and head size.
template <typename Run>
Status with_tensor_head(DType dtype, int64_t head_size, Run run) {
  const auto with_type = [&]<int d>() -> Status {
    return with_element<device::Bf16, device::Fp16>(
        dtype, [&]<typename E>(E) -> Status { return run.template operator()<E, d>(); });
  };
  if (head_size == 64) return with_type.template operator()<64>();
  if (head_size == 128) return with_type.template operator()<128>();
  return refuse("takes head sizes 64 and 128");
}
template <typename Run>
Status with_tensor_head(const Shape& shape, Run run) {
  return with_tensor_head(shape.dtype, shape.dim[kAttentionHeadSize], run);
}

}  // namespace ridge
