// The calls of a network, one row each: how much of the work they are, how fast a rung does them, how
// much of the time that makes, and what the whole gains if one of them gets faster (G. Amdahl, 1967).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/stats/stats.h"
#include "common/view/chart/model.h"

namespace ridge::chart {

struct WorkloadRow {
  std::string label{}, shape{};    ///< "FFN, up", "2048 × 12288 · 12288 × 49152, 96 times"
  std::string note{};              ///< what the part is
  double flop = 0;                 ///< of all its calls
  double bytes = 0;                ///< the least that they move
  std::optional<double> time_s{};  ///< of all its calls; empty: `why` says why
  std::string how{};               ///< "measured", "at the rate of n = 4096"
  std::string why{};
  std::string fastest{};  ///< of all rungs measured here at this shape: "Winograd"; may be empty
  std::optional<double> fastest_s{};  ///< of all its calls with that
  bool exact = false;                 ///< measured here at this very shape
};

struct WorkloadInput {
  std::string title{}, rung{}, machine{};  ///< machine: empty is this one
  std::string note{};                      ///< closes the summary
  double tokens = 0;                       ///< that a pass reads or makes; 0: not counted in tokens
  std::string binds{};                     ///< which limit is near, a phrase; empty: not known
  std::vector<WorkloadRow> rows{};
};

/// What the whole gains, as t before / t after, if a part that takes `share` of it gets `factor` times
/// as fast.
double whole_gain(double share, double factor);

ChartModel workload_chart(const WorkloadInput& input);

}  // namespace ridge::chart
