// The calls of a network, one row each: how much of the work they are, how fast a rung does them, how
// much of the time that makes, and what the whole gains if one of them gets faster (G. Amdahl, 1967).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/stats/stats.h"
#include "common/view/chart/model.h"

namespace ridge::chart {

/// A step between two parts that has no product.
struct WorkloadGap {
  std::string label{}, note{};
  double parameters = 0;
};

/// Multiply-adds as they were printed, and ours for the same piece of the network.
struct WorkloadPrinted {
  double macs = 0, ours = 0;
  std::string of{};  ///< "one head"
};

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
  double parameters = 0;
  std::optional<WorkloadPrinted> printed{};
  std::vector<WorkloadGap> then{};
};

struct WorkloadInput {
  std::string title{}, rung{}, machine{};  ///< machine: empty is this one
  std::string note{};                      ///< closes the summary
  double tokens = 0;                       ///< that a pass reads or makes; 0: not counted in tokens
  std::string binds{};                     ///< which limit is near, a phrase; empty: not known
  std::vector<WorkloadRow> rows{};
  std::optional<double> printed_parameters{};  ///< of the whole network; then its table counts
};

/// Where the table's counts begin: MACs of a pass, as printed and ours for the same, parameters.
inline constexpr size_t kWorkloadCounts = 6;

/// What the whole gains, as t before / t after, if a part that takes `share` of it gets `factor` times
/// as fast.
double whole_gain(double share, double factor);

ChartModel workload_chart(const WorkloadInput& input);

}  // namespace ridge::chart
