// Inside of build_report(): page 1.
#pragma once

#include <string>
#include <vector>

#include "common/view/report/climb.h"

namespace ridge::report {

/// Of the one comparison, else of the climb.
Headline headline_of(const Material& material, const Climb& climb);
/// The headline of a report that is about the ladder, in words.
std::string climb_sentence(const Material& material, const Climb& climb);
/// Page 1 after its headline: the climb, the comparisons, the machine, what to beware of, how to do it again.
std::vector<Section> front_sections(const Material& material, const Climb& climb);

}  // namespace ridge::report
