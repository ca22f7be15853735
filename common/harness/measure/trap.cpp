// Drives a trap: both figures in turns, so that whatever drifts falls on both alike, then its guard.
// The factor between them is judged as a comparison is (common/stats): the lie stands as baseline,
// so that their ratio is lie / honest.
#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "common/harness/measure/energy_pass.h"
#include "common/harness/measure/harness.h"
#include "common/harness/measure/machine.h"
#include "common/harness/measure/outcome.h"
#include "common/record/request.h"
#include "common/stats/stats.h"

namespace ridge::measure {
namespace {

constexpr int kLiveRounds = 7, kTrapRounds = 15;
constexpr double kPatience = 3;  ///< times the limit, for the fewest rounds that make an interval
constexpr uint64_t kOrderSeed = 20;

/// Where the interval of lie / honest lies: as a comparison's verdict, in a trap's words.
std::string bias_of(Verdict verdict) {
  return verdict == Verdict::faster   ? "high"
         : verdict == Verdict::slower ? "low"
         : verdict == Verdict::same   ? "none"
                                      : "unresolved";
}

void settle(TrapFigure* figure) {
  figure->median = stats::median(figure->readings);
  figure->ci = stats::median_interval(figure->readings);
}

class TrapDriver {
 public:
  TrapDriver(Trap* trap, double patience_s, const Options& options, Series* series,
             Observer* observer)
      : trap_(trap),
        series_(series),
        observer_(observer),
        live_(options.mode == Mode::live),
        limit_s_(options.limit_s.value_or(std::max(patience_s, options.limit(2, 4)))) {}

  Result<void> run();

 private:
  Result<double> reading(bool honest) {
    RIDGE_TRY(const double value, honest ? trap_->honest() : trap_->lie());
    if (!(value > 0 && std::isfinite(value))) {
      return Error{ErrorCode::invalid,
                   std::string(honest ? "the honest figure" : "the lie") + " is not above zero",
                   series_->kernel, ""};
    }
    return value;
  }
  Result<void> round();
  void conclude();

  Trap* trap_;
  Series* series_;
  Observer* observer_;
  bool live_;
  double limit_s_;
  std::vector<Round> rounds_;
  std::mt19937_64 order_{kOrderSeed};
};

Result<void> TrapDriver::round() {
  constexpr std::array<bool, 4> kHonest = {false, true, true, false};
  const bool honest_first = (order_() & 1) != 0;
  Round round;
  for (const bool inner : kHonest) {
    const bool honest = inner != honest_first;
    observer_->announce(series_->index);
    RIDGE_TRY(const double value, reading(honest));
    auto& figure = honest ? series_->trap->honest : series_->trap->lie;
    figure.readings.push_back(value);
    round.order += honest ? '1' : '0';
    round.t_ns.push_back(value);
    gap();
  }
  rounds_.push_back(std::move(round));
  return {};
}

void TrapDriver::conclude() {
  TrapOutcome& out = *series_->trap;
  if (rounds_.empty()) return series_->trap.reset();
  settle(&out.lie);
  settle(&out.honest);
  const stats::PairedResult paired = stats::judge(rounds_, 1, out.margin);
  out.rounds = paired.rounds;
  out.factor = paired.ratio;
  out.ci = paired.ci;
  out.bias = bias_of(paired.verdict);
}

Result<void> TrapDriver::run() {
  observer_->phase(series_->index, {.phase = "warmup", .text = "one reading of each"});
  RIDGE_TRY_VOID(reading(true));
  RIDGE_TRY_VOID(reading(false));
  const int wanted = live_ ? kLiveRounds : kTrapRounds;
  const double start = now_s();
  while (static_cast<int>(rounds_.size()) < wanted) {
    if (const auto done = round(); !done) {
      conclude();
      return done;
    }
    const double elapsed = now_s() - start;
    const auto n = rounds_.size();
    observer_->phase(series_->index,
                     {.phase = "timing",
                      .text = "the lie and the honest figure, in turns",
                      .open = std::to_string(n) + " of " + std::to_string(wanted) + " rounds",
                      .progress = double(n) / wanted,
                      .left_s = std::max(0.0, std::min(elapsed / double(n) * (wanted - double(n)),
                                                       limit_s_ - elapsed))});
    if (observer_->cancelled()) {
      conclude();
      return cancelled_error();
    }
    const bool has_interval = static_cast<int>(n) >= stats::fewest_for_interval();
    if (elapsed > limit_s_ * (has_interval ? 1 : kPatience)) break;
  }
  conclude();
  return {};
}

Result<void> check_victim(Trap* trap, const char* what, Series* series, Observer* observer) {
  RIDGE_TRY(const QualityCheck check, trap->check(what));
  series->checks.push_back(check);
  observer->check(series->index, check);
  if (!check.passed) return Error{ErrorCode::invalid, check.reason, check.what, ""};
  return {};
}

/// Joules of one call of the victim, measured as of any kernel: both of a trap's figures are of that call.
Result<void> victim_energy(const Trap& trap, const Options& options, Series* series,
                           Observer* observer) {
  const ReadyRung* victim = trap.victim();
  if (victim == nullptr) {
    series->unavailable["energy_j"] = "the trap is not of one kernel's calls";
    return {};
  }
  const Side side = victim->plain_side(options.cache);
  const double from_s = now_s();
  RIDGE_TRY_VOID(victim->device->repeat(side, 1));
  return energy_pass(*victim, options, (now_s() - from_s) * 1e9, series, observer);
}

Result<void> steps(const TrapDesc& desc, Device* device, const Options& options, Series* series,
                   Observer* observer) {
  observer->phase(series->index, {.phase = "prepare", .text = "setting the trap"});
  RIDGE_TRY(const auto trap, desc.set_up(device));
  observer->phase(series->index, {.phase = "check", .text = "checking the victim's output"});
  RIDGE_TRY_VOID(check_victim(trap.get(), "the victim, before", series, observer));

  TrapOutcome& out = series->trap.emplace();
  out.victim = desc.victim;
  out.quantity = desc.quantity;
  out.unit = desc.unit;
  out.guard = desc.guard;
  out.margin = default_margin(desc.backend == Backend::cpu);
  TrapDriver driver(trap.get(), desc.patience_s, options, series, observer);
  RIDGE_TRY_VOID(driver.run());

  observer->phase(series->index, {.phase = "check", .text = "what the guard says to it"});
  RIDGE_TRY(const GuardVerdict verdict, trap->guard(out.lie.median, out.honest.median));
  out.caught = verdict.caught;
  out.guard_says = verdict.says;
  if (options.has_energy()) RIDGE_TRY_VOID(victim_energy(*trap, options, series, observer));
  return check_victim(trap.get(), "the victim, after", series, observer);
}

}  // namespace

double predict_trap_s(const TrapDesc& trap, Device* device, const Options& options) {
  const double limit_s = options.limit_s.value_or(std::max(trap.patience_s, options.limit(2, 4)));
  // The victim is checked before and after; half the traps have their rounds before the limit.
  constexpr double kAround_s = 0.5, kTaken = 0.8;
  return kAround_s + kTaken * limit_s + predict_energy_s(device, options);
}

Result<Series> measure_trap(const TrapDesc& trap, const Params& params, Device* device,
                            const Options& options, int series, Observer* observer) {
  Series out;
  out.index = series;
  out.kernel = trap.id;
  out.kind = RungKind::trap;
  out.params = params;
  out.cache = CacheMode::hot;
  out.mode = options.mode;
  out.status = SeriesStatus::ok;
  const auto outcome = steps(trap, device, options, &out, observer);
  if (!outcome && outcome.error().code == ErrorCode::worker) return outcome.error();
  if (!outcome) take_error(outcome.error(), &out);
  for (const char* quantity : {"stats", "latency", "flop_per_s", "bytes_per_s", "of_ceiling",
                               "utilization", "memory_bytes", "energy_j"}) {
    std::string& reason = out.unavailable[quantity];
    if (reason.empty()) reason = "a trap's two figures stand under trap";
  }
  if (out.energy_j) out.unavailable.erase("energy_j");
  return out;
}

}  // namespace ridge::measure
