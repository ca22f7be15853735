// The paired comparison of commands, and of libraries of the user's own: the rounds, statistics and verdicts of
// comparison.h, with a process in place of a call, or with a slot of runs in a library's process. What judges an output is
// the user's: a check program that gets it, a file that it has to equal, or a library's reference or check. Without any of
// them the verdict stands, and no check is claimed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/harness/measure/comparison.h"
#include "common/harness/measure/library.h"
#include "common/record/request.h"

namespace ridge::measure {

/// One side: the baseline first.
struct CommandSide {
  std::string id;  ///< command_id()
  std::vector<std::string> words;
  std::optional<LibraryFile> library = {};  ///< of all sides or of none: what the words name
};

/// INVALID verdicts (a side failed, or its check did) and cancellations are outcomes. Errors: usage, no reference at that
/// path, or outputs of two sizes; unavailable, a program that is not there, or no library of this ABI.
Result<CompareOutcome> compare_commands(const std::vector<CommandSide>& sides,
                                        const CommandRule& rule, const CompareOptions& options,
                                        Observer* observer);

}  // namespace ridge::measure
