// ridge: arch=75
//
// Idea      FlashAttention's own decode, flash_attn_with_kvcache, in a python3 of its own.
// Changed   Written for this step: split KV, the group's heads packed into the rows of a product.
// Limits    Memory.
// Look at   It runs where python3 has flash_attn; with FlashAttention-3 beside it, that is taken.
// Source    Dao et al., Flash-Decoding (2023); github.com/Dao-AILab/flash-attention.
#include "kernels/decode/peers/peers.h"

namespace ridge {
namespace {

const external::Peer& peer() {
  return decode_peer("FlashAttention", "flash_attn", "", "kvcache", "2.6");
}

Status prepare_decode_flash_attention(const Shape& shape, Plan* plan) {
  return prepare_decode_peer(peer(), shape, plan);
}

}  // namespace
}  // namespace ridge

RIDGE_KERNEL(
    decode, cuda, flash_attention, .dtypes = "bf16 fp16", .library = "FlashAttention",
    .version = [] { return ridge::external::version(ridge::peer()); }, .may_sync = true,
    .time_calls = ridge::external::time_calls,
    .unavailable = [] { return ridge::external::unavailable(ridge::peer()); },
    .prepare = ridge::prepare_decode_flash_attention, .launch = ridge::external::launch);
