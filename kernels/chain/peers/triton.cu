// Idea      The fused chain, written in Triton by hand: a program a row, the row in its registers.
// Changed   Against ours: Triton chooses threads, loads and reductions.
// Limits    At small sizes the launch, as in ours: its calls are CUDA graphs of 20.
//           Rows over 16384 are left to PyTorch: the compiler takes minutes for them.
// Look at   height = 32 against 8192: a launch against bandwidth.
// Source    Triton's tutorials, "Fused Softmax" and "Layer Normalization", for the language.
#include "kernels/runtime/peers/external_rows.h"

namespace ridge {
namespace {

constexpr external::Peer kTriton = {.library = "Triton",
                                    .package = "triton",
                                    .floor = "3.0",
                                    .prelude = kTorchCalls,
                                    .script = RIDGE_TORCH_ROWS R"py(
import importlib.util, tempfile
# Triton reads a kernel's source from its file, and this text is in none.
text = '''
import triton
import triton.language as tl

@triton.jit
def chain_kernel(x, weight, bias, y, n, layers: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.program_id(0).to(tl.int64) * n
    inside = at < n
    v = tl.load(x + row + at, mask=inside, other=0.0)
    w = tl.load(weight + at, mask=inside, other=0.0)
    b = tl.load(bias + at, mask=inside, other=0.0)
    for _ in tl.static_range(layers):
        v = v + b
        mean = tl.sum(v, 0) / n
        d = tl.where(inside, v - mean, 0.0)
        t = d / tl.sqrt(tl.sum(d * d, 0) / n + 1e-5) * w
        v = t * tl.sigmoid(1.5957691216 * (t + 0.044715 * t * t * t))
        v = tl.where(inside, v, 0.0)
    tl.store(y + row + at, v, mask=inside)
'''
folder = tempfile.mkdtemp()
with open(folder + '/ridge_chain.py', 'w') as file:
    file.write(text)
spec = importlib.util.spec_from_file_location('ridge_chain', folder + '/ridge_chain.py')
made = importlib.util.module_from_spec(spec)
spec.loader.exec_module(made)

class Call(Rows):
    def compute(self):
        if self.n > 16384:  # a row of registers it would compile for minutes
            return self.by_pytorch()
        block = max(16, 1 << (self.n - 1).bit_length())
        made.chain_kernel[(self.x.shape[0],)](self.x, self.weight, self.bias, self.y, self.n,
                                              self.layers, block, num_warps=8 if block > 1024 else 4)
        return self.y
    def by_pytorch(self):
        v = self.x
        for _ in range(self.layers):
            v = F.gelu(F.layer_norm(v + self.bias, (self.n,)) * self.weight, approximate='tanh')
        self.y.copy_(v)
        return self.y
make = Call
)py",
                                    .copy = device::copy_and_wait,
                                    .device = current_gpu};

Status prepare_triton(const Shape& shape, Plan* plan) {
  return prepare_external_rows(kTriton, shape, plan);
}

}  // namespace
}  // namespace ridge

RIDGE_KERNEL(
    chain, cuda, triton, .library = "Triton",
    .version = [] { return ridge::external::version(ridge::kTriton); }, .may_sync = true,
    .time_calls = ridge::external::time_calls,
    .unavailable = [] { return ridge::external::unavailable(ridge::kTriton); },
    .prepare = ridge::prepare_triton, .launch = ridge::external::launch);
