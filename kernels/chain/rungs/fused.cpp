// ridge: flags=-O3
//
// Idea      All operations of a row before the next row: it comes from memory once, and what lies between
//           stays in the core's caches or in a register.
// Changed   The order of the loops. No operation is another one.
// Limits    Arithmetic, one lane at a time: sums wait for the addition before, and each gelu is a call.
// Look at   What fusion alone brings where one element costs this much: little. It is a lever on traffic.
// Source    Operator fusion as XLA and TorchInductor do it.
#include "kernels/runtime/cpu/scalar_row.h"

namespace ridge {
namespace {

Status launch_fused(const Launch& launch) {
  return rows_run(launch, scalar_row);
}

RIDGE_KERNEL(chain, cpu, fused, .launch = launch_fused);

}  // namespace
}  // namespace ridge
