// ridge: arch=75
//
// Idea      cuDNN's attention asked with one query a sequence, through PyTorch, in a python3 of its own.
// Changed   Which kernel, cuDNN's heuristics decide.
// Limits    Memory.
// Look at   A library made for long queries may leave one query to a kernel for 128.
// Source    cuDNN, "scaled dot product attention"; torch.backends.cuda.enable_cudnn_sdp.
#include "kernels/decode/peers/peers.h"

namespace ridge {
namespace {

const external::Peer& peer() {
  return decode_peer("cuDNN", "torch", "lib/libtorch_cuda.so", "cudnn");
}

Status prepare_decode_cudnn(const Shape& shape, Plan* plan) {
  return prepare_decode_peer(peer(), shape, plan);
}

}  // namespace
}  // namespace ridge

RIDGE_KERNEL(
    decode, cuda, cudnn, .dtypes = "bf16 fp16", .library = "cuDNN through PyTorch",
    .version = [] { return ridge::external::version(ridge::peer()); }, .may_sync = true,
    .time_calls = ridge::external::time_calls,
    .unavailable = [] { return ridge::external::unavailable(ridge::peer()); },
    .prepare = ridge::prepare_decode_cudnn, .launch = ridge::external::launch);
