// What a puzzle is scored by: how much its kernel may ask of memory and barriers, counted, never timed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/core/result.h"
#include "common/record/kernel_counts.h"

namespace ridge::app {

struct CountTarget {
  CountKind kind = CountKind::sectors;
  int64_t most = 0;  ///< as many are allowed
};

/// "sectors 256, barriers 8". Errors: bad_input, which says what is wrong.
Result<std::vector<CountTarget>> parse_targets(const std::string& text);

/// Of atomics at least one, where some are allowed: a sum over blocks needs it.
bool is_met(const KernelCounts& counts, const CountTarget& target);
/// It is right, nothing is at fault, and each target is met.
bool is_solved(const KernelCounts& counts, const std::vector<CountTarget>& targets);
/// Of a right kernel that is not solved, what is amiss: "it asks for more than the reference does".
const char* unmet_words(const KernelCounts& counts, const std::vector<CountTarget>& targets);
/// A line a target: what it is, how many there are, how many may be.
std::string targets_text(const KernelCounts& counts, const std::vector<CountTarget>& targets);
/// "sectors of device memory"
const char* words_of(CountKind kind);

}  // namespace ridge::app
