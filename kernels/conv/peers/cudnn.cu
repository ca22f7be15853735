// ridge: arch=75
//
// Idea      The peer: cuDNN's convolution, called through PyTorch, in a python3 of its own, with its search over
//           algorithms (torch.backends.cudnn.benchmark). fp32 stays fp32: TF32 is off.
// Changed   Everything; which of its kernels it is, the search decides.
// Limits    As ours.
// Look at   It is marked external: blocks of calls alternate with ours, on the same clock. Its tensors have the
//           layout that is asked for: channels_last is nhwc. With fewer than 4 or 8 channels it is also given them
//           filled up with zeros, for nothing, and its fastest counts: the note.
// Source    cuDNN; torch.nn.functional.conv2d and torch.cudnn_convolution_relu.
#include "common/harness/measure/external.h"
#include "kernels/runtime/cuda/upload.h"
#include "kernels/runtime/problems/conv.h"

namespace ridge {
namespace {

constexpr const char* kScript = R"py(
import os, time, torch
import torch.nn.functional as F

place = torch.device('cuda:' + os.environ['RIDGE_PEER_DEVICE'])
types = {'fp32': torch.float32, 'bf16': torch.bfloat16, 'fp16': torch.float16}
torch.backends.cudnn.benchmark = True
torch.backends.cudnn.allow_tf32 = False
torch.backends.cuda.matmul.allow_tf32 = False

class Convolution:
    def __init__(self, stored, dtype, n, c, h, w, m, r, s, stride, pad, groups, layout=0, relu=0):
        self.type, self.options, self.relu = types[dtype], (stride, pad, 1, groups), relu != 0
        self.memory = torch.channels_last if layout == 1 else torch.contiguous_format
        p, q = (h + 2 * pad - r) // stride + 1, (w + 2 * pad - s) // stride + 1
        self.shapes = [(n, c, h, w), (m, c // groups, r, s), (m,), (n, m, p, q)]
        # The peer's own images and filters may have more channels than there are: zeros, put there untimed.
        shapes = [(n, stored, h, w), (m, stored // groups, r, s)] + self.shapes[2:]
        self.tensors = [self.made(shape) for shape in shapes]
        # A call from Python takes 10 us and more to launch: a recorded one does not.
        side = torch.cuda.Stream(place)
        with torch.cuda.stream(side):
            for _ in range(3):
                self.compute()
        torch.cuda.synchronize(place)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph, stream=side):
            self.compute()

    def made(self, shape):
        tensor = torch.zeros(shape, dtype=self.type, device=place)
        return tensor.contiguous(memory_format=self.memory) if len(shape) == 4 else tensor

    def load(self, i, memory):
        flat = torch.frombuffer(memory, dtype=self.type)
        to = self.tensors[i] if i > 1 else self.tensors[i][:, :self.shapes[i][1]]
        if i == 0 and self.memory == torch.channels_last:
            n, c, h, w = self.shapes[i]
            to.copy_(flat.view(n, h, w, c).permute(0, 3, 1, 2))
        else:
            to.copy_(flat.view(self.shapes[i]))

    def store(self, i, memory):
        tensor = self.tensors[i]
        if self.memory == torch.channels_last:
            tensor = tensor.permute(0, 2, 3, 1)
        torch.frombuffer(memory, dtype=self.type).view(tensor.shape).copy_(tensor)

    def call(self):
        self.graph.replay()

    def compute(self):
        x, f, bias, _ = self.tensors
        stride, pad, dilation, groups = self.options
        if self.relu:
            self.tensors[3] = torch.cudnn_convolution_relu(
                x, f, bias, (stride, stride), (pad, pad), (dilation, dilation), groups)
        else:
            self.tensors[3] = F.conv2d(x, f, None, stride, pad, dilation, groups)

    def finish(self):
        torch.cuda.synchronize(place)

    def seconds(self):
        best = float('inf')
        for _ in range(5):
            self.finish()
            start = time.perf_counter()
            for _ in range(20):
                self.call()
            self.finish()
            best = min(best, (time.perf_counter() - start) / 20)
        return best

# Few channels: its kernels like them in fours or eights, and get the images so where that is faster.
def make(dtype, *dims):
    channels, groups = dims[1], dims[9]
    padded = [more for more in (4, 8) if channels < more] if groups == 1 else []
    if not padded:
        return Convolution(channels, dtype, *dims)
    tried = [(plan.seconds(), stored, plan)
             for stored in [channels] + padded for plan in [Convolution(stored, dtype, *dims)]]
    seconds, stored, best = min(tried, key=lambda one: one[0])
    best.note = 'its best of ' + ', '.join(
        f'{at} channels {t * 1e6:.0f} us' for t, at, _ in tried)
    return best
)py";

const external::Peer kPeer = {.library = "cuDNN",
                              .package = "torch",
                              .part = "lib/libtorch_cuda.so",
                              .script = kScript,
                              .copy = device::copy_and_wait,
                              .device = [] {
                                int device = 0;
                                return cudaGetDevice(&device) == cudaSuccess ? device : 0;
                              }};

Status prepare_cudnn(const Shape& shape, Plan* plan) {
  const Conv v = conv_shape(&shape);
  if (v.layout == kConvNchw16c) {
    return {"cuDNN takes nchw and nhwc", "prepare_cudnn", __FILE__, __LINE__, false};
  }
  const size_t size = dtype_size(shape.dtype);
  const external::Buffer buffers[] = {
      {static_cast<size_t>(v.n * v.x_at.image) * size, false},
      {static_cast<size_t>(v.m * v.group_c * v.r * v.s) * size, false},
      {static_cast<size_t>(v.m) * size, false},
      {static_cast<size_t>(v.n * v.y_at.image) * size, true}};
  return external::prepare(kPeer, shape, buffers, 4, plan);
}

}  // namespace
}  // namespace ridge

RIDGE_KERNEL(
    conv, cuda, cudnn, .dtypes = "fp32 bf16 fp16", .library = "cuDNN through PyTorch",
    .version = [] { return ridge::external::version(ridge::kPeer); }, .may_sync = true,
    .time_calls = ridge::external::time_calls,
    .unavailable = [] { return ridge::external::unavailable(ridge::kPeer); },
    .prepare = ridge::prepare_cudnn, .launch = ridge::external::launch);
