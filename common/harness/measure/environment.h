// What was measured on, and whether it was quiet: read before and after every run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/harness/measure/device.h"
#include "common/record/types.h"

namespace ridge::measure {

/// Seconds since 1970 as Environment::time_utc has them.
std::string utc_text(int64_t seconds);

/// Everything but `quiet`. Loads no library: versions come from the kernels that registered.
Environment read_environment();

/// Looks for what would disturb a measurement; `foreign_cpus` as ForeignLoad::cpus() gives it over
/// 0.2 s or more (negative: not readable, then only the load average speaks). Thresholds are in
/// docs/measuring.md.
QuietState judge_quiet(const Environment& environment, double foreign_cpus,
                       const std::vector<std::string>& device_disturbances);

}  // namespace ridge::measure
