// Idea      PyTorch's own kernels, in a python3 of their own: what most models really call.
// Limits    Its softmax keeps rows in registers or shared memory too; its layernorm makes statistics as well.
//           Its calls are CUDA graphs of 20: what a launch from Python costs does not count.
// Look at   op=rmsnorm: where PyTorch has no kernel of its own it runs a chain of them.
// Source    PyTorch, torch.nn.functional.
#include "kernels/runtime/peers/external_rows.h"

namespace ridge {
namespace {

constexpr external::Peer kPytorch = {.library = "PyTorch",
                                     .package = "torch",
                                     .part = "lib/libtorch_cuda.so",
                                     .floor = kTorchFloor,
                                     .prelude = kTorchCalls,
                                     .script = kTorchRows,
                                     .copy = device::copy_and_wait,
                                     .device = current_gpu};

Status prepare_pytorch(const Shape& shape, Plan* plan) {
  return prepare_external_rows(kPytorch, shape, plan);
}

}  // namespace
}  // namespace ridge

RIDGE_KERNEL(
    rows, cuda, pytorch, .dtypes = "bf16 fp32", .library = "PyTorch",
    .version = [] { return ridge::external::version(ridge::kPytorch); }, .may_sync = true,
    .time_calls = ridge::external::time_calls,
    .unavailable = [] { return ridge::external::unavailable(ridge::kPytorch); },
    .prepare = ridge::prepare_pytorch, .launch = ridge::external::launch);
