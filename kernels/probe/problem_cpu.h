// The problems that the CPU's ceilings are measured on, with float64 references.
#pragma once

#include <memory>

#include "common/harness/kernel/family.h"

namespace ridge::probe {

/// `shape` as probe.h says: dim[kProbeDimWhat] is one of its kProbe..., n of kProbeRead a multiple of 8.
std::unique_ptr<Problem> make_cpu_problem(const Shape& shape);

/// The sum of x1 .. x_steps, where each is 2^(-the one before), x0 = x: as the probes of exponentials must find it.
double exponential_sum(double x, int steps);

/// Those of integers and words: kProbeDotInt8, kProbeLogic, kProbeL2; else null.
std::unique_ptr<Problem> make_integer_problem(const Shape& shape);

}  // namespace ridge::probe
