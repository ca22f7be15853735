// ridge: flags=-O2
//
// Idea      The fused row by vectors: AVX-512's or AVX2's, whichever this CPU has (kernels/rows/rungs/row_vectors.h).
// Changed   8 or 16 elements an instruction, gelu's exponential a polynomial among them.
// Limits    From memory: mostly bytes, by the lesson's count.
// Look at   The step that fusion made possible: separate passes, as fast as this, would wait for memory.
// Source    As rows.cpu.avx2.
#include "kernels/runtime/cpu/widest_row.h"

namespace ridge {
namespace {

Status launch_vectors(const Launch& launch) {
  return rows_run(launch, widest_rows().row);
}

RIDGE_KERNEL(chain, cpu, vectors, .launch = launch_vectors);

}  // namespace
}  // namespace ridge
