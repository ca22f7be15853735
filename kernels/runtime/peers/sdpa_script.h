// What the attention peers in PyTorch's process share: their buffers, and how PyTorch is asked.
#pragma once

#include "common/harness/measure/external.h"
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

/// PyTorch on the CPU (device -1) or a GPU. What is timed is scaled_dot_product_attention, as one line of a program
/// would call it; the first line, `backend = ...`, is the peer's. What a backend refuses below 1,024 keys (one query, say) is left to PyTorch's unfused path: the gate's awkward shapes
/// have an answer then. From there on a refusal is the rung's.
inline constexpr const char* kSdpa = R"py(
import os, torch
import torch.nn.functional as F

device = int(os.environ['RIDGE_PEER_DEVICE'])
place = torch.device('cpu' if device < 0 else f'cuda:{device}')
torch.set_num_threads(int(os.environ['RIDGE_PEER_THREADS']))
types = {'fp32': torch.float32, 'bf16': torch.bfloat16, 'fp16': torch.float16}
torch.backends.cuda.matmul.allow_tf32 = False

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

class Attention:
    def __init__(self, dtype, batch, heads, heads_kv, sequence, d, causal=0):
        self.type, self.causal, self.shared = types[dtype], causal != 0, heads != heads_kv
        shapes = [(batch, h, sequence, d) for h in (heads, heads_kv, heads_kv, heads)]
        self.tensors = [torch.empty(s, dtype=self.type, device=place) for s in shapes]
        self.backend = backend
        try:
            self.call()
        except RuntimeError:
            if sequence >= 1024:
                raise
            self.backend = 'math'

    def load(self, i, memory):
        tensor = self.tensors[i]
        tensor.copy_(torch.frombuffer(memory, dtype=self.type).view(tensor.shape))

    def store(self, i, memory):
        tensor = self.tensors[i]
        torch.frombuffer(memory, dtype=self.type).view(tensor.shape).copy_(tensor)

    def call(self):
        choose(self.backend)
        q, k, v, _ = self.tensors
        self.tensors[3] = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal,
                                                         enable_gqa=self.shared)

    def finish(self):
        if device >= 0:
            torch.cuda.synchronize(place)

make = Attention
)py";

}  // namespace ridge
