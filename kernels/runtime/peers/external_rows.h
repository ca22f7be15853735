// What the peers in other processes share: their buffers, copies to and from a GPU, and the Python that
// every script begins with.
#pragma once

#include "common/harness/measure/external.h"
#include "kernels/runtime/cuda/upload.h"
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

/// The class that a script's own gives call().
#define RIDGE_TORCH_ROWS                                                                     \
  "import os, torch\n"                                                                       \
  "import torch.nn.functional as F\n"                                                        \
  "place = torch.device(f\"cuda:{int(os.environ['RIDGE_PEER_DEVICE'])}\")\n"                 \
  "types = {'fp32': torch.float32, 'bf16': torch.bfloat16}\n"                                \
  "class Rows:\n"                                                                            \
  "    def __init__(self, dtype, m, n, layers, op):\n"                                       \
  "        self.n, self.layers, self.op, self.type = n, layers, op - 1, types[dtype]\n"      \
  "        shapes = [(m, n), (n,), (n,), (m, n)]\n"                                          \
  "        self.tensors = [torch.empty(s, dtype=self.type, device=place) for s in shapes]\n" \
  "        self.x, self.weight, self.bias, self.y = self.tensors\n"                          \
  "    def load(self, i, memory):\n"                                                         \
  "        tensor = self.tensors[i]\n"                                                       \
  "        tensor.copy_(torch.frombuffer(memory, dtype=self.type).view(tensor.shape))\n"     \
  "    def store(self, i, memory):\n"                                                        \
  "        torch.frombuffer(memory, dtype=self.type).view(self.y.shape).copy_(self.y)\n"     \
  "    def finish(self):\n"                                                                  \
  "        torch.cuda.synchronize(place)\n"

}  // namespace ridge
