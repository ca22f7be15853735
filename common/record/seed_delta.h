// What a change of precision, or anything else, did to a task metric, over several seeds: the same
// initialisation and order on both sides, so that what the seed alone does cancels.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>

#include "common/record/types.h"

namespace ridge {

struct SeedDelta {
  int seeds = 0;
  int refused = 0;  ///< of them: where the gate refused the candidate
  double mean = 0;  ///< candidate less baseline
  std::optional<Interval>
      ci;  ///< 95 %, of the mean: Student's t over the pairs; none under 2 seeds
};

/// Of the pairs' differences, one or more.
SeedDelta mean_difference(std::span<const double> differences);
/// Pairs trainings of `candidate` (of these parameters, whatever their `seed`) with those of `baseline` that
/// share every parameter both have; the newest of each. None: no pair was judged to the end.
std::optional<SeedDelta> seed_delta(std::span<const Series* const> all, const std::string& baseline,
                                    const std::string& candidate, const Params& params,
                                    const std::string& metric);
/// A task metric over a rung's seeds: the one figure that ladder, climb, frontier and curves show of it.
struct SeedMean {
  int seeds = 0;
  double mean = 0;
};
/// Of the newest result of each seed that was judged to its end. None: none was, or the rung has no seed.
std::optional<SeedMean> seed_mean(std::span<const Series* const> all, const std::string& kernel,
                                  const Params& params, const std::string& metric);
/// "mean of 3 seeds"; empty for one.
std::string seed_mean_text(int seeds);
/// The same of several rungs, by how many seeds each has: "means over seeds" where those differ.
std::string seed_means_text(const std::set<int>& seeds);
/// How fast a rung is over its seeds: a network trained with another seed may prune or round to other work.
struct SeedRates {
  int seeds = 0;
  double median = 0;           ///< items a second, else calls
  Interval range{};            ///< of all seeds
  std::optional<Interval> ci;  ///< 95 %, of the median: order statistics; none under 6 seeds
};
/// Of the newest verified result of each seed. None: no seed has a speed.
std::optional<SeedRates> seed_rates(std::span<const Series* const> all, const std::string& kernel,
                                    const Params& params);

/// "−0.03": a share in hundredths, with its sign.
std::string signed_points(double share);
/// "−0.03 points [−0.12, +0.06], 8 paired seeds"; of a share.
std::string seed_delta_text(const SeedDelta& delta);
/// Parameters without the seed.
Params without_seed(Params params);
/// Parameters without what names the rung itself: a family whose rungs are recipes has it as a parameter.
Params without_own(const Series& series);

}  // namespace ridge
