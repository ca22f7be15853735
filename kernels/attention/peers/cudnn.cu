// ridge: arch=75
//
// Idea      The peer: cuDNN's attention, called through PyTorch, in a python3 of its own.
// Changed   One fused kernel, by the people who built the chip; which one, cuDNN's heuristics decide.
// Limits    As ours: the tensor cores and the exponentials.
// Look at   It is marked external: blocks of calls alternate with ours, on the same clock.
// Source    cuDNN, "scaled dot product attention"; torch.backends.cuda.enable_cudnn_sdp.
#include "kernels/runtime/peers/sdpa.h"

namespace ridge {
namespace {

const external::Peer& peer() {
  return sdpa_peer("cuDNN", "cudnn");
}

Status prepare_cudnn(const Shape& shape, Plan* plan) {
  return prepare_sdpa(peer(), shape, plan);
}

}  // namespace
}  // namespace ridge

RIDGE_KERNEL(
    attention, cuda, cudnn, .dtypes = "bf16 fp16", .library = "cuDNN through PyTorch",
    .version = [] { return ridge::external::version(ridge::peer()); }, .may_sync = true,
    .time_calls = ridge::external::time_calls,
    .unavailable = [] { return ridge::external::unavailable(ridge::peer()); },
    .prepare = ridge::prepare_cudnn, .launch = ridge::external::launch);
