// ridge: flags=-O2 needs=onednn
//
// Idea      The peer in int8: oneDNN's matmul primitive, 32-bit sums out.
// Changed   The types, and B transposed, as this type has it (gemm.h).
// Limits    AMX, where the CPU has it, else the units for vpdpbusd. It packs B as we do, in the timed call.
// Look at   Its share of the int8 ceiling.
// Source    oneDNN, dnnl_matmul_desc_init. Threads follow OpenMP, as in onednn.cpp.
#include "kernels/runtime/peers/onednn_matmul.h"

namespace ridge {
namespace {

constexpr MatmulTypes kTypes = {dnnl_s8, dnnl_s32, dnnl_ba, "oneDNN has no int8 for this CPU"};

Status prepare(const Shape& shape, Plan* plan) {
  return prepare_matmul(shape, kTypes, plan);
}

RIDGE_KERNEL(gemm, cpu, onednn_int8, .dtypes = "int8", .library = "oneDNN",
             .version = matmul_version, .unavailable = why_no_int8, .prepare = prepare,
             .launch = launch_matmul);

}  // namespace
}  // namespace ridge
