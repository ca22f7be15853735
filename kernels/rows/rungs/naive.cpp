// ridge: flags=-O2
//
// Idea      The definition, element by element: softmax goes over a row for its maximum, for its sum, and
//           for its results; layernorm for mean, variance and results.
// Limits    Neither memory nor lanes: each element waits for a call of expf, or for the addition before it
//           (3 or 4 cycles, one lane of 8 or 16).
// Look at   Its share of the copy ceiling; then the same for op=rmsnorm, which calls nothing.
// Source    The definitions.
#include "kernels/runtime/cpu/scalar_row.h"

namespace ridge {
namespace {

Status launch_naive(const Launch& launch) {
  return rows_run(launch, scalar_row);
}

RIDGE_KERNEL(rows, cpu, naive, .launch = launch_naive);

}  // namespace
}  // namespace ridge
