// What may be said against a time, in a word or two: where it stands as a figure there is no room for more.
#pragma once

#include <string>

#include "common/record/types.h"

namespace ridge {

/// "busy", "noisy", "few samples": the weightiest; empty: nothing.
std::string caution_of(const Stats& stats);

/// What a flag of a series' statistics means: "other programs used the processor meanwhile"; empty: the flag says it all.
std::string flag_meaning(const std::string& flag);

}  // namespace ridge
