// ridge: arch=75 variants=eager:-DRIDGE_COMPILED=0,compiled:-DRIDGE_COMPILED=1
//
// Idea      The chain as one writes it in PyTorch: line by line (eager), and the same lines through
//           torch.compile, which fuses them by Triton kernels of its own making.
// Limits    eager: four kernels a layer. compiled: fewer; nsys counts them. Both are recorded as CUDA graphs, so
//           that Python's way to each kernel, and the guards it checks before each call, do not count. Compiled for
//           any shape (dynamic=True): for one shape alone, each check at another would compile it again.
// Look at   The two beside ours: graph and fused.
// Source    PyTorch, torch.compile (Ansel et al., "PyTorch 2", ASPLOS 2024).
#include "kernels/runtime/peers/external_rows.h"

namespace ridge {
namespace {

constexpr external::Peer kChain = {.library = "PyTorch",
                                   .package = "torch",
                                   .part = "lib/libtorch_cuda.so",
                                   .floor = kTorchFloor,
                                   .prelude = kTorchCalls,
                                   .script = RIDGE_COMPILED ? kTorchCompiledChain : kTorchChain,
                                   .copy = device::copy_and_wait,
                                   .device = current_gpu};

Status prepare_chain(const Shape& shape, Plan* plan) {
  return prepare_external_rows(kChain, shape, plan);
}

/// torch.compile makes its kernels with Triton.
const char* unavailable() {
  static constexpr external::Peer kTriton = {.library = "Triton", .package = "triton"};
  const char* reason = external::unavailable(kChain);
  return reason != nullptr || !RIDGE_COMPILED ? reason : external::unavailable(kTriton);
}

}  // namespace
}  // namespace ridge

RIDGE_KERNEL(
    chain, cuda, pytorch, .library = "PyTorch",
    .version = [] { return ridge::external::version(ridge::kChain); }, .may_sync = true,
    .time_calls = ridge::external::time_calls, .unavailable = ridge::unavailable,
    .prepare = ridge::prepare_chain, .launch = ridge::external::launch);
