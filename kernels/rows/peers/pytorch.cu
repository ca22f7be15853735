// Idea      PyTorch's own kernels, in a python3 of their own: what most models really call.
// Limits    Its softmax keeps rows in registers or shared memory too; its layernorm makes statistics as well.
//           At small sizes, the few microseconds that a call costs from Python.
// Look at   op=rmsnorm: where PyTorch has no kernel of its own it runs a chain of them.
// Source    PyTorch, torch.nn.functional.
#include "kernels/runtime/peers/external_rows.h"

namespace ridge {
namespace {

constexpr external::Peer kPytorch = {.library = "PyTorch",
                                     .package = "torch",
                                     .part = "lib/libtorch_cuda.so",
                                     .script = RIDGE_TORCH_ROWS R"py(
class Call(Rows):
    def call(self):
        x, w, b, n = self.x, self.weight, self.bias, self.n
        if self.op == 0:
            self.y = torch.softmax(x, -1)
        elif self.op == 1:
            self.y = F.layer_norm(x, (n,), w, b, 1e-5)
        elif self.op == 2:
            self.y = F.rms_norm(x, (n,), w, 1e-5)
        else:
            self.y = F.gelu(x, approximate='tanh')

make = Call
)py",
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
