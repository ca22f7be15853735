// ridge: arch=75
//
// Idea      PyTorch's own fused attention, FlashAttention-2, in a python3 of its own.
// Changed   Tensor cores by mma.sync, as on Ampere; built for many GPUs, tuned for that one.
// Limits    On Hopper the rate of mma.sync, and copies that threads ask for.
// Look at   How far a good kernel of the generation before falls behind, with nothing wrong in it.
// Source    Dao, FlashAttention-2, arXiv:2307.08691; torch.backends.cuda.enable_flash_sdp.
#include "kernels/runtime/peers/sdpa.h"

namespace ridge {
namespace {

const external::Peer& peer() {
  return sdpa_peer("PyTorch", "flash");
}

Status prepare_pytorch(const Shape& shape, Plan* plan) {
  return prepare_sdpa(peer(), shape, plan);
}

}  // namespace
}  // namespace ridge

RIDGE_KERNEL(
    attention, cuda, pytorch, .dtypes = "bf16 fp16", .library = "PyTorch",
    .version = [] { return ridge::external::version(ridge::peer()); }, .may_sync = true,
    .time_calls = ridge::external::time_calls,
    .unavailable = [] { return ridge::external::unavailable(ridge::peer()); },
    .prepare = ridge::prepare_pytorch, .launch = ridge::external::launch);
