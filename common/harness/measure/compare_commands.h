// The paired comparison of commands: the rounds, statistics and verdicts of comparison.h, with a process in place of a call.
// A command has no type, no buffers and no reference of ours. What judges it is the user's: a check program that gets its
// output, or a file that its output has to equal. Without either the verdict stands, and no check is claimed.
#pragma once

#include <string>
#include <vector>

#include "common/harness/measure/comparison.h"
#include "common/record/request.h"

namespace ridge::measure {

/// One side: the baseline first.
struct CommandSide {
  std::string id;  ///< command_id()
  std::vector<std::string> words;
};

/// INVALID verdicts (a side failed, or its check did) and cancellations are outcomes. Errors: usage, no
/// reference at that path; unavailable, a program that is not there.
Result<CompareOutcome> compare_commands(const std::vector<CommandSide>& sides,
                                        const CommandRule& rule, const CompareOptions& options,
                                        Observer* observer);

}  // namespace ridge::measure
