// Two runs that were made apart, beside each other: the rungs of a lab that both have. What may be said of them is
// common/view/report/apart.h's.
#pragma once

#include <string>
#include <vector>

#include "common/core/result.h"
#include "common/record/run.h"
#include "labs/lab.h"

namespace ridge::app {

/// A rung that both ran. The second run's result is that with the first one's parameters, where it has one.
struct BesidePair {
  const Rung* rung = nullptr;
  const Series *first = nullptr, *second = nullptr;
};

struct Beside {
  std::vector<BesidePair> pairs;  ///< of one problem at one size, in the ladder's order
  std::vector<std::string>
      left_out;             ///< rungs of both that solve no problem in common, with why; sentences
  std::string differences;  ///< of the two runs, one sentence; may be empty
};

/// Points into the runs. Error usage: no rung of the lab solves one problem in both; the sentence of why_not_beside().
Result<Beside> put_beside(const Lab& lab, const Run& first, const Run& second);

}  // namespace ridge::app
