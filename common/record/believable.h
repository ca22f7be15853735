// Whether a figure can be right. This is the one place that says no: the reducer asks it when a request ends, and the
// worker asks it which ceilings a rung has put in question.
#pragma once

#include <string>
#include <vector>

#include "common/record/rounds.h"
#include "common/record/types.h"

namespace ridge {

/// A rate from above this share of its ceiling cannot be right: two measurements of one ceiling differ by less.
inline constexpr double kMostOfCeiling = 1.05;
/// The same where the ceiling is in question: it is in doubt, or a rung of ours has passed it, whose code is known. A busy
/// machine makes a ceiling too low, and not by so much. (Of the recordings, a ceiling is 1.6 times too low at most.)
inline constexpr double kMostOfDoubted = 4;
/// Bytes live in a level of memory when they are so many times what the level before it holds.
inline constexpr double kOutside = 4;

/// The least that a call did a second, whatever its algorithm left out and whatever the caches held for it.
struct BoundRate {
  std::vector<std::string>
      resources;      ///< as Ceiling::resource; the highest of these ceilings bounds it
  std::string dtype;  ///< as Ceiling::dtype; empty: any
  int threads = 0;    ///< as Ceiling::threads; of a GPU 0
  double per_s = 0;
};

/// The share of the counted operations that an algorithm of this class of accuracy (KernelInfo::accuracy) does at least.
/// Componentwise accuracy takes all of them (Miller, Computational complexity and numerical stability, SIAM J. Comput.
/// 1975). Row and column: 4/9, Winograd's F(2x2, 3x3); the inner product's method does half. Max norm, or a class that
/// is not known: 1/4, F(4x4, 3x3).
double least_work_share(const std::string& accuracy);

/// The rates of a kernel that ceilings bound: its FLOP, and its bytes at the level of memory that they live in, where the
/// caches of `machine` are known. Empty of what has no speed.
std::vector<BoundRate> bound_rates(const Series& series, const std::string& accuracy,
                                   const Environment* machine);

/// The highest measured ceiling that bounds `rate`, in doubt or not; null: none was measured.
const Ceiling* ceiling_of(const BoundRate& rate, const OpenEnum<Backend>& backend,
                          const std::vector<Ceiling>& ceilings);

/// Why a series cannot have been as fast as it says, a sentence without full stop; empty: nothing speaks against it.
std::string impossible_rate(const Series& series, const std::string& accuracy,
                            const std::vector<Ceiling>& ceilings, const Environment* machine);

/// Why the statistics of a series do not follow from its samples, or are no times; empty: they do, or it has no samples
/// (a recording keeps none).
std::string unsupported_stats(const Series& series);

/// Why a comparison's ratio does not follow from its rounds; empty: it does, or no rounds were kept.
std::string unsupported_ratio(const Comparison& comparison, const Rounds& rounds);

/// What the checks of a learner's rung begin with that the worker itself saw from outside, in memory of its own.
inline constexpr const char* kWitnessed = "seen from outside";
/// Series::unavailable of a learner's rung whose time is the word of its own process alone: why.
inline constexpr const char* kClaimed = "witness";
/// Why a learner's result is claimed only; empty: a worker saw its calls from outside, and it is no other's.
std::string why_claimed(const Series& series);

/// Why samples cannot have been taken within `wall_s` seconds; empty: they can.
std::string longer_than_wall(const Series& series, double wall_s);

}  // namespace ridge
