// What a CUDA rung was counted by, in words: for the command line and for the margin of the window's source.
#pragma once

#include <string>
#include <vector>

#include "common/record/kernel_counts.h"

namespace ridge::app {

/// Stands wherever counts are shown.
inline constexpr const char* kCountedHere = "counted here, not timed";

/// The first of these that a line has, as short as a margin: "31 conflicts/request", "4 sectors/request", shared requests,
/// barriers, split branches, FLOP; empty: nothing is counted.
std::string margin_text(const LineCounts& line);
/// The same in full, a fact a row: "128 global requests, 4 096 sectors: 32.0 a request".
std::vector<std::string> line_facts(const LineCounts& line);
/// "race at line 12 (the other at line 10): thread 3 of block 0 reads what thread 1 wrote".
std::string fault_text(const CountedFault& fault);
/// "passed", "failed: ..." or why it was stopped, one sentence.
std::string outcome_text(const KernelCounts& counts);
/// Of a failed check where the output is wrong, as a line; else empty.
std::string wrong_text(const KernelCounts& counts);
/// Whether it came to its end, passed its check and has no fault.
bool is_clean(const KernelCounts& counts);
/// All of it as a table by source line. `source`: the text whose lines these are; empty: not known.
std::string counts_text(const KernelCounts& counts, const std::string& source);
/// What one warp asked for, request by request: a line each, of the first `most`.
std::string steps_text(const WarpSteps& steps, int64_t most);

}  // namespace ridge::app
