// ridge: flags=-O3
//
// Idea      From the first word to the last: all eight words of a line are used while it is there, and the prefetcher
//           sees where the next lines will be and fetches them before anybody asks.
// Changed   The order of the visits; and the loop: sum_words has eight accumulators, of which -O3 makes vectors.
// Limits    The bandwidth of the level that holds the set. In DRAM: the lines that one core can have in flight.
// Look at   A sweep over `kib`, in the view Bandwidth: a step down at the end of each cache.
// Source    McCalpin, STREAM (1995); Drepper (2007).
#include "kernels/runtime/cpu/sum_words.h"
#include "kernels/sums/sums.h"

namespace ridge {
namespace {

Status launch_in_order(const Launch& launch) {
  const Sums s = sums_of(launch);
  for (int i = 0; i < s.threads; ++i) s.out[i] = 0;
  s.out[0] = sum_words(s.data, s.words);
  return {};
}

RIDGE_KERNEL(sums, cpu, in_order, .launch = launch_in_order);

}  // namespace
}  // namespace ridge
