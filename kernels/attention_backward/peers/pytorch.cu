// ridge: arch=75
//
// Idea      PyTorch's own fused attention backward, FlashAttention-2, in a python3 of its own.
// Changed   mma.sync, as on Ampere; dQ added up in fp32 by atomics; a kernel for D before and one for dQ after.
// Limits    On Hopper the rate of mma.sync, and copies that threads ask for.
// Look at   Only the backward pass is timed (peers.h).
// Source    Dao, FlashAttention-2, arXiv:2307.08691; torch.backends.cuda.enable_flash_sdp.
#include "kernels/attention_backward/peers/peers.h"

namespace ridge {
namespace {

const external::Peer& peer() {
  return sdpa_backward_peer("PyTorch", "flash");
}

Status prepare_pytorch(const Shape& shape, Plan* plan) {
  return prepare_sdpa_backward(peer(), shape, plan);
}

}  // namespace
}  // namespace ridge

RIDGE_KERNEL(
    attention_backward, cuda, pytorch, .dtypes = "bf16 fp16", .library = "PyTorch",
    .version = [] { return ridge::external::version(ridge::peer()); }, .may_sync = true,
    .time_calls = ridge::external::time_calls,
    .unavailable = [] { return ridge::external::unavailable(ridge::peer()); },
    .prepare = ridge::prepare_pytorch, .launch = ridge::external::launch);
