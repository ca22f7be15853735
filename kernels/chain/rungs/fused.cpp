// ridge: flags=-O3
//
// Idea      All operations of a row before the next row: it comes from memory once, and what lies between
//           stays in the core's caches or in a register.
// Changed   The order of the loops. No operation is another one.
// Limits    Arithmetic: sums wait for the addition before, each gelu is a call, and the loop around that call
//           computes one element at a time.
// Look at   What fusion alone brings where one element costs this much: nothing, or a loss. It is a lever on traffic.
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
