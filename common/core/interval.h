#pragma once

namespace ridge {

/// Both ends belong to it, in the unit of what it is an interval of.
struct Interval {
  double low = 0, high = 0;
};

}  // namespace ridge
