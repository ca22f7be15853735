#include "common/record/noise_floor.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "common/record/command.h"
#include "common/record/derive.h"
#include "common/record/request.h"
#include "common/stats/stats.h"

namespace ridge {
namespace {

/// Of true null hypotheses a 95 % interval refuses 5 %.
constexpr double kFalseShare = 0.05;
/// A comparison of 1 ms calls needs 0.2 s for its 40 rounds; the rest of the time goes to checks.
constexpr double kRounds_s = 1, kWarmup_s = 0.05;

bool is_outside(const Interval& ci, double margin) {
  return ci.low > 1 + margin || ci.high < 1 / (1 + margin);
}

}  // namespace

WorkRequest self_check_request(const std::string& lab, std::vector<KernelRequest> sides) {
  WorkRequest request;
  request.type = RequestType::compare;
  request.lab = lab;
  request.kernels = std::move(sides);
  request.margin = 0;
  request.limit_s = kRounds_s;
  request.warmup_s = kWarmup_s;
  request.sustained = false;
  return request;
}

bool is_self_check(const Comparison& comparison) {
  return comparison.margin == 0 && comparison.baseline == comparison.candidate &&
         comparison.baseline_params == comparison.candidate_params;
}

bool NoiseFloor::holds() const {
  return runs() > 0 && false_at_zero <= kFalseShare * runs() && false_at_margin == 0;
}

double NoiseFloor::within(double q) const {
  std::vector<double> off;
  for (const double ratio : ratios) off.push_back(std::abs(ratio - 1));
  return stats::quantile(off, q);
}

std::string NoiseFloor::sentence() const {
  return fmt::format(
      "Of {} comparisons of a {} with itself {} {} called different at a margin of 0 (chance "
      "alone: {:.3g}) and {} at the default of {:.3g} %; 95 % of the ratios lie within {:.2g} % of "
      "1, so a smaller difference is noise here.",
      runs(), command_title(kernel).empty() ? "rung" : "command", false_at_zero,
      false_at_zero == 1 ? "was" : "were", kFalseShare * runs(),
      false_at_margin == 0 ? "none" : std::to_string(false_at_margin), margin * 100,
      within(0.95) * 100);
}

NoiseFloor noise_floor(const Run& run) {
  NoiseFloor floor;
  const auto& all = run.comparisons();
  for (auto it = all.rbegin(); it != all.rend() && floor.kernel.empty(); ++it) {
    if (!is_self_check(*it)) continue;
    floor.kernel = it->baseline;
    floor.params = it->baseline_params;
    floor.margin = default_margin(backend_of(it->baseline) != Backend::cuda);
  }
  for (const Comparison& one : all) {
    const bool same = one.baseline == floor.kernel && one.baseline_params == floor.params;
    if (!same || !is_self_check(one) || !one.ci) continue;
    floor.ratios.push_back(one.ratio);
    floor.false_at_zero += is_outside(*one.ci, 0);
    floor.false_at_margin += is_outside(*one.ci, floor.margin);
  }
  return floor;
}

}  // namespace ridge
