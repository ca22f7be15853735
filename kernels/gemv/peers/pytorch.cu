// ridge: arch=80
//
// Idea      PyTorch's own product with weights of 4 bits, in a python3 of its own.
// Changed   torch._weight_int4pack_mm, written for decoding on Ampere: weights packed beforehand, groups of 128 with
//           a scale and a zero in bf16 each.
// Limits    What it leaves of the memory's rate; and, where a call is short, what a call from Python costs.
// Look at   It takes the same weights: value - 8 times the scale.
// Source    PyTorch, aten/src/ATen/native/cuda/int4mm.cu.
#include "common/harness/measure/external.h"
#include "kernels/runtime/cuda/upload.h"
#include "kernels/gemv/gemv.h"

namespace ridge {
namespace {

constexpr const char* kScript = R"py(
import os, torch

place = torch.device('cuda:' + os.environ['RIDGE_PEER_DEVICE'])

class Product:
    """Rows are filled up to a multiple of 16, columns to one of 1,024 with weights of zero: it takes no others."""
    def __init__(self, dtype, batch, n, k, copies, kind=0, fused=0):
        self.batch, self.n, self.k, self.copies = batch, n, k, copies
        self.rows, self.columns = -(-n // 16) * 16, -(-k // 1024) * 1024
        self.scale_row = -(-(k // 128) // 4) * 4
        self.x = torch.zeros(batch, self.columns, dtype=torch.bfloat16, device=place)
        self.turn, self.w, self.scales, self.y = 0, [None] * copies, [None] * copies, None

    def load(self, i, memory):
        if i == 0:
            x = torch.frombuffer(memory, dtype=torch.bfloat16)[:self.batch * self.k]
            self.x[:, :self.k].copy_(x.view(self.batch, self.k))
        elif i == 1:
            two = torch.frombuffer(memory, dtype=torch.uint8)[:self.copies * self.n * self.k // 2]
            for c, copy in enumerate(two.view(self.copies, self.n, self.k // 2)):
                wide = torch.full((self.rows, self.columns // 2), 0x88, dtype=torch.uint8, device=place)
                copy = copy.to(place)
                wide[:self.n, :self.k // 2] = copy >> 4 | copy << 4  # it wants the even element in the upper half
                self.w[c] = torch.ops.aten._convert_weight_to_int4pack(wide, 8)
        elif i == 2:
            scales = torch.frombuffer(memory, dtype=torch.bfloat16)[:self.copies * self.n * self.scale_row]
            for c, copy in enumerate(scales.view(self.copies, self.n, self.scale_row)):
                pair = torch.zeros(self.columns // 128, self.rows, 2, dtype=torch.bfloat16, device=place)
                pair[:self.k // 128, :self.n, 0] = copy[:, :self.k // 128].to(place).t()
                self.scales[c] = pair

    def store(self, i, memory):
        y = torch.frombuffer(memory, dtype=torch.bfloat16)[:self.batch * self.n]
        y.view(self.batch, self.n).copy_(self.y[:, :self.n])

    def call(self):
        c = self.turn
        self.turn = (c + 1) % self.copies
        self.y = torch._weight_int4pack_mm(self.x, self.w[c], 128, self.scales[c])

    def finish(self):
        torch.cuda.synchronize(place)

make = Product
)py";

int current_device() {
  int device = 0;
  return cudaGetDevice(&device) == cudaSuccess ? device : 0;
}

constexpr external::Peer kPytorch = {.library = "PyTorch",
                                     .package = "torch",
                                     .part = "lib/libtorch_cuda.so",
                                     .script = kScript,
                                     .copy = device::copy_and_wait,
                                     .device = current_device};

Status prepare_gemv_pytorch(const Shape& shape, Plan* plan) {
  const int64_t batch = shape.dim[kGemvBatch], n = shape.dim[kGemvN], k = shape.dim[kGemvK],
                copies = shape.dim[kGemvCopies];
  const auto scales = static_cast<size_t>(gemv_scale_bytes(kGemvInt4, n, k) * copies);
  const external::Buffer buffers[] = {{static_cast<size_t>(batch * k) * 2, false},
                                      {static_cast<size_t>(copies * n * k / 2), false},
                                      {scales, false},
                                      {4, false},
                                      {4, false},
                                      {static_cast<size_t>(batch * n) * 2, true}};
  return external::prepare(kPytorch, shape, buffers, 6, plan);
}

}  // namespace
}  // namespace ridge

RIDGE_KERNEL(
    gemv, cuda, pytorch, .dtypes = "int4", .library = "PyTorch",
    .version = [] { return ridge::external::version(ridge::kPytorch); }, .may_sync = true,
    .time_calls = ridge::external::time_calls,
    .unavailable = [] { return ridge::external::unavailable(ridge::kPytorch); },
    .prepare = ridge::prepare_gemv_pytorch, .launch = ridge::external::launch);
