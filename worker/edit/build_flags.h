// The compiler flags that a learner's build line may ask for. The compiler runs as the user and without a
// sandbox, and some flags name a file to write or a program to run, so each flag that passes is listed.
#pragma once

#include <string_view>

namespace ridge::worker {

/// The list for a .cpp or a .cu, as docs/your_turn.md shows it: [x] may be missing, <n> is a number, <name> an
/// identifier, <word> letters, digits and "+-._".
std::string_view allowed_flags(bool is_cuda);

/// Whether `flag` is in that list.
bool is_allowed_flag(std::string_view flag, bool is_cuda);

}  // namespace ridge::worker
