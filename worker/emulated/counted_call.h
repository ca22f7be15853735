// One call of a CUDA rung on this CPU, counted, in a process that may be lost without harm: compiled and limited as a
// learner's rung is, checked by its family, and put together by line here.
#pragma once

#include <string>

#include "common/core/result.h"
#include "common/harness/kernel/family.h"
#include "common/harness/measure/observer.h"
#include "common/record/kernel_counts.h"

namespace ridge::worker {

/// The size that is counted where none is given: about as many operations as a product of 128 x 128 matrices has.
/// `params`: complete, of the family.
Result<Params> countable(const FamilyDesc& family, const Params& params);

/// `kernel`: a CUDA rung's id. `text`: a learner's in place of its own; empty: its own. A learner's is tried on the
/// family's awkward problems too, as far as they are small: its check is the first that failed. A launch that a fault stopped is a
/// result, which says so. Errors: usage, it is no CUDA rung, or does not compile; unavailable, this machine lacks a tool;
/// invalid, the process ended, and how; cancelled.
Result<KernelCounts> counted_call(const std::string& kernel, const std::string& text,
                                  const Params& params, measure::Observer* observer);

/// In the process of the rung, whose folder this is: makes the call that it is asked for.
int serve_counted(const std::string& folder, int in_fd, int out_fd);

}  // namespace ridge::worker
