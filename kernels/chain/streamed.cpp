// ridge: flags=-O2
//
// Idea      Results stream past the caches, the next row is fetched while this one is computed, and each
//           thread has rows of its own.
// Changed   As rows.cpu.streamed: what memory has to do, and that it never rests.
// Limits    The read-and-write ceiling, "DRAM copy", with as many threads.
// Look at   height = 8192, width = 4096, layers = 1, all threads: its share. layers = 8: arithmetic again.
// Source    Intel 64 and IA-32 Optimization Reference Manual, "Non-temporal stores".
#include "kernels/rows/widest.h"

namespace ridge {
namespace {

Status launch_streamed(const Launch& launch) {
  return rows_run_streamed(launch, widest_rows());
}

RIDGE_KERNEL(chain, cpu, streamed, .launch = launch_streamed);

}  // namespace
}  // namespace ridge
