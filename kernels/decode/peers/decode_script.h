// The Python of the decode peers.
#pragma once

#include "kernels/runtime/peers/sdpa_script.h"

namespace ridge {

/// After kTorchCalls, a line `backend = ...` and kSdpa. `backend`: flash or cudnn, PyTorch's; kvcache, FlashAttention's
/// own. What PyTorch's refuses below 1,024 keys is left to its unfused path, so that the gate's awkward shapes have an
/// answer; from there on a refusal is the rung's.
inline constexpr const char* kDecodeScript = R"py(
if backend == 'kvcache':
    try:
        from flash_attn_interface import flash_attn_with_kvcache
    except ImportError:
        from flash_attn import flash_attn_with_kvcache

class Decode(Attention):
    def __init__(self, dtype, batch, heads, heads_kv, length, d, page=0, mixed=0):
        self.type, self.causal, self.shared = types[dtype], False, heads != heads_kv
        self.shape = (batch, heads, 1, d)
        shapes = [self.shape] + 2 * [(batch, heads_kv, length, d)]
        self.tensors = [torch.zeros(s, dtype=self.type, device=place) for s in shapes]
        self.lengths = torch.full((batch,), length, dtype=torch.int32, device=place)
        self.start(length if backend != 'kvcache' else 1024)

    def compute(self):
        if self.backend != 'kvcache':
            return super().compute()
        q, k, v = (x.transpose(1, 2) for x in self.tensors)
        return flash_attn_with_kvcache(q, k, v, cache_seqlens=self.lengths).transpose(1, 2)

make = Decode
)py";

}  // namespace ridge
