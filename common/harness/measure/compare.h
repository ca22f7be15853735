// The paired comparison: the only thing that may say "faster". Sides run interleaved in palindromes (A B B A or
// B A A B), so that drift of the clock falls on all of them alike; with more candidates the palindromes come from a
// balanced set, so that each side follows each other equally often. Several rounds share one timed block. Where a
// GPU's load holds its clock down, each side also runs alone (sustained.h), and that verdict counts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/core/result.h"
#include "common/harness/measure/harness.h"
#include "common/harness/measure/sustained.h"

namespace ridge::measure {

/// One side of a comparison: the baseline first, then the candidates.
struct CompareSide {
  const KernelDesc* kernel = nullptr;
  Params params;             ///< complete
  Device* device = nullptr;  ///< sides may sit on different devices
};

struct CompareOptions {
  Cache cache = Cache::hot;
  std::optional<double> margin;   ///< absent: 0.02 where a side is on a CPU, else 0.01
  std::optional<double> limit_s;  ///< of the rounds; absent: 30
  Budget budget;            ///< what is demanded is measured: a percentile's calls, a call's energy
  double warmup_s = 0.3;    ///< the least, each side
  uint64_t order_seed = 0;  ///< of the random orders; the worker draws a new one each time
  bool sustained = true;    ///< false: no turns alone, whatever the clock does
  SustainedRule turns;
};

struct CompareOutcome {
  std::vector<Comparison> comparisons;  ///< one per candidate
  std::vector<Series> series;           ///< one per side: checks, samples, latency; mode "compare"
  bool cancelled = false;
};

inline constexpr int kRounds = 40;
/// Where every candidate is kFar times as fast or as slow as the baseline, to judge by the warm-up: a narrower interval
/// would tell nothing more. Settled before the first round, so that no look at the rounds decides when they end.
inline constexpr int kFarRounds = 12;
inline constexpr double kFar = 10;
inline constexpr int kTurns =
    6;  ///< sustained, a side; seven with two candidates: the fewest for an interval

/// Error usage: more sides than a round can name, by a digit each.
Result<void> check_side_count(size_t sides);

/// How far the rounds are: `done` of `wanted`, `elapsed_s` after the first began, and what is left of them or of the limit.
Phase rounds_phase(size_t done, int wanted, double elapsed_s, double limit_s);

/// INVALID verdicts and cancellations are outcomes. Errors: worker, a device is lost; unavailable, a side cannot run
/// here or refuses the problem, so that there is no comparison.
Result<CompareOutcome> compare(Bench* bench, const std::vector<CompareSide>& sides,
                               const CompareOptions& options, Observer* observer);

}  // namespace ridge::measure
