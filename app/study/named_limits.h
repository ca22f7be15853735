// Which causes of the map of bottlenecks a lesson's sentence on the limit names, so that what a run shows can be held
// against it.
#pragma once

#include <string_view>
#include <vector>

#include "common/record/diagnosis.h"

namespace ridge::study {

/// "The FMA units, and the copies." names compute, and copies of either kind. A clause that denies ("not the bytes") or speaks
/// of what comes next names none. In the map's order; empty: the sentence names no cause that a run could show.
std::vector<Bottleneck> limits_named(std::string_view text);

}  // namespace ridge::study
