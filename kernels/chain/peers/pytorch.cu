// ridge: arch=75 variants=eager:-DRIDGE_COMPILED=0,compiled:-DRIDGE_COMPILED=1
//
// Idea      The chain as one writes it in PyTorch: line by line (eager), and the same lines through
//           torch.compile, which fuses them by Triton kernels of its own making.
// Limits    eager: four kernels a layer, and Python's way to each. compiled: a kernel a layer or fewer, and
//           the guards that Python checks before each call. Compiled for any shape (dynamic=True): for one
//           shape alone, each check at another would compile it again.
// Look at   The two beside ours: stream, graph and fused.
// Source    PyTorch, torch.compile (Ansel et al., "PyTorch 2", ASPLOS 2024).
#include "kernels/runtime/peers/external_rows.h"

namespace ridge {
namespace {

#define RIDGE_CHAIN_SCRIPT                                                                    \
  RIDGE_TORCH_ROWS                                                                            \
  "def chain(x, weight, bias, layers: int):\n"                                                \
  "    for _ in range(layers):\n"                                                             \
  "        x = F.gelu(F.layer_norm(x + bias, (x.shape[-1],)) * weight, approximate='tanh')\n" \
  "    return x\n"

constexpr external::Peer kChain = {.library = "PyTorch",
                                   .package = "torch",
                                   .part = "lib/libtorch_cuda.so",
#if RIDGE_COMPILED
                                   .script = RIDGE_CHAIN_SCRIPT R"py(
compiled = torch.compile(chain, dynamic=True)
class Call(Rows):
    def call(self):
        self.y = compiled(self.x, self.weight, self.bias, self.layers)
make = Call
)py",
#else
                                   .script = RIDGE_CHAIN_SCRIPT R"py(
class Call(Rows):
    def call(self):
        self.y = chain(self.x, self.weight, self.bias, self.layers)
make = Call
)py",
#endif
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
