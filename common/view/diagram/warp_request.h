// One request of a counted warp as a picture: its 32 lanes, and below them the sectors of device memory, or the banks of
// shared memory, that they ask. Drawn from KernelCounts::steps; what a request costs was counted, never timed.
#pragma once

#include <cstddef>
#include <string>

#include "common/record/kernel_counts.h"
#include "common/view/diagram/diagram.h"

namespace ridge::diagram {

/// "Line 23: the 5th request of warp 0 reads 128 bytes of B: 4 sectors of 32 bytes." Of a bank conflict, what the bank is
/// asked for: "bank 0 is asked for 32 words: 32 turns." `i` < steps.requests.size().
std::string request_words(const WarpSteps& steps, size_t i);
/// "warp 0 of block 0 makes 4 096 requests; the first 256 are shown". `shown`: how many are.
std::string steps_words(const WarpSteps& steps, size_t shown);
/// A diagram of one step. `i` as above.
Diagram request_diagram(const WarpSteps& steps, size_t i);

}  // namespace ridge::diagram
