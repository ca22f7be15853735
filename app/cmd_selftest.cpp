// ridgepoint selftest aa: one rung compared with itself, over and over. It is equal, so every verdict
// but "same" or "unresolved" is false; what is left is this machine's noise floor.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/driver.h"
#include "app/selection.h"
#include "app/terminal.h"
#include "common/record/params.h"
#include "common/stats/stats.h"

namespace ridge::app {
namespace {

/// A comparison of 1 ms calls needs 0.2 s for its 40 rounds; the rest of the time goes to checks.
constexpr double kRounds_s = 1, kWarmup_s = 0.05;
/// Of true null hypotheses a 95 % interval refuses 5 %.
constexpr double kFalseShare = 0.05;

struct Floor {
  int runs = 0, false_at_zero = 0, false_at_margin = 0;
  double margin = 0;
  std::vector<double> off;  ///< |ratio - 1| of each run

  /// The comparison has an interval.
  void add(const Comparison& comparison) {
    ++runs;
    off.push_back(std::abs(comparison.ratio - 1));
    const auto outside = [&](double limit) {
      return comparison.ci->low > 1 + limit || comparison.ci->high < 1 / (1 + limit);
    };
    false_at_zero += outside(0);
    false_at_margin += outside(margin);
  }
  /// Nothing compared is nothing shown.
  bool holds() const {
    return runs > 0 && false_at_zero <= kFalseShare * runs && false_at_margin == 0;
  }
};

Result<void> climb(Driver* driver, const SelftestOptions& options, Floor* floor) {
  RIDGE_TRY_VOID(driver->fetch_catalogue());
  RIDGE_TRY(const Lab* lab, require_lab(options.lab));
  RIDGE_TRY(const Params given, parse_params(options.set));
  RIDGE_TRY(const KernelRequest side, select_side(*lab, driver->run(), options.rung, given));
  floor->margin = side.kernel.find(".cuda.") == std::string::npos ? 0.02 : 0.01;
  for (int run = 0; run < options.runs; ++run) {
    WorkRequest request;
    request.type = "compare";
    request.lab = lab->id;
    request.kernels = {side, side};
    request.margin = 0;
    request.limit_s = kRounds_s;
    request.warmup_s = kWarmup_s;
    int64_t id = 0;
    RIDGE_TRY_VOID(driver->carry_out(std::move(request), &id));
    const auto& all = driver->run().comparisons();
    if (all.empty() || all.back().request != id || !all.back().ci) {
      const bool judged = !all.empty() && all.back().request == id;
      return Error{ErrorCode::invalid,
                   judged && !all.back().reasons.empty() ? all.back().reasons.front()
                                                         : "a comparison gave no interval",
                   side.kernel, "choose a rung and a size that passes its check"};
    }
    floor->add(all.back());
  }
  return {};
}

Json json_of(const Floor& floor, const SelftestOptions& options) {
  return {{"ridgepoint", 1},
          {"selftest",
           {{"kind", "aa"},
            {"rung", options.rung},
            {"runs", floor.runs},
            {"false_verdicts_at_margin_0", floor.false_at_zero},
            {"false_verdicts_at_default_margin", floor.false_at_margin},
            {"margin", floor.margin},
            {"noise_floor_median", stats::quantile(floor.off, 0.5)},
            {"noise_floor_p95", stats::quantile(floor.off, 0.95)},
            {"noise_floor_max", stats::quantile(floor.off, 1)},
            {"passed", floor.holds()}}}};
}

std::string text_of(const Floor& floor, const SelftestOptions& options) {
  return fmt::format(
      "{} compared with itself, {} times\n"
      "false verdicts at a margin of 0: {} (5 % would be {:.0f})\n"
      "false verdicts at a margin of {:.0f} %: {}\n"
      "noise floor, |ratio - 1|: median {:.3f} %, 95 % of runs within {:.3f} %, worst {:.3f} %\n",
      options.rung, floor.runs, floor.false_at_zero, kFalseShare * floor.runs, floor.margin * 100,
      floor.false_at_margin, 100 * stats::quantile(floor.off, 0.5),
      100 * stats::quantile(floor.off, 0.95), 100 * stats::quantile(floor.off, 1));
}

}  // namespace

int cmd_selftest(const CommonOptions& common, const SelftestOptions& options) {
  Floor floor;
  auto driver = Driver::start(common, options.out);
  if (!driver) return fail(common, driver.error());
  const auto done = climb(driver->get(), options, &floor);
  const auto saved = (*driver)->close_file();
  if (floor.runs > 0) {
    if (common.json)
      print_json(json_of(floor, options));
    else
      print(text_of(floor, options));
  }
  if (!done) return fail(common, done.error());
  if (!saved) return fail(common, saved.error());
  return floor.holds() ? 0 : static_cast<int>(ErrorCode::invalid);
}

}  // namespace ridge::app
