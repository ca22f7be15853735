// Idea      PyTorch trains the same network on the GPU, in fp32.
// Changed   cuDNN's convolutions and cuBLAS, TF32 off; the step is a CUDA graph, the optimizer fused.
// Limits    Its libraries' kernels, and what is written between two operations that ours do in one.
// Look at   Its step time against ours at a batch of 256 and of 8192.
// Source    kernels/mixed/peers/pytorch.cpp has the process, and the text of it.
#include "kernels/runtime/networks/precision.h"

namespace ridge {
namespace {

constexpr Precision kPrecision = {};

RIDGE_TRAINING(mixed, cuda, pytorch, .library = "PyTorch", .external = true,
               .unavailable = mixed_pytorch_unavailable, .maker = &kMixedPytorch,
               .config = &kPrecision);

}  // namespace
}  // namespace ridge
