// Lines from a descriptor.
#pragma once

#include <functional>
#include <string>

namespace ridge::worker {

/// Calls `take` for each line, without its end, until the input ends. Of a line that is longer than kLineBytes
/// (worker/emitter.h) it gets one byte more than those and no other.
void read_lines(int fd, const std::function<void(const std::string& line)>& take);

}  // namespace ridge::worker
