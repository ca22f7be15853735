// Where this machine's ladder ends: the last rung of a section that it can run, for the rungs after it.
#pragma once

#include <string>
#include <vector>

#include "common/record/run.h"
#include "labs/lab.h"

namespace ridge::app {

/// The last rung of ours in this rung's section that the worker can run, where all after it cannot;
/// null where none can, where a later one can, and for a rung that is not past it.
const Rung* ladder_end(const Lab& lab, const Run& run, const Rung& rung);

/// Why this rung cannot run, and where the ladder ends for that: "needs Hopper (sm_90a); this Tesla T4
/// is sm_75: your ladder ends at WMMA". Empty when it can run, or is not in the catalogue.
std::string why_not_here(const Lab& lab, const Run& run, const Rung& rung);

/// One line for each section whose ladder ends before its top: "GPU, Tensor Cores: your ladder ends at
/// WMMA. mma.sync needs Ampere (sm_80); this Tesla T4 is sm_75".
std::vector<std::string> ladder_ends(const Lab& lab, const Run& run);

}  // namespace ridge::app
