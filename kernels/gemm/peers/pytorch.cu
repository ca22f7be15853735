// Idea      PyTorch on the GPU, in a python3 of its own: what most models really call.
// Changed   cuBLAS underneath, chosen and launched by PyTorch; its arrays, its stream, its process.
// Limits    What cuBLAS reaches. Its calls are CUDA graphs of 20: what a launch from Python costs does not count.
// Look at   fp32 with TF32 off, as here, against tf32: the same line of Python, one switch apart.
// Source    PyTorch, torch.matmul; torch.backends.cuda.matmul: TF32 off except for tf32, 16-bit reductions off.
#include "kernels/runtime/cuda/upload.h"
#include "kernels/gemm/peers/external_gemm.h"

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
                                     .script = kTorchGemm,
                                     .copy = device::copy_and_wait,
                                     .device = current_device};

Status prepare_pytorch(const Shape& shape, Plan* plan) {
  return prepare_external_gemm(kPytorch, shape, plan);
}

}  // namespace
}  // namespace ridge

RIDGE_KERNEL(
    gemm, cuda, pytorch, .dtypes = "fp32 tf32 bf16 fp16", .library = "PyTorch",
    .version = [] { return ridge::external::version(ridge::kPytorch); }, .may_sync = true,
    .time_calls = ridge::external::time_calls,
    .unavailable = [] { return ridge::external::unavailable(ridge::kPytorch); },
    .prepare = ridge::prepare_pytorch, .launch = ridge::external::launch);
