// Two results that were measured apart, in two runs: whether they may stand beside each other at all, and in what else
// than the rung their runs differ.
#pragma once

#include <string>

#include "common/record/run.h"

namespace ridge::report {

/// Why the time of one says nothing of the other's: another kind of work, another problem, another size. Empty: they
/// solve the same.
std::string why_not_beside(const Series& baseline, const Series& candidate);

/// "The two runs also differ in machine (X, then Y), commit (a, then b)."; empty where both say the same of everything
/// that they name. What only one of them names differs too.
std::string differences_sentence(const Run& baseline_run, const Series& baseline,
                                 const Run& candidate_run, const Series& candidate);

}  // namespace ridge::report
