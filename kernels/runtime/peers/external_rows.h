// What the peers of row operations in other processes share: their buffers, and the GPU they run on.
#pragma once

#include "common/harness/measure/external.h"
#include "kernels/runtime/cuda/upload.h"
#include "kernels/runtime/peers/torch_rows.h"
#include "kernels/runtime/problems/rows.h"

namespace ridge {

inline int current_gpu() {
  int device = 0;
  return cudaGetDevice(&device) == cudaSuccess ? device : 0;
}

/// make(dtype, m, n, layers, op) gets the operation as its number in RowOp.
inline Status prepare_external_rows(const external::Peer& peer, const Shape& shape, Plan* plan) {
  const size_t size = dtype_size(shape.dtype), n = static_cast<size_t>(shape.dim[kRowsN]);
  const size_t all = static_cast<size_t>(shape.dim[kRowsM]) * n * size;
  const external::Buffer buffers[] = {
      {all, false}, {n * size, false}, {n * size, false}, {all, true}};
  Shape with_op = shape;
  with_op.dim[kRowsLayers + 1] = static_cast<int64_t>(row_op_of(shape)) + 1;
  return external::prepare(peer, with_op, buffers, 4, plan);
}

}  // namespace ridge
