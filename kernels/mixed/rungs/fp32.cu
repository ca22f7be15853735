// ridge: arch=80 needs=cublas
//
// Idea      The training step in fp32 on a GPU: dense products by cuBLAS on the FMA units, convolutions
//           (cuda_conv.h: with bias, ReLU and pool in registers) and everything else our kernels, all of it
//           one graph.
// Changed   The CPU's step, layer by layer; the loss scale and the rate lie in device memory.
// Limits    FMA units, for wide layers and for convolutions; the first of them, of one channel, is memory and
//           finding places.
// Look at   Step time at a batch of 256 and at 8192: how much of the first is launching?
// Source    llm.c (Karpathy) for the layout; CUDA graphs, CUDA C++ Programming Guide.
#include "kernels/runtime/networks/precision.h"

namespace ridge {
namespace {

constexpr Precision kPrecision = {};

RIDGE_TRAINING(mixed, cuda, fp32, .dtypes = "fp32", .maker = &kMixedCuda, .config = &kPrecision);

}  // namespace
}  // namespace ridge
