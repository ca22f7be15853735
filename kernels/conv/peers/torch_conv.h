// The Python of cuDNN's convolution, after kTorchCalls (torch_calls.h).
#pragma once

#include "kernels/runtime/peers/torch_calls.h"

namespace ridge {

/// PyTorch's search tries ten plans unless told otherwise, and its pick differs from search to search: 28 to 34 us for
/// one layer in five processes. Here it tries all plans, on random data, in several searches, and the fastest by timed
/// graphs stays. Products too small to be timed in earnest (the gate's) are searched once.
inline constexpr const char* kTorchConv = R"py(
import torch.nn.functional as F

types = {'fp32': torch.float32, 'bf16': torch.bfloat16, 'fp16': torch.float16}
torch.backends.cudnn.benchmark = True
torch.backends.cudnn.benchmark_limit = 0  # all plans

SEARCHES, WORTH, LIMIT_S = 5, 1e8, 20

class Convolution:
    def __init__(self, stored, dtype, n, c, h, w, m, r, s, stride, pad, groups, layout=0, relu=0):
        self.type, self.options, self.relu = types[dtype], (stride, pad, 1, groups), relu != 0
        self.memory = torch.channels_last if layout == 1 else torch.contiguous_format
        p, q = (h + 2 * pad - r) // stride + 1, (w + 2 * pad - s) // stride + 1
        self.shapes = [(n, c, h, w), (m, c // groups, r, s), (m,), (n, m, p, q)]
        self.products = n * m * p * q * (c // groups) * r * s
        # The peer's own images and filters may have more channels than there are: zeros, put there untimed.
        shapes = [(n, stored, h, w), (m, stored // groups, r, s), (m,)]
        self.stored, self.draw = stored, None
        self.tensors = [self.made(*both) for both in zip(shapes, self.shapes)]

    def made(self, shape, used):
        tensor = torch.zeros(shape, dtype=self.type, device=place)
        if len(shape) == 1:
            return tensor.normal_()
        tensor = tensor.contiguous(memory_format=self.memory)
        tensor[:, :used[1]].normal_()  # zeros draw less power and change the order of plans
        return tensor

    def search(self, count):
        """Seconds a call of `count` searches and of the one before, the fastest first, which stays."""
        draw, seconds = fastest_draw(lambda: Calls(self.compute), count, LIMIT_S)
        if self.draw is not None:
            old, new = seconds_of([self.draw.result, draw.result])
            seconds = sorted(seconds + [old])
            if old <= new:
                self.draw, draw = draw, self.draw
            self.draw.drop()
        self.draw, self.calls = draw, draw.result.calls
        return seconds

    def close(self):
        self.draw.drop()

    def load(self, i, memory):
        if i == 3:
            return
        flat = torch.frombuffer(memory, dtype=self.type)
        to = self.tensors[i] if i > 1 else self.tensors[i][:, :self.shapes[i][1]]
        if i == 0 and self.memory == torch.channels_last:
            n, c, h, w = self.shapes[i]
            to.copy_(flat.view(n, h, w, c).permute(0, 3, 1, 2))
        else:
            to.copy_(flat.view(self.shapes[i]))

    def store(self, i, memory):
        tensor = self.draw.result.output
        if self.memory == torch.channels_last:
            tensor = tensor.permute(0, 2, 3, 1)
        torch.frombuffer(memory, dtype=self.type).view(tensor.shape).copy_(tensor)

    def call(self):
        self.draw.result.call()

    def compute(self):
        x, f, bias = self.tensors
        stride, pad, dilation, groups = self.options
        if self.relu:
            return torch.cudnn_convolution_relu(
                x, f, bias, (stride, stride), (pad, pad), (dilation, dilation), groups)
        return F.conv2d(x, f, None, stride, pad, dilation, groups)

    def finish(self):
        torch.cuda.synchronize(place)

# Few channels: its kernels like them in fours or eights, and get the images so where that is faster.
def make(dtype, *dims):
    channels, groups = dims[1], dims[9]
    padded = [more for more in (4, 8) if channels < more] if groups == 1 else []
    plans = [Convolution(stored, dtype, *dims) for stored in [channels] + padded]
    for plan in plans:
        plan.search(1)
    times = seconds_of([plan.draw.result for plan in plans]) if padded else [0]
    best = plans[times.index(min(times))]
    for plan in plans:
        if plan is not best:
            plan.close()
    kept = f'{best.stored} channels, ' if padded else ''
    best.note = kept + 'one search over all plans'
    if best.products >= WORTH:
        seconds = best.search(SEARCHES - 1)
        best.note = (kept + f'fastest of {len(seconds)} searches over all plans: '
                     f'{seconds[0] * 1e6:.1f} to {seconds[-1] * 1e6:.1f} us')
    best.note = best.draw.result.note or best.note
    return best
)py";

}  // namespace ridge
