#include "common/harness/measure/sustained.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "common/harness/measure/energy_watch.h"
#include "common/harness/measure/harness.h"
#include "common/harness/measure/range.h"
#include "common/stats/stats.h"

namespace ridge::measure {
namespace {

constexpr double kHeldBelow = 0.98;  ///< of the free clock
constexpr double kLook_s = 0.5;

/// Sums over pieces of one side's work.
struct Work {
  double ns = 0, calls = 0;
  double cycles = 0, clocked_ns = 0;  ///< of the samples whose clock is known

  void add(std::span<const Sample> samples) {
    for (const Sample& sample : samples) {
      const double span_ns = sample.t_ns * static_cast<double>(sample.calls);
      ns += span_ns;
      calls += static_cast<double>(sample.calls);
      if (!sample.sm_clock_hz) continue;
      cycles += *sample.sm_clock_hz * span_ns;
      clocked_ns += span_ns;
    }
  }
  double call_ns() const { return ns / std::max(calls, 1.0); }
  std::optional<double> clock_hz() const {
    return clocked_ns > 0 ? std::optional(cycles / clocked_ns) : std::nullopt;
  }
};

/// Whether two half seconds agree, in time per call and in clock.
bool is_steady(const Work& now, const Work& before, const SustainedRule& rule) {
  const auto close = [&](double a, double b) { return std::fabs(a / b - 1) <= rule.steady; };
  const auto clock = now.clock_hz(), old_clock = before.clock_hz();
  return before.calls > 0 && close(now.call_ns(), before.call_ns()) &&
         (!clock || !old_clock || close(*clock, *old_clock));
}

class TurnTaker {
 public:
  TurnTaker(std::span<const SustainedEntry> entries, const SustainedRule& rule, Observer* observer)
      : entries_(entries), rule_(rule), observer_(observer) {
    int64_t devices = 1;
    for (const SustainedEntry& entry : entries_) devices = std::max(devices, entry.devices);
    auto meters = entries_.front().device->energy_meters(devices);
    if (meters && meters->front()->is_counter()) watches_.emplace(*std::move(meters));
  }

  Result<std::vector<std::vector<SustainedTurn>>> all(int pairs) {
    const auto orders = stats::balanced_orders(static_cast<int>(entries_.size()));
    std::vector<std::vector<SustainedTurn>> turns(entries_.size());
    total_ = pairs * static_cast<int>(entries_.size());
    say(0);
    RIDGE_TRY([[maybe_unused]] const Work warm, work(0, rule_.warm_s));
    for (int pair = 0; pair < pairs; ++pair) {
      for (const int side : orders[static_cast<size_t>(pair) % orders.size()]) {
        say(side);
        RIDGE_TRY(const SustainedTurn turn, take(static_cast<size_t>(side)));
        turns[static_cast<size_t>(side)].push_back(turn);
        ++done_;
      }
    }
    return turns;
  }

 private:
  Result<Work> work(size_t i, double seconds) {
    Work sum;
    while (sum.ns < seconds * 1e9) {
      if (observer_->cancelled()) return cancelled_error();
      RIDGE_TRY(const std::vector<Sample> piece,
                entries_[i].device->sustain(entries_[i].side, rule_.piece_s));
      sum.add(piece);
      if (piece.empty()) {
        return Error{ErrorCode::invalid, "no call was made in a sustained turn",
                     entries_[i].side->kernel->id, ""};
      }
    }
    return sum;
  }

  /// Works until two half seconds agree, in time per call and in clock; false: they never did.
  Result<bool> settle(size_t i) {
    RIDGE_TRY(const Work lead, work(i, std::max(0.0, rule_.settle_s - 4 * rule_.piece_s)));
    double spent_s = lead.ns * 1e-9;
    RIDGE_TRY(Work before, work(i, 2 * rule_.piece_s));
    for (;;) {
      RIDGE_TRY(const Work now, work(i, 2 * rule_.piece_s));
      spent_s += now.ns * 1e-9;
      const bool steady = is_steady(now, before, rule_);
      if (steady || spent_s >= rule_.longest_settle_s) return steady;
      before = now;
    }
  }

  Result<SustainedTurn> take(size_t i) {
    const Range range("turn");
    SustainedTurn turn;
    RIDGE_TRY(turn.steady, settle(i));
    observer_->announce(static_cast<int>(i));
    const double from_s = now_s();
    RIDGE_TRY(const Work window, work(i, rule_.window_s));
    const double to_s = now_s();
    turn.call_ns = window.call_ns();
    turn.sm_clock_hz = window.clock_hz();
    if (!watches_) return turn;
    const auto slope = watches_->slope(from_s, to_s, entries_[i].devices);
    if (slope) turn.power_w = slope->power_w;
    return turn;
  }

  void say(int side) const {
    const double turn_s = rule_.settle_s + rule_.window_s;
    observer_->phase(side, {.phase = "sustained",
                            .text = "sustained turns, each side alone",
                            .open = fmt::format("{} of {} turns", done_, total_),
                            .progress = double(done_) / total_,
                            .left_s = (total_ - done_) * turn_s + (done_ == 0 ? rule_.warm_s : 0)});
  }

  std::span<const SustainedEntry> entries_;
  const SustainedRule& rule_;
  Observer* observer_;
  std::optional<EnergyWatches> watches_;
  int done_ = 0, total_ = 0;
};

template <class T, class Get>
std::optional<double> median_of(std::span<const T> all, const Get& get) {
  std::vector<double> values;
  for (const T& one : all) {
    if (const std::optional<double> value = get(one)) values.push_back(*value);
  }
  return values.empty() ? std::nullopt : std::optional(stats::median(values));
}

/// Short pieces of each side until the driver's mean power has settled: what follows finds one steady clock.
Result<void> work_in_turns(std::span<const SustainedEntry> entries, Observer* observer) {
  const SustainedRule rule;
  for (double spent_s = 0; spent_s < rule.settle_s; spent_s += rule.piece_s) {
    const auto i = static_cast<size_t>(std::lround(spent_s / rule.piece_s)) % entries.size();
    if (observer->cancelled()) return cancelled_error();
    RIDGE_TRY([[maybe_unused]] const std::vector<Sample> samples,
              entries[i].device->sustain(entries[i].side, rule.piece_s));
  }
  return {};
}

}  // namespace

bool ClockLook::is_held() const {
  const bool is_capped = std::count(held_by.begin(), held_by.end(), "power cap") > 0;
  if (!(lowest_hz > 0)) return is_capped;
  // A cap that a chip met for a moment held nothing down where the clock stayed at its highest.
  return lowest_hz < (is_capped ? 1 : kHeldBelow) * free_hz;
}

std::string ClockLook::sentence() const {
  std::string text = is_held() ? "the clock was held down" : "the clock was not held down";
  if (lowest_hz > 0 && free_hz > 0) {
    // Cycles over time: a look may come out above the highest clock that there is.
    const double seen_hz = std::min(lowest_hz, free_hz);
    text += fmt::format(": {:.0f} of {:.0f} MHz", seen_hz * 1e-6, free_hz * 1e-6);
  }
  return held_by.empty() ? text : fmt::format("{} ({})", text, fmt::join(held_by, ", "));
}

void ClockLook::add(std::span<const Sample> samples) {
  const auto clock = median_of(samples, [](const Sample& sample) { return sample.sm_clock_hz; });
  if (clock && (lowest_hz == 0 || *clock < lowest_hz)) lowest_hz = *clock;
}

void ClockLook::add_reasons(Device* device) {
  for (const std::string& reason : device->held_down_by()) {
    if (std::find(held_by.begin(), held_by.end(), reason) == held_by.end())
      held_by.push_back(reason);
  }
}

Result<ClockLook> look_at_clock(std::span<const SustainedEntry> entries, Observer* observer) {
  ClockLook look;
  for (size_t i = 0; i < entries.size(); ++i) {
    const double free_hz = entries[i].device->free_clock_hz();
    if (!(free_hz > 0)) return ClockLook{};
    look.free_hz = std::max(look.free_hz, free_hz);
    if (observer->cancelled()) return cancelled_error();
    observer->phase(static_cast<int>(i),
                    {.phase = "warmup", .text = "looking how far this load lowers the clock"});
    RIDGE_TRY(const std::vector<Sample> samples,
              entries[i].device->sustain(entries[i].side, kLook_s));
    look.add(std::span(samples).subspan(samples.size() / 2));
    look.add_reasons(entries[i].device);
  }
  if (look.is_held()) RIDGE_TRY_VOID(work_in_turns(entries, observer));
  return look;
}

Result<void> settle_clock(const SustainedEntry& entry, int series, Observer* observer) {
  const SustainedRule rule;
  if (!(entry.device->free_clock_hz() > 0)) return {};
  observer->phase(series, {.phase = "warmup", .text = "at work until the clock stays where it is"});
  Work before;
  for (double spent_s = 0; spent_s < rule.settle_s;) {
    ClockLook look;  // of this half second alone: what the work before left behind has passed
    look.free_hz = entry.device->free_clock_hz();
    Work now;
    while (now.ns < kLook_s * 1e9) {
      if (observer->cancelled()) return cancelled_error();
      RIDGE_TRY(const std::vector<Sample> piece, entry.device->sustain(entry.side, rule.piece_s));
      if (piece.empty()) return {};
      now.add(piece);
      look.add(piece);
      look.add_reasons(entry.device);
    }
    spent_s += now.ns * 1e-9;
    if (!look.is_held()) return {};
    if (look.held_by.empty() && is_steady(now, before, rule)) return {};
    before = now;
  }
  return {};
}

Result<std::vector<std::vector<SustainedTurn>>> take_turns(std::span<const SustainedEntry> entries,
                                                           int pairs, const SustainedRule& rule,
                                                           Observer* observer) {
  const Range range("sustained");
  return TurnTaker(entries, rule, observer).all(pairs);
}

double mean_call_ns(std::span<const Sample> samples) {
  Work work;
  work.add(samples);
  return work.calls > 0 ? work.call_ns() : std::nan("");
}

SustainedSide summary_of(std::span<const SustainedTurn> turns) {
  const auto of = [&](auto get) { return median_of(turns, get); };
  SustainedSide side;
  side.turns = static_cast<int>(turns.size());
  side.call_ns =
      of([](const SustainedTurn& turn) { return std::optional(turn.call_ns); }).value_or(0);
  side.sm_clock_hz = of([](const SustainedTurn& turn) { return turn.sm_clock_hz; });
  side.power_w = of([](const SustainedTurn& turn) { return turn.power_w; });
  if (side.power_w) side.energy_j = *side.power_w * side.call_ns * 1e-9;
  return side;
}

std::vector<double> log_ratios(std::span<const SustainedTurn> baseline,
                               std::span<const SustainedTurn> candidate) {
  std::vector<double> ratios;
  for (size_t k = 0; k < std::min(baseline.size(), candidate.size()); ++k) {
    const double ratio = std::log(baseline[k].call_ns) - std::log(candidate[k].call_ns);
    if (std::isfinite(ratio)) ratios.push_back(ratio);
  }
  return ratios;
}

void judge_sides(std::span<const Round> rounds, std::span<const std::vector<SustainedTurn>> turns,
                 int claims, Comparison* comparison) {
  const SidePair pair = comparison->pair();
  stats::PairedResult paired = stats::judge(rounds, pair, comparison->margin, claims);
  if (!turns.empty()) {
    comparison->equal_clock = paired;
    const auto &base = turns[static_cast<size_t>(pair.baseline)],
               &ours = turns[static_cast<size_t>(pair.candidate)];
    paired = stats::judge_pairs(log_ratios(base, ours), comparison->margin, claims,
                                "pairs of sustained turns");
    comparison->sustained = {summary_of(base), summary_of(ours)};
    const auto restless = [](const SustainedTurn& turn) { return !turn.steady; };
    const auto unsteady = std::count_if(base.begin(), base.end(), restless) +
                          std::count_if(ours.begin(), ours.end(), restless);
    if (unsteady > 0) {
      paired.reasons.push_back(std::to_string(unsteady) +
                               " sustained turns were counted before their clock was steady");
    }
  }
  static_cast<PairedVerdict&>(*comparison) = paired;
  comparison->reasons = std::move(paired.reasons);
}

}  // namespace ridge::measure
