// A save's wait for nvcc: its steps side by side. nvcc compiles the device's half of a text (a preprocessor,
// cicc, ptxas) and the host's (another preprocessor, cudafe++, a compiler) one after the other, though the
// host's needs no more of the device's than the launchers that cicc writes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/harness/measure/tool.h"

namespace ridge::worker {

/// Runs `command`, an nvcc that compiles one .cu for one architecture, with both halves at the same time. Files
/// in between are left in `folder`, what each save needs again in `ahead`. The steps are those that `nvcc
/// --dryrun` prints, which NVIDIA does not document (known: nvcc 12.8 to 13.0). Where it prints others, or they
/// fail without an error in the text, `command` itself is run.
Result<measure::ToolRun> run_nvcc(const std::vector<std::string>& command,
                                  const std::string& folder, const std::string& ahead,
                                  double limit_s, const std::function<bool()>& cancelled);

/// The same from what was printed, for a shell; empty where a step is missing. `module`: an identifier that
/// no other module of the process has.
std::string script_of_halves(const std::string& dry_run, const std::string& module,
                             const std::string& ahead);

}  // namespace ridge::worker
