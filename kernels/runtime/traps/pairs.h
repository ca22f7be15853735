// Two victims timed in turns, as a comparison times them: the quotients of traps and claims come from here.
#pragma once

#include <vector>

#include "kernels/runtime/traps/victim.h"

namespace ridge::traps {

/// What a difference has to exceed before it counts, as in a comparison on the CPU.
inline constexpr double kMargin = 0.02;

/// `count` palindromes of `a` (side 0) and `b` (side 1): A B B A and B A A B in turns.
Result<std::vector<Round>> rounds_of(Victim* a, Victim* b, int count);
/// Time of `a` over time of `b`, from one palindrome.
Result<double> speed_up(Victim* a, Victim* b);

}  // namespace ridge::traps
