// What the decode peers in Python share: their buffers, and the script that asks PyTorch or FlashAttention.
#pragma once

#include "kernels/decode/decode.h"
#include "kernels/runtime/peers/sdpa.h"

namespace ridge {

inline Status prepare_decode_peer(const external::Peer& peer, const Shape& shape, Plan* plan) {
  const int64_t* dim = shape.dim;
  if (dim[kDecodePage] != 0 || dim[kDecodeMixed] != 0) {
    return {"takes a cache in one piece and sequences of equal lengths: page=0, lengths=equal",
            nullptr, __FILE__, __LINE__, false};
  }
  const auto row = static_cast<size_t>(dim[kDecodeHeadSize]) * dtype_size(shape.dtype);
  const size_t q = static_cast<size_t>(dim[kDecodeBatch] * dim[kDecodeHeads]) * row;
  const size_t kv =
      static_cast<size_t>(dim[kDecodeBatch] * dim[kDecodeHeadsKv] * dim[kDecodeLength]) * row;
  const external::Buffer buffers[] = {{q, false},
                                      {kv, false},
                                      {kv, false},
                                      {q, true},
                                      {static_cast<size_t>(dim[kDecodeBatch]) * 4, false},
                                      {4, false}};
  return external::prepare(peer, shape, buffers, 6, plan);
}

/// `backend`: flash or cudnn, PyTorch's; kvcache, FlashAttention's own. What PyTorch's refuses below 1,024 keys is
/// left to its unfused path, so that the gate's awkward shapes have an answer; from there on a refusal is the
/// rung's.
inline constexpr const char* kDecodeScript = R"py(
import os, torch
import torch.nn.functional as F

place = torch.device('cuda:' + os.environ['RIDGE_PEER_DEVICE'])
types = {'bf16': torch.bfloat16, 'fp16': torch.float16}
if backend == 'kvcache':
    try:
        from flash_attn_interface import flash_attn_with_kvcache
    except ImportError:
        from flash_attn import flash_attn_with_kvcache

def choose(which):
    torch.backends.cuda.enable_flash_sdp(which == 'flash')
    torch.backends.cuda.enable_cudnn_sdp(which == 'cudnn')
    torch.backends.cuda.enable_mem_efficient_sdp(False)
    torch.backends.cuda.enable_math_sdp(which == 'math')

class Decode:
    def __init__(self, dtype, batch, heads, heads_kv, length, d, page=0, mixed=0):
        self.type, self.shared = types[dtype], heads != heads_kv
        shapes = [(batch, heads, 1, d), (batch, heads_kv, length, d)]
        self.tensors = [torch.empty(shapes[i], dtype=self.type, device=place) for i in (0, 1, 1, 0)]
        self.lengths = torch.full((batch,), length, dtype=torch.int32, device=place)
        self.backend = backend
        try:
            self.call()
        except RuntimeError:
            if length >= 1024 or backend == 'kvcache':
                raise
            self.backend = 'math'

    def load(self, i, memory):
        if i < 3:
            self.tensors[i].copy_(torch.frombuffer(memory, dtype=self.type).view(self.tensors[i].shape))

    def store(self, i, memory):
        torch.frombuffer(memory, dtype=self.type).view(self.tensors[3].shape).copy_(self.tensors[3])

    def call(self):
        q, k, v, _ = self.tensors
        if self.backend == 'kvcache':
            q, k, v = (x.transpose(1, 2) for x in (q, k, v))
            out = flash_attn_with_kvcache(q, k, v, cache_seqlens=self.lengths)
            self.tensors[3] = out.transpose(1, 2)
            return
        choose(self.backend)
        self.tensors[3] = F.scaled_dot_product_attention(q, k, v, enable_gqa=self.shared)

    def finish(self):
        torch.cuda.synchronize(place)

make = Decode
)py";

/// The peer of one backend; it lives as long as the process.
inline const external::Peer& decode_peer(const char* library, const char* package, const char* part,
                                         const char* backend) {
  static std::map<std::string, external::Peer> peers;
  static std::map<std::string, std::string> scripts;
  const auto [at, made] = peers.try_emplace(backend);
  if (made) {
    const std::string& script = scripts[backend] =
        "backend = '" + std::string(backend) + "'\n" + kDecodeScript;
    at->second = {.library = library,
                  .package = package,
                  .part = part,
                  .script = script.c_str(),
                  .copy = device::copy_and_wait,
                  .device = sdpa_device};
  }
  return at->second;
}

}  // namespace ridge
