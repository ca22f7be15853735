// The history as a file that somebody else reads.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/history/rung_history.h"

namespace ridge::history {

/// A page that stands alone: for each history its chart, what differs at each change, the diff of the two sources, and its
/// results.
std::string history_page(const std::vector<RungHistory>& all,
                         const std::map<std::string, Source>& sources);

/// Writes .html, .svg (of one history alone) or .csv, as the ending says. Errors: usage, for another ending, or several
/// histories in one picture; cannot_write.
Result<void> write_history(const std::vector<RungHistory>& all,
                           const std::map<std::string, Source>& sources, const std::string& path);

}  // namespace ridge::history
