// ridge: flags=-O2 needs=onednn
//
// Idea      The peer in bf16: oneDNN's matmul primitive, compiled for this CPU and this shape while
//           the plan is made. bf16 in, sums in fp32, bf16 out.
// Changed   dnnl_sgemm is fp32 only; the primitive takes any types. Plain row-major operands, as every
//           rung gets them: a layout of its own choice would need copying inside the timed call.
// Limits    AMX, where the CPU has it, else the units for vdpbf16ps. Where it has no AVX-512 BF16, oneDNN refuses.
// Look at   Its share of the bf16 ceiling, beside the share of fp32's that sgemm reaches.
// Source    oneDNN, dnnl_matmul_desc_init. Threads follow OpenMP, as in onednn.cpp.
#include "kernels/runtime/peers/onednn_matmul.h"

namespace ridge {
namespace {

constexpr MatmulTypes kTypes = {dnnl_bf16, dnnl_bf16, dnnl_ab, "oneDNN has no bf16 for this CPU"};

Status prepare(const Shape& shape, Plan* plan) {
  return prepare_matmul(shape, kTypes, plan);
}

RIDGE_KERNEL(gemm, cpu, onednn_bf16, .dtypes = "bf16", .library = "oneDNN",
             .version = matmul_version, .unavailable = why_no_bf16, .prepare = prepare,
             .launch = launch_matmul);

}  // namespace
}  // namespace ridge
