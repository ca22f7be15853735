// ridge: flags=-O3
//
// Idea      Memory in order, on any processor: sum 64-bit words, eight sums at a time, each
//           thread its own slice. One addition per word is less than a core can do while it waits.
// Limits    DRAM bandwidth, once the data are several times the last-level cache; for one thread
//           the cache lines a core can have in flight.
#include "kernels/probe/read_slices.h"
#include "kernels/runtime/cpu/sum_words.h"

namespace ridge {
namespace {

Status launch_read(const Launch& launch) {
  return launch_read_slices(launch, sum_words);
}

RIDGE_KERNEL(probe, cpu, read_portable, .launch = launch_read);

}  // namespace
}  // namespace ridge
