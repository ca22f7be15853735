// The Python of the decode peers.
#pragma once

#include "kernels/runtime/peers/sdpa_script.h"

namespace ridge {

/// After kTorchCalls, a line `backend = ...` and kSdpa. `backend`: flash or cudnn, PyTorch's. What PyTorch refuses below
/// 1,024 keys is left to its unfused path, so that the gate's awkward shapes have an answer; from there on a refusal is
/// the rung's.
inline constexpr const char* kDecodeScript = R"py(
class Decode(Attention):
    def __init__(self, dtype, batch, heads, heads_kv, length, d, page=0, mixed=0):
        self.type, self.causal, self.shared = types[dtype], False, heads != heads_kv
        self.shape = (batch, heads, 1, d)
        shapes = [self.shape] + 2 * [(batch, heads_kv, length, d)]
        self.tensors = [torch.zeros(s, dtype=self.type, device=place) for s in shapes]
        self.start(length)

make = Decode
)py";

}  // namespace ridge
