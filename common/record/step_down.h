// Why a rung is slower than the one that it goes on from, as far as the run's own evidence tells.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/record/types.h"

namespace ridge {

struct StepCause {
  std::string brief;  ///< "1.40× the instructions", "not known why"
  /// The same in full, without capital and full stop; what follows a semicolon is a detail.
  std::string sentence;
};

/// Of the counters and clocks of both rungs, where they were read, the one that explains most of the difference; else
/// what limits the slower one, where that is another limit than the faster one has; else what would settle it. `pair`: the
/// comparison that the step rests on; null: each was timed alone.
StepCause why_slower(const Series& before, const Series& after,
                     const std::vector<Ceiling>& ceilings,
                     const std::optional<Environment>& environment,
                     const Comparison* pair = nullptr);

}  // namespace ridge
