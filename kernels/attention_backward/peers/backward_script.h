// The Python of the backward peers.
#pragma once

#include "kernels/runtime/peers/sdpa_script.h"

namespace ridge {

/// After kSdpa. Below 1,024 keys what a backend refuses is left to PyTorch's unfused path, as there. A recording holds
/// the O and L of one forward pass: new inputs are recorded anew, untimed.
inline constexpr const char* kSdpaBackward = R"py(
class Backward(Attention):
    def __init__(self, dtype, batch, heads, heads_kv, sequence, d, causal=0):
        self.type, self.causal, self.shared = types[dtype], causal != 0, heads != heads_kv
        q, kv = (batch, heads, sequence, d), (batch, heads_kv, sequence, d)
        kinds = [(s, self.type) for s in (q, kv, kv, q, q)] + [((batch, heads, sequence), torch.float32)]
        self.shapes = [q, kv, kv]
        self.tensors = [torch.zeros(s, dtype=t, device=place) for s, t in kinds]
        self.keys, self.is_new = sequence, False
        self.start(sequence)

    def start(self, keys):
        self.out = None
        super().start(keys)

    def load(self, i, memory):
        super().load(i, memory)
        self.is_new = True

    def store(self, i, memory):
        torch.frombuffer(memory, dtype=self.type).view(self.shapes[i - 6]).copy_(self.made.output[i - 6])

    def call(self):
        if self.is_new:
            self.is_new, self.made = False, None
            self.start(self.keys)
        self.made.call()

    def compute(self):
        choose(self.backend)
        if self.out is None:
            self.inputs = [t.detach().requires_grad_() for t in self.tensors[:3]]
            self.out = F.scaled_dot_product_attention(*self.inputs, is_causal=self.causal,
                                                      enable_gqa=self.shared)
        return torch.autograd.grad(self.out, self.inputs, self.tensors[4], retain_graph=True)

make = Backward
)py";

}  // namespace ridge
