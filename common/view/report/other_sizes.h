// Inside of build_report(): how what leads page 1 came out at the other sizes that a file has.
#pragma once

#include <string>

#include "common/view/report/content.h"

namespace ridge::report {

/// Whether the kernel, a side of the claim, is there to be compared with.
bool is_library_side(const Claim& claim, const std::string& kernel);
/// Whether the result is of the size that the rung has where none is set.
bool is_default_size(const Line& line);
/// "Against “NCCL” at 2 other sizes: 1.80× at bytes=65536; “two-shot by reads” 1.009×, unresolved, at bytes=67108864.": of
/// the same two or, against a library, of the rung that came out fastest there. Empty: there is no pair at another size.
std::string other_sizes_sentence(const Material& material, const Claim& lead);

}  // namespace ridge::report
