// ridge: arch=75
//
// Idea      The peer: cuDNN's attention backward, called through PyTorch, in a python3 of its own.
// Changed   By the people who built the chip; which of its kernels, its heuristics decide.
// Limits    As ours: shared memory, the tensor cores, and adding up dQ.
// Look at   Only the backward pass is timed (peers.h), with all that it does before and after its main kernel.
// Source    cuDNN, "scaled dot product attention backward"; torch.backends.cuda.enable_cudnn_sdp.
#include "kernels/attention_backward/peers/peers.h"

namespace ridge {
namespace {

const external::Peer& peer() {
  return sdpa_backward_peer("cuDNN", "cudnn");
}

Status prepare_cudnn(const Shape& shape, Plan* plan) {
  return prepare_sdpa_backward(peer(), shape, plan);
}

}  // namespace
}  // namespace ridge

RIDGE_KERNEL(
    attention_backward, cuda, cudnn, .dtypes = "bf16 fp16", .library = "cuDNN through PyTorch",
    .version = [] { return ridge::external::version(ridge::peer()); }, .may_sync = true,
    .time_calls = ridge::external::time_calls,
    .unavailable = [] { return ridge::external::unavailable(ridge::peer()); },
    .prepare = ridge::prepare_cudnn, .launch = ridge::external::launch);
