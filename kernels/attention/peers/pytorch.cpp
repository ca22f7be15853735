// ridge: flags=-O2
//
// Idea      PyTorch's attention on a CPU, in a python3 of its own: its fused kernel, FlashAttention in C++.
// Changed   Against oneDNN with stored scores: blocks of queries and keys, an online softmax, nothing stored. The
//           products of a block are the library's.
// Limits    Small products: a block's cost more to begin than the library's one large one.
// Look at   d = 64 against 128, where its exponentials (a library's, on vectors) take twice the share.
// Source    PyTorch, torch.nn.functional.scaled_dot_product_attention.
#include <string>

#include "kernels/runtime/peers/sdpa_script.h"

namespace ridge {
namespace {

const external::Peer& peer() {
  static const std::string script = std::string("backend = 'cpu'\n") + kSdpa;
  static const external::Peer pytorch = {
      .library = "PyTorch", .package = "torch", .floor = kTorchFloor, .prelude = kTorchCalls, .script = script.c_str()};
  return pytorch;
}

Status prepare_pytorch(const Shape& shape, Plan* plan) {
  return prepare_sdpa(peer(), shape, plan);
}

RIDGE_KERNEL(
    attention, cpu, pytorch, .library = "PyTorch",
    .version = [] { return external::version(peer()); }, .time_calls = external::time_calls,
    .unavailable = [] { return external::unavailable(peer()); }, .prepare = prepare_pytorch,
    .launch = external::launch);

}  // namespace
}  // namespace ridge
