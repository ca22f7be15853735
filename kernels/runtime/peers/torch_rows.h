// The Python that the peers of row operations and of chains share, after kTorchCalls (torch_calls.h).
#pragma once

#include "kernels/runtime/peers/torch_calls.h"

namespace ridge {

/// The class whose compute() a script's own gives; `make` makes one.
#define RIDGE_TORCH_ROWS                                                                     \
  "import torch.nn.functional as F\n"                                                        \
  "types = {'fp32': torch.float32, 'bf16': torch.bfloat16}\n"                                \
  "class Rows(Replayed):\n"                                                                  \
  "    def __init__(self, dtype, m, n, layers, op):\n"                                       \
  "        self.n, self.layers, self.op, self.type = n, layers, op - 1, types[dtype]\n"      \
  "        shapes = [(m, n), (n,), (n,), (m, n)]\n"                                          \
  "        self.tensors = [torch.zeros(s, dtype=self.type, device=place) for s in shapes]\n" \
  "        self.x, self.weight, self.bias, self.y = self.tensors\n"                          \
  "        self.begin()\n"                                                                   \
  "    def load(self, i, memory):\n"                                                         \
  "        tensor = self.tensors[i]\n"                                                       \
  "        tensor.copy_(torch.frombuffer(memory, dtype=self.type).view(tensor.shape))\n"     \
  "    def store(self, i, memory):\n"                                                        \
  "        y = self.made.output\n"                                                           \
  "        torch.frombuffer(memory, dtype=self.type).view(y.shape).copy_(y)\n"

/// PyTorch's own kernels, one operation.
inline constexpr const char* kTorchRows = RIDGE_TORCH_ROWS R"py(
class Call(Rows):
    def compute(self):
        x, w, b, n = self.x, self.weight, self.bias, self.n
        if self.op == 0:
            return torch.softmax(x, -1)
        if self.op == 1:
            return F.layer_norm(x, (n,), w, b, 1e-5)
        if self.op == 2:
            return F.rms_norm(x, (n,), w, 1e-5)
        return F.gelu(x, approximate='tanh')

make = Call
)py";

#define RIDGE_TORCH_CHAIN                                                                     \
  RIDGE_TORCH_ROWS                                                                            \
  "def chain(x, weight, bias, layers: int):\n"                                                \
  "    for _ in range(layers):\n"                                                             \
  "        x = F.gelu(F.layer_norm(x + bias, (x.shape[-1],)) * weight, approximate='tanh')\n" \
  "    return x\n"

/// The chain line by line.
inline constexpr const char* kTorchChain = RIDGE_TORCH_CHAIN R"py(
class Call(Rows):
    def compute(self):
        return chain(self.x, self.weight, self.bias, self.layers)
make = Call
)py";

/// The same lines through torch.compile. For any shape: for one alone, each check at another would compile it again.
inline constexpr const char* kTorchCompiledChain = RIDGE_TORCH_CHAIN R"py(
compiled = torch.compile(chain, dynamic=True)
class Call(Rows):
    def compute(self):
        return compiled(self.x, self.weight, self.bias, self.layers)
make = Call
)py";

}  // namespace ridge
