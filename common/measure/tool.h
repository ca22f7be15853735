// A program run for what it prints: no shell, nothing on its input, its errors dropped.
#pragma once

#include <string>
#include <vector>

#include "common/core/result.h"

namespace ridge::measure {

/// What it wrote to its standard output, 256 MB at most. Errors: unavailable where there is no such
/// program on PATH, where it ends with another code than 0, or where it takes over `limit_s` seconds.
Result<std::string> output_of(const std::vector<std::string>& command, double limit_s);

}  // namespace ridge::measure
