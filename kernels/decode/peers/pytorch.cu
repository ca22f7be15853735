// ridge: arch=75
//
// Idea      PyTorch's fused attention asked with one query a sequence, in a python3 of its own.
// Changed   FlashAttention-2 with split KV: as many parts as its heuristic finds useful for the GPU.
// Limits    Memory.
// Look at   It takes sequences of equal lengths and a cache in one piece; for others it would have to be padded.
// Source    torch.nn.functional.scaled_dot_product_attention, enable_flash_sdp.
#include "kernels/decode/peers/peers.h"

namespace ridge {
namespace {

const external::Peer& peer() {
  return decode_peer("PyTorch", "torch", "lib/libtorch_cuda.so", "flash");
}

Status prepare_decode_pytorch(const Shape& shape, Plan* plan) {
  return prepare_decode_peer(peer(), shape, plan);
}

}  // namespace
}  // namespace ridge

RIDGE_KERNEL(
    decode, cuda, pytorch, .dtypes = "bf16 fp16", .library = "PyTorch",
    .version = [] { return ridge::external::version(ridge::peer()); }, .may_sync = true,
    .time_calls = ridge::external::time_calls,
    .unavailable = [] { return ridge::external::unavailable(ridge::peer()); },
    .prepare = ridge::prepare_decode_pytorch, .launch = ridge::external::launch);
