// A queue of requests before one machine that works in steps: a simulation whose clock is moved on by whoever makes
// the steps, a real kernel or a function.
#pragma once

#include <functional>
#include <vector>

#include "common/core/result.h"
#include "common/record/serving.h"

namespace ridge::stats {

/// Makes a step for sequences with so many keys each, and says how long it took, in seconds. An error ends it all.
using StepTime = std::function<Result<double>(const std::vector<int64_t>& keys)>;

/// When the requests come, ascending: Poisson, the gaps exponential and the same for every load but for their
/// scale; the last comes at requests / load. load 0: all at 0.
std::vector<double> arrivals(const ServeAsked& asked, double load_per_s);

/// One load, from the first arrival until the last request is served.
Result<ServePoint> serve_load(const ServeAsked& asked, double load_per_s, const StepTime& step);

/// Offline, then each load asked for; without any, shares of what offline reached, and a search between the highest
/// load that met the limit and the lowest that did not. `said` hears what comes next.
Result<Serving> serve_loads(const ServeAsked& asked, const StepTime& step,
                            const std::function<void(const std::string& text, double share)>& said);

}  // namespace ridge::stats
