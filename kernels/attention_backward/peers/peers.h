// What the backward peers in PyTorch's process share. What is timed is torch.autograd.grad of
// scaled_dot_product_attention with the graph kept: the backward operator of the backend alone, with what it does
// before and after its main kernel. O and L are the library's own, from a forward pass that it makes once for the
// inputs, untimed.
#pragma once

#include "kernels/attention_backward/backward.h"
#include "kernels/runtime/peers/sdpa.h"

namespace ridge {

inline Status prepare_sdpa_backward(const external::Peer& peer, const Shape& shape, Plan* plan) {
  const int64_t* dim = shape.dim;
  const auto rows = static_cast<size_t>(dim[kAttentionBatch] * dim[kAttentionSequence]);
  const size_t row = static_cast<size_t>(dim[kAttentionHeadSize]) * dtype_size(shape.dtype);
  const size_t q_rows = rows * static_cast<size_t>(dim[kAttentionHeads]);
  const size_t q = q_rows * row, kv = rows * static_cast<size_t>(dim[kAttentionHeadsKv]) * row;
  const external::Buffer buffers[kBackwardBuffers] = {
      {q, false}, {kv, false}, {kv, false}, {q, false}, {q, false}, {q_rows * sizeof(float), false},
      {q, true},  {kv, true},  {kv, true}};
  return external::prepare(peer, shape, buffers, kBackwardBuffers, plan);
}

/// Below 1,024 keys what a backend refuses is left to PyTorch's unfused path, as in sdpa.h.
inline constexpr const char* kSdpaBackward = R"py(
class Backward(Attention):
    def __init__(self, dtype, batch, heads, heads_kv, sequence, d, causal=0):
        self.type, self.causal, self.shared = types[dtype], causal != 0, heads != heads_kv
        q, kv = (batch, heads, sequence, d), (batch, heads_kv, sequence, d)
        kinds = [(s, self.type) for s in (q, kv, kv, q, q)] + [((batch, heads, sequence), torch.float32)]
        kinds += [(s, self.type) for s in (q, kv, kv)]
        self.tensors = [torch.zeros(s, dtype=t, device=place) for s, t in kinds]
        self.backend, self.out = backend, None
        try:
            self.call()
        except RuntimeError:
            if sequence >= 1024:
                raise
            self.backend = 'math'

    def load(self, i, memory):
        tensor = self.tensors[i]
        tensor.copy_(torch.frombuffer(memory, dtype=tensor.dtype).view(tensor.shape))
        self.out = None

    def call(self):
        if self.out is None:
            choose(self.backend)
            self.inputs = [t.detach().requires_grad_() for t in self.tensors[:3]]
            self.out = F.scaled_dot_product_attention(*self.inputs, is_causal=self.causal,
                                                      enable_gqa=self.shared)
        self.tensors[6:9] = torch.autograd.grad(self.out, self.inputs, self.tensors[4],
                                                retain_graph=True)

make = Backward
)py";

inline const external::Peer& sdpa_backward_peer(const char* library, const char* backend) {
  static const std::string script = std::string(kSdpa) + kSdpaBackward;
  return sdpa_peer(library, backend, "backward", script);
}

}  // namespace ridge
