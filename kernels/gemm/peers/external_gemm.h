// What the GEMM peers in other processes share: their buffers, and how PyTorch is asked.
#pragma once

#include "common/harness/measure/external.h"
#include "common/harness/quality/quality.h"
#include "kernels/runtime/peers/torch_calls.h"
#include "kernels/runtime/problems/gemm.h"

namespace ridge {

inline Status prepare_external_gemm(const external::Peer& peer, const Shape& shape, Plan* plan) {
  const auto m = static_cast<size_t>(shape.dim[kGemmM]), n = static_cast<size_t>(shape.dim[kGemmN]),
             k = static_cast<size_t>(shape.dim[kGemmK]);
  const size_t in = dtype_size(shape.dtype), out = dtype_size(quality::gemm_output(shape.dtype));
  const external::Buffer buffers[] = {
      {m * k * in, false}, {k * n * in, false}, {m * n * out, true}};
  return external::prepare(peer, shape, buffers, 3, plan);
}

/// PyTorch on the CPU (device -1) or a GPU, after kTorchCalls. What is timed is torch.matmul with its output given.
/// TF32 is allowed for tf32 alone; its B lies n x k.
inline constexpr const char* kTorchGemm = R"py(
types = {'fp32': torch.float32, 'tf32': torch.float32, 'fp64': torch.float64,
         'bf16': torch.bfloat16, 'fp16': torch.float16}

class Product(Replayed):
    def __init__(self, dtype, m, n, k):
        self.type, self.tf32 = types[dtype], dtype == 'tf32'
        shapes = [(m, k), (n, k) if self.tf32 else (k, n), (m, n)]
        self.tensors = [torch.empty(s, dtype=self.type, device=place) for s in shapes]
        a, b, self.c = self.tensors
        self.operands = (a, b.t() if self.tf32 else b)
        self.begin()

    def load(self, i, memory):
        tensor = self.tensors[i]
        tensor.copy_(torch.frombuffer(memory, dtype=self.type).view(tensor.shape))

    def store(self, i, memory):
        tensor = self.tensors[i]
        torch.frombuffer(memory, dtype=self.type).view(tensor.shape).copy_(tensor)

    def compute(self):
        torch.backends.cuda.matmul.allow_tf32 = self.tf32
        torch.matmul(*self.operands, out=self.c)
        return self.c

make = Product
)py";

}  // namespace ridge
