// ridge: flags=-O2
//
// Idea      Results stream past the caches, one row is begun while an earlier one is finished
//           (kernels/rows/rungs/row_stream.h), and each thread has rows of its own.
// Changed   As rows.cpu.streamed: fewer bytes, and each loop reads and writes. A layer's output is the next
//           one's input element by element, so each layer is one sweep.
// Limits    The read-and-write ceiling, "DRAM copy", with as many threads.
// Look at   height = 8192, width = 4096, layers = 1, all threads: its share. layers = 8: arithmetic again.
// Source    Intel 64 and IA-32 Optimization Reference Manual, "Non-temporal stores".
#include "kernels/runtime/cpu/widest_row.h"

namespace ridge {
namespace {

Status launch_streamed(const Launch& launch) {
  return rows_run_streamed(launch, widest_rows());
}

RIDGE_KERNEL(chain, cpu, streamed, .launch = launch_streamed);

}  // namespace
}  // namespace ridge
