// From the operation and the data type that are asked for to the parameters of a kernel template.
#pragma once

#include <type_traits>

#include "kernels/runtime/cuda/element.h"
#include "kernels/runtime/cuda/row_math.h"

namespace ridge {

/// run(operation, element): with std::integral_constant<RowOp, ...> and a value of the element's type.
template <class Run>
Status with_row_op(const Launch& launch, const Run& run) {
  const auto typed = [&](auto op) {
    return with_element<Bfloat, float>(launch.shape.dtype,
                                       [&](auto element) { return run(op, element); });
  };
  switch (row_op_of(launch.shape)) {
    case RowOp::softmax:
      return typed(std::integral_constant<RowOp, RowOp::softmax>());
    case RowOp::layernorm:
      return typed(std::integral_constant<RowOp, RowOp::layernorm>());
    case RowOp::rmsnorm:
      return typed(std::integral_constant<RowOp, RowOp::rmsnorm>());
    default:
      return typed(std::integral_constant<RowOp, RowOp::gelu>());
  }
}

}  // namespace ridge
