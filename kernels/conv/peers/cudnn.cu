// ridge: arch=75
//
// Idea      The peer: cuDNN's convolution, called through PyTorch, in a python3 of its own. Its search over
//           algorithms (torch.backends.cudnn.benchmark) is made five times, over all plans; the fastest counts, and the
//           note says so. fp32 stays fp32: TF32 is off.
// Changed   Everything; which of its kernels it is, the searches decide.
// Limits    As ours. Its calls are CUDA graphs of 20.
// Look at   It is marked external: blocks of calls alternate with ours, on the same clock. Its tensors have the
//           layout that is asked for: channels_last is nhwc. With fewer than 4 or 8 channels it is also given them
//           filled up with zeros, for nothing, and its fastest counts.
// Accuracy  Max norm: among the algorithms that it searches are Winograd's and FFTs, whose errors are relative to the
//           largest pixel of a tile. It does not say which one it took.
// Source    cuDNN; torch.nn.functional.conv2d and torch.cudnn_convolution_relu.
#include "common/harness/measure/external.h"
#include "kernels/conv/peers/torch_conv.h"
#include "kernels/runtime/cuda/upload.h"
#include "kernels/runtime/problems/conv.h"

namespace ridge {
namespace {

const external::Peer kPeer = {.library = "cuDNN",
                              .package = "torch",
                              .part = "lib/libtorch_cuda.so",
                              .floor = kTorchFloor,
                              .prelude = kTorchCalls,
                              .script = kTorchConv,
                              .copy = device::copy_and_wait,
                              .device = [] {
                                int device = 0;
                                return cudaGetDevice(&device) == cudaSuccess ? device : 0;
                              }};

Status prepare_cudnn(const Shape& shape, Plan* plan) {
  const Conv v = conv_shape(&shape);
  if (v.layout == kConvNchw16c) {
    return refuse("cuDNN takes nchw and nhwc");
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
    .accuracy = ridge::Accuracy::max_norm,
    .time_calls = ridge::external::time_calls,
    .unavailable = [] { return ridge::external::unavailable(ridge::kPeer); },
    .prepare = ridge::prepare_cudnn, .launch = ridge::external::launch);
