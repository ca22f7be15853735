// The problems that the CPU's ceilings are measured on, with float64 references.
#pragma once

#include <memory>

#include "common/kernel/family.h"

namespace ridge::probe {

/// `shape` as probe.h says: dim[kProbeDimWhat] is kProbeFma, kProbeDot or kProbeRead, n of the last a
/// multiple of 8.
std::unique_ptr<Problem> make_cpu_problem(const Shape& shape);

/// Those of integers and words: kProbeDotInt8, kProbeLogic, kProbeL2; else null.
std::unique_ptr<Problem> make_integer_problem(const Shape& shape);

}  // namespace ridge::probe
