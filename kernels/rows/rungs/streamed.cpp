// ridge: flags=-O2
//
// Idea      An ordinary store reads the line first that it is going to overwrite: y costs twice. Streaming
//           stores write whole lines past the caches. And one row is begun while an earlier one is finished
//           (row_stream.h), so that each line read comes with a line written.
// Changed   What memory has to do: 8 bytes an element instead of 12, all the time; on as many threads as
//           are set.
// Limits    The copy ceiling. One thread cannot have enough lines under way to reach that of two.
// Look at   threads = 1, then all; the share of "DRAM copy" with as many threads.
// Source    Intel 64 and IA-32 Optimization Reference Manual, "Non-temporal stores".
#include "kernels/runtime/cpu/widest_row.h"

namespace ridge {
namespace {

Status launch_streamed(const Launch& launch) {
  return rows_run_streamed(launch, widest_rows());
}

RIDGE_KERNEL(rows, cpu, streamed, .launch = launch_streamed);

}  // namespace
}  // namespace ridge
