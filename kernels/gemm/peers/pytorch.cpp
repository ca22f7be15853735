// ridge: flags=-O2
//
// Idea      PyTorch on the CPU, in a python3 of its own: what a model's linear layer runs here.
// Changed   Against NumPy the library below: oneDNN or MKL instead of OpenBLAS, and bf16 as well.
// Limits    As oneDNN: the FMA units, or the bf16 dot products where the CPU has them.
// Look at   threads: PyTorch takes every core when nobody says otherwise, and a table that forgets
//           to say so compares one core with 64.
// Source    PyTorch, torch.matmul.
#include "kernels/gemm/peers/external_gemm.h"

namespace ridge {
namespace {

constexpr external::Peer kPytorch = {
    .library = "PyTorch", .package = "torch", .floor = kTorchFloor, .prelude = kTorchCalls, .script = kTorchGemm};

Status prepare_pytorch(const Shape& shape, Plan* plan) {
  return prepare_external_gemm(kPytorch, shape, plan);
}

RIDGE_KERNEL(
    gemm, cpu, pytorch, .dtypes = "fp32 bf16", .library = "PyTorch",
    .version = [] { return external::version(kPytorch); }, .time_calls = external::time_calls,
    .unavailable = [] { return external::unavailable(kPytorch); }, .prepare = prepare_pytorch,
    .launch = external::launch);

}  // namespace
}  // namespace ridge
