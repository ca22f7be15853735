#include "common/view/chart/paired.h"

#include <cmath>

#include "common/stats/stats.h"

namespace ridge::chart {

std::vector<double> round_ratios(const Run& run, const Comparison& comparison) {
  std::vector<double> ratios;
  for (const Round& round : run.rounds(comparison.request)) {
    ratios.push_back(std::exp(stats::round_log_ratio(round, comparison.pair())));
  }
  return ratios;
}

Series side_of(const Run& run, const Comparison& comparison, bool candidate) {
  Series side;
  const int wanted = candidate ? comparison.candidate_index : comparison.baseline_index;
  for (const Round& round : run.rounds(comparison.request)) {
    for (size_t i = 0; i < round.order.size() && i < round.t_ns.size(); ++i) {
      if (round.side(i) != wanted) continue;
      side.samples.push_back(
          {.index = static_cast<int64_t>(side.samples.size()), .t_ns = round.t_ns[i]});
    }
  }
  return side;
}

Params shared_params(const std::vector<const Comparison*>& comparisons) {
  if (comparisons.empty()) return {};
  Params::Map shared = comparisons.front()->candidate_params.map();
  for (const Comparison* comparison : comparisons) {
    std::erase_if(shared, [&](const auto& entry) {
      const auto other = comparison->candidate_params.find(entry.first);
      return other == comparison->candidate_params.end() || other->second != entry.second;
    });
  }
  return shared;
}

}  // namespace ridge::chart
