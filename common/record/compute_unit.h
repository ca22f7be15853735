// What a rung multiplies with, where that is another unit than the type of its numbers says: its ceiling is that unit's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/record/types.h"

namespace ridge {

struct ComputeUnit {
  std::string dtype;    ///< as Ceiling::dtype: "tf32"
  double products = 1;  ///< of that unit for each multiplication that is counted
};

/// The type of its numbers, one product each, but for the rungs that split a number into several narrower ones.
ComputeUnit compute_unit(const Series& series);

/// The unit's ceiling in what the series counts: a third of the Tensor Cores' where a product takes three of theirs.
Ceiling in_counted_flop(Ceiling ceiling, const ComputeUnit& unit);

/// The FLOP ceiling that bounds the series, as in_counted_flop(); empty: none of its unit was measured, or it is
/// in doubt.
std::optional<Ceiling> flop_ceiling(const std::vector<Ceiling>& ceilings, const Series& series);
/// The same, with its doubt where it is in doubt: to be drawn as such. No share is made of it.
std::optional<Ceiling> known_flop_ceiling(const std::vector<Ceiling>& ceilings,
                                          const Series& series);

}  // namespace ridge
