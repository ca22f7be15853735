// The Python of PyTorch's product with weights of 4 bits, after kTorchCalls (torch_calls.h).
#pragma once

#include "kernels/runtime/peers/torch_calls.h"

namespace ridge {

/// The copies of the weights take turns from call to call, in a recording too.
inline constexpr const char* kTorchInt4 = R"py(
class Product(Replayed):
    """Rows are filled up to a multiple of 16, columns to one of 1,024 with weights of zero: it takes no others."""
    def __init__(self, dtype, batch, n, k, copies, kind=0, fused=0):
        self.batch, self.n, self.k, self.copies, self.next = batch, n, k, copies, 0
        self.rows, self.columns = -(-n // 16) * 16, -(-k // 1024) * 1024
        self.scale_row = -(-(k // 128) // 4) * 4
        self.x = torch.zeros(batch, self.columns, dtype=torch.bfloat16, device=place)
        self.w = [self.packed(None) for _ in range(copies)]
        pair = (self.columns // 128, self.rows, 2)
        self.scales = [torch.zeros(pair, dtype=torch.bfloat16, device=place) for _ in range(copies)]
        self.begin(turns=copies)

    def packed(self, copy):
        wide = torch.full((self.rows, self.columns // 2), 0x88, dtype=torch.uint8, device=place)
        if copy is not None:
            wide[:self.n, :self.k // 2] = copy >> 4 | copy << 4  # it wants the even element in the upper half
        return torch.ops.aten._convert_weight_to_int4pack(wide, 8)

    def load(self, i, memory):
        if i == 0:
            x = torch.frombuffer(memory, dtype=torch.bfloat16)[:self.batch * self.k]
            self.x[:, :self.k].copy_(x.view(self.batch, self.k))
        elif i == 1:
            two = torch.frombuffer(memory, dtype=torch.uint8)[:self.copies * self.n * self.k // 2]
            for c, copy in enumerate(two.view(self.copies, self.n, self.k // 2)):
                self.w[c].copy_(self.packed(copy.to(place)))
        elif i == 2:
            scales = torch.frombuffer(memory, dtype=torch.bfloat16)[:self.copies * self.n * self.scale_row]
            for c, copy in enumerate(scales.view(self.copies, self.n, self.scale_row)):
                self.scales[c][:self.k // 128, :self.n, 0] = copy[:, :self.k // 128].to(place).t()

    def store(self, i, memory):
        y = torch.frombuffer(memory, dtype=torch.bfloat16)[:self.batch * self.n]
        y.view(self.batch, self.n).copy_(self.made.output[:, :self.n])

    def compute(self):
        c = self.next
        self.next = (c + 1) % self.copies
        return torch._weight_int4pack_mm(self.x, self.w[c], 128, self.scales[c])

make = Product
)py";

}  // namespace ridge
