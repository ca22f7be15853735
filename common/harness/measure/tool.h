// A program run for what it prints: no shell, nothing on its input.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/core/result.h"

namespace ridge::measure {

struct ToolRun {
  int code = 0;  ///< it ended with
  std::string text;
};

/// What it wrote to its standard output (`errors`: to its standard error instead), 256 MB at most, and
/// how it ended. Errors: unavailable where there is no such program on PATH, where it was killed, or
/// where it takes over `limit_s` seconds: then it is ended, with all that it started. Cancelled: likewise.
Result<ToolRun> run_tool(const std::vector<std::string>& command, double limit_s, bool errors,
                         const std::function<bool()>& cancelled = {});

/// The standard output of a tool that reads this program, its errors dropped. The tool is killed when this process
/// ends, in whatever way. Errors: as run_tool(); and unavailable where it ends with another code than 0.
Result<std::string> output_of(std::vector<std::string> command, double limit_s,
                              const std::function<bool()>& cancelled = {});

/// The path of this very program; empty where the system does not tell.
std::string own_program();

}  // namespace ridge::measure
