// ridge: arch=80
//
// Idea      PyTorch's own product with weights of 4 bits, in a python3 of its own.
// Changed   torch._weight_int4pack_mm, written for decoding on Ampere: weights packed beforehand, groups of 128 with
//           a scale and a zero in bf16 each.
// Limits    What it leaves of the memory's rate.
// Look at   It takes the same weights: value - 8 times the scale.
// Source    PyTorch, aten/src/ATen/native/cuda/int4mm.cu.
#include "common/harness/measure/external.h"
#include "kernels/runtime/cuda/upload.h"
#include "kernels/gemv/gemv.h"
#include "kernels/gemv/peers/torch_int4.h"

namespace ridge {
namespace {

int current_device() {
  int device = 0;
  return cudaGetDevice(&device) == cudaSuccess ? device : 0;
}

constexpr external::Peer kPytorch = {.library = "PyTorch",
                                     .package = "torch",
                                     .part = "lib/libtorch_cuda.so",
                                     .floor = kTorchFloor,
                                     .prelude = kTorchCalls,
                                     .script = kTorchInt4,
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
