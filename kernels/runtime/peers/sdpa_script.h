// What the attention peers in PyTorch's process share: their buffers, and how PyTorch is asked.
#pragma once

#include "common/harness/measure/external.h"
#include "kernels/runtime/peers/torch_calls.h"
#include "kernels/runtime/problems/attention.h"

namespace ridge {

inline Status prepare_sdpa(const external::Peer& peer, const Shape& shape, Plan* plan) {
  const int64_t* dim = shape.dim;
  const auto rows = static_cast<size_t>(dim[kAttentionBatch] * dim[kAttentionSequence] *
                                        dim[kAttentionHeadSize]) *
                    dtype_size(shape.dtype);
  const size_t q = rows * static_cast<size_t>(dim[kAttentionHeads]),
               kv = rows * static_cast<size_t>(dim[kAttentionHeadsKv]);
  const external::Buffer buffers[] = {{q, false}, {kv, false}, {kv, false}, {q, true}};
  return external::prepare(peer, shape, buffers, 4, plan);
}

/// PyTorch on the CPU (device -1) or a GPU, after kTorchCalls and a line `backend = ...`, the peer's. What is timed is
/// scaled_dot_product_attention, on a GPU recorded. What a backend refuses below 1,024 keys (one query, say) is left to
/// PyTorch's unfused path: the gate's awkward shapes have an answer then. From there on a refusal is the rung's.
inline constexpr const char* kSdpa = R"py(
import torch.nn.functional as F

types = {'fp32': torch.float32, 'bf16': torch.bfloat16, 'fp16': torch.float16}
chosen = None

def choose(backend):
    global chosen
    if backend == chosen or device < 0:
        return
    chosen = backend
    torch.backends.cuda.enable_flash_sdp(backend == 'flash')
    torch.backends.cuda.enable_cudnn_sdp(backend == 'cudnn')
    torch.backends.cuda.enable_mem_efficient_sdp(False)
    torch.backends.cuda.enable_math_sdp(backend == 'math')

class Attention(Replayed):
    def __init__(self, dtype, batch, heads, heads_kv, sequence, d, causal=0):
        self.type, self.causal, self.shared = types[dtype], causal != 0, heads != heads_kv
        self.shape = (batch, heads, sequence, d)
        shapes = [self.shape] + 2 * [(batch, heads_kv, sequence, d)]
        self.tensors = [torch.zeros(s, dtype=self.type, device=place) for s in shapes]
        self.start(sequence)

    def start(self, keys):
        self.backend = backend
        try:
            self.begin()
        except RuntimeError:
            if keys >= 1024:
                raise
            self.backend = 'math'
            self.begin()

    def load(self, i, memory):
        if i < len(self.tensors):
            tensor = self.tensors[i]
            tensor.copy_(torch.frombuffer(memory, dtype=tensor.dtype).view(tensor.shape))

    def store(self, i, memory):
        torch.frombuffer(memory, dtype=self.type).view(self.shape).copy_(self.made.output)

    def compute(self):
        choose(self.backend)
        q, k, v = self.tensors
        return F.scaled_dot_product_attention(q, k, v, is_causal=self.causal, enable_gqa=self.shared)

make = Attention
)py";

}  // namespace ridge
