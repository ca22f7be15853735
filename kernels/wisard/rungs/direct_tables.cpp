// ridge: flags=-O3
//
// Idea      An address is an index: 2^n counters a RAM, one load instead of a search.
// Changed   The hash map becomes an array, of 8 MB with 12-bit tuples.
// Limits    1,960 loads an image all over 8 MB; and the address is still put together bit by bit.
// Look at   The second-level cache: 8 MB do not fit it.
// Source    WiSARD's RAMs, taken by their word.
#include "kernels/wisard/wisard.h"

namespace ridge {
namespace {

Status launch_direct(const Launch& launch) {
  const WisardCall call = wisard_of(launch);
  for (int64_t i = 0; i < call.images; ++i) {
    int scores[kRamClasses] = {};
    for (int ram = 0; ram < call.model->rams; ++ram) {
      const uint32_t address = ram_address(call.model, ram, call.rows + i * call.row_words);
      for (int c = 0; c < kRamClasses; ++c) {
        scores[c] += seen(call.model, c, ram, address) > call.model->bleach;
      }
    }
    call.classes[i] = best_score(scores);
  }
  return {};
}

RIDGE_KERNEL(wisard, cpu, direct_tables, .dtypes = "bits", .launch = launch_direct);

}  // namespace
}  // namespace ridge
