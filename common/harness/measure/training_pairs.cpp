#include "common/harness/measure/training_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "common/harness/measure/machine.h"
#include "common/harness/measure/outcome.h"
#include "common/harness/measure/turn_energy.h"
#include "common/record/params.h"
#include "common/record/seed_delta.h"
#include "common/stats/stats.h"

namespace ridge::measure {
namespace {

constexpr double kTrainingLimit_s = 60;
/// A turn is as many steps as take so long, so that what the other side left in the caches is a small part of it.
constexpr double kTurn_s = 0.02;
/// Beside a library in a process of its own, whose threads wait for a while after each step.
constexpr double kExternalTurn_s = 0.05;
/// Turns are shorter where a training would otherwise have fewer palindromes.
constexpr int64_t kPalindromes = 6;
/// Of a training with a target: the time to it is seen to so small a part of the steps.
constexpr int64_t kTargetLooks = 32;
constexpr const char* kPairedMetric = "accuracy";

// ---- what was asked for --------------------------------------------------------------------------

/// How many sides each seed has. Error usage: a seed is in one side only, or what follows is no pair.
Result<size_t> sides_of(const std::vector<PairedTraining>& all) {
  std::map<int64_t, size_t> of_seed;
  for (const PairedTraining& one : all) {
    if (!one.params.contains("seed")) {
      return Error{ErrorCode::usage, "it takes no seed, so that it has no pairs", one.training->id,
                   "compare trainings that take a seed"};
    }
    ++of_seed[param_int(one.params, "seed")];
  }
  size_t sides = 0;
  for (const auto& [seed, count] : of_seed) sides = std::max(sides, count);
  for (const auto& [seed, count] : of_seed) {
    if (count == sides && sides > 1) continue;
    return Error{ErrorCode::usage, fmt::format("seed {} is in one side only", seed), "compare",
                 "give every side the same seeds"};
  }
  for (size_t i = 0; i < all.size(); ++i) {
    const PairedTraining &first = all[i % sides], &of_its_seed = all[i - i % sides];
    if (all[i].training == first.training &&
        without_seed(all[i].params) == without_seed(first.params) &&
        all[i].params.at("seed") == of_its_seed.params.at("seed"))
      continue;
    return Error{ErrorCode::usage, "it is not the side that the first seed has in its place",
                 all[i].training->id, "name the same sides, in one order, for each seed"};
  }
  return sides;
}

// ---- what a training came to ---------------------------------------------------------------------

std::optional<double> accuracy_of(const std::map<std::string, double>& values) {
  const auto found = values.find(kPairedMetric);
  if (found == values.end() || !std::isfinite(found->second)) return std::nullopt;
  return found->second;
}

std::optional<double> end_accuracy(const Series& series) {
  return series.checks.empty() ? std::nullopt : accuracy_of(series.checks.back().task.map());
}

std::optional<double> best_accuracy(const Series& series) {
  std::optional<double> best = end_accuracy(series);
  for (const CurvePoint& point : series.curve) {
    if (const auto value = accuracy_of(point.values))
      best = std::max(best.value_or(*value), *value);
  }
  return best;
}

/// The time of steps after which the accuracy was first seen to be `target`.
std::optional<double> time_to(const Series& series, double target) {
  for (const CurvePoint& point : series.curve) {
    const auto value = accuracy_of(point.values);
    if (value && *value >= target) return point.t_s;
  }
  const auto end = end_accuracy(series);
  if (!end || series.curve.empty() || !(*end >= target)) return std::nullopt;
  return series.curve.back().t_s;
}

double whole_s(const Series& series) {
  return series.curve.empty() ? 0 : series.curve.back().t_s;
}

std::optional<double> median_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return stats::median(values);
}

// ---- the comparison ------------------------------------------------------------------------------

/// Its rounds are the seeds.
class TrainingComparison final : public PairedComparison {
 public:
  TrainingComparison(const std::vector<PairedTraining>& all, size_t sides,
                     const CompareOptions& options, Observer* observer, StepClock clock)
      : PairedComparison(sides, options, observer), all_(all), clock_(clock), failures_(sides) {}

 private:
  Result<void> steps() override;
  Comparison compared(const SidePair& pair) const override;
  void close(const Result<void>& outcome) override;

  size_t seeds() const { return all_.size() / sides(); }
  Series& series(size_t seed, size_t side) { return out_.series[seed * sides() + side]; }
  const Series& series(size_t seed, size_t side) const {
    return out_.series[seed * sides() + side];
  }

  Result<void> train(size_t seed);
  Result<void> set_up(size_t seed);
  Result<void> check_equal_steps(size_t seed, size_t side) const;
  Result<void> turns(size_t seed);
  /// One palindrome of `steps` steps a turn, `fewer` in its second half; its times a step, one a turn.
  Result<std::vector<double>> palindrome(const std::string& order, int64_t steps, int64_t fewer,
                                         bool is_metered);
  void judge_models(size_t seed);
  void keep_seed(const std::string& order, const std::vector<std::vector<double>>& turns);
  void report(size_t seed);

  double margin() const;
  TrainedPairs pairs_of(size_t side) const;
  std::optional<double> target() const;
  TrainedSide side_of(size_t side) const;
  void compare_accuracy(size_t side, TrainedPairs* pairs) const;
  void compare_times(size_t side, TrainedPairs* pairs) const;
  PairedVerdict judged(std::span<const double> log_ratios, std::vector<std::string>* reasons) const;

  const std::vector<PairedTraining>& all_;
  StepClock clock_;
  std::vector<std::unique_ptr<TrainingRun>> live_;
  std::vector<TurnEnergy> energy_;     ///< of each side
  double start_s_ = 0;                 ///< of the comparison
  double reported_s_ = 0;              ///< when samples were sent last
  std::vector<std::string> failures_;  ///< of each side: the first; empty: none
};

double TrainingComparison::margin() const {
  const bool has_cpu = std::any_of(all_.begin(), all_.end(), [](const PairedTraining& one) {
    return one.training->backend == Backend::cpu;
  });
  return options_.margin.value_or(default_margin(has_cpu));
}

Result<void> TrainingComparison::check_equal_steps(size_t seed, size_t side) const {
  const Training &ours = live_[side]->training(), &theirs = live_[0]->training();
  const char* kernel = all_[seed * sides() + side].training->id;
  if (ours.is_emulated()) {
    return Error{ErrorCode::unavailable, "it is emulated, so its time is not its type's", kernel,
                 "compare its accuracy: run both with several seeds"};
  }
  if (ours.items_per_step() != theirs.items_per_step()) {
    return Error{ErrorCode::unavailable,
                 fmt::format("its step takes {} items, the baseline's {}", ours.items_per_step(),
                             theirs.items_per_step()),
                 kernel, "set the same batch for both"};
  }
  if (ours.steps() != theirs.steps()) {
    return Error{ErrorCode::unavailable,
                 fmt::format("it makes {} steps, the baseline {}", ours.steps(), theirs.steps()),
                 kernel, "set as many epochs, or steps, for both"};
  }
  if (ours.steps() < 2) {
    return Error{ErrorCode::unavailable, "it makes one step, and turns take two of each side",
                 kernel, "set more epochs, or a smaller batch"};
  }
  return {};
}

Result<void> TrainingComparison::set_up(size_t seed) {
  live_.clear();
  for (size_t side = 0; side < sides(); ++side) {
    const PairedTraining& one = all_[seed * sides() + side];
    const bool has_target = options_.budget.accuracy_target || options_.budget.accuracy_kept;
    const int64_t looks = has_target ? kTargetLooks : kLooks;
    RIDGE_TRY(auto made, TrainingRun::set_up(*one.training, one.device, &series(seed, side),
                                             observer_, looks, clock_));
    live_.push_back(std::move(made));
    RIDGE_TRY_VOID(check_equal_steps(seed, side));
  }
  return {};
}

Result<std::vector<double>> TrainingComparison::palindrome(const std::string& order, int64_t steps,
                                                           int64_t fewer, bool is_metered) {
  std::vector<double> times_ns;
  for (size_t turn = 0; turn < order.size(); ++turn) {
    if (observer_->cancelled()) return cancelled_error();
    TrainingRun& training = *live_[static_cast<size_t>(marked_side(order[turn]))];
    const double before_s = training.trained_s();
    const int64_t count = turn < sides() ? steps : fewer;
    TurnEnergy& energy = energy_[static_cast<size_t>(marked_side(order[turn]))];
    if (is_metered) energy.begin();
    for (int64_t i = 0; i < count; ++i) RIDGE_TRY_VOID(training.step());
    if (is_metered) energy.end(count);
    times_ns.push_back((training.trained_s() - before_s) * 1e9 /
                       double(std::max<int64_t>(1, count)));
  }
  return times_ns;
}

void TrainingComparison::report(size_t seed) {
  for (const auto& training : live_) training->report();
  const double made = double(live_[0]->made()) / double(live_[0]->steps());
  const double done = (double(seed) + made) / double(seeds());
  observer_->phase(series(seed, 0).index,
                   {.phase = "rounds",
                    .text = "training in turns",
                    .open = fmt::format("seed {} of {}, {} of {} steps", seed + 1, seeds(),
                                        live_[0]->made(), live_[0]->steps()),
                    .progress = done,
                    .left_s = (clock_() - start_s_) * (1 / std::max(done, 1e-9) - 1)});
  gap();
  reported_s_ = clock_();
}

/// Every turn of the seed in one round: the median of the turns in each place, so that what a busy machine did to some
/// does not count. The first palindrome faults pages.
void TrainingComparison::keep_seed(const std::string& order,
                                   const std::vector<std::vector<double>>& turns) {
  const size_t first = turns.size() > 1 ? 1 : 0;
  Round round{.index = 0, .order = order, .t_ns = {}, .sm_clock_hz = {}};
  for (size_t place = 0; place < order.size(); ++place) {
    std::vector<double> times_ns;
    for (size_t i = first; i < turns.size(); ++i) times_ns.push_back(turns[i][place]);
    round.t_ns.push_back(stats::median(times_ns));
  }
  keep_round(std::move(round));
  observer_->rounds(rounds().last(1));
}

Result<void> TrainingComparison::turns(size_t seed) {
  const std::string order = palindromes_.draw();
  const int64_t all = live_[0]->steps();
  const double limit_s = options_.limit_s.value_or(kTrainingLimit_s) * double(sides());
  const bool external = std::any_of(
      all_.begin(), all_.end(), [](const PairedTraining& one) { return one.training->external; });
  const double turn_s = external ? kExternalTurn_s : kTurn_s;
  const double start_s = clock_();
  std::vector<std::vector<double>> turns;
  int64_t steps = 1;
  observer_->announce(series(seed, 0).index);
  while (live_[0]->made() < all && clock_() - start_s <= limit_s) {
    const int64_t left = all - live_[0]->made();
    const bool is_whole = left >= 2 * steps;
    RIDGE_TRY(auto times_ns, palindrome(order, is_whole ? steps : (left + 1) / 2,
                                        is_whole ? steps : left / 2, is_whole && !turns.empty()));
    if (turns.empty()) {
      const double step_s = *std::min_element(times_ns.begin(), times_ns.end()) * 1e-9;
      const auto most = std::max<int64_t>(1, (all - 2) / (2 * kPalindromes));
      steps =
          std::clamp<int64_t>(std::llround(std::ceil(turn_s / std::max(step_s, 1e-9))), 1, most);
    }
    if (is_whole) turns.push_back(std::move(times_ns));
    if (clock_() - reported_s_ < kReport_s) continue;
    report(seed);
    observer_->announce(series(seed, 0).index);
  }
  report(seed);
  keep_seed(order, turns);
  if (live_[0]->is_over()) return {};
  for (size_t side = 0; side < sides(); ++side)
    stop_at_limit(*live_[side], limit_s / double(sides()), &series(seed, side));
  return {};
}

/// Every side is judged, so that the accuracy of what the gate refuses is known too.
void TrainingComparison::judge_models(size_t seed) {
  for (size_t side = 0; side < sides(); ++side) {
    const auto passed = live_[side]->judge();
    if (passed) continue;
    take_error(passed.error(), &series(seed, side));
    if (failures_[side].empty())
      failures_[side] = fmt::format("{}, seed {}", passed.error().sentence(),
                                    param_int(series(seed, side).params, "seed"));
  }
}

Result<void> TrainingComparison::train(size_t seed) {
  RIDGE_TRY_VOID(set_up(seed));
  const ForeignLoad foreign;
  const auto trained = turns(seed);
  if (!trained) report(seed);  // what was measured stays
  for (size_t side = 0; side < sides(); ++side) {
    const bool disturbed =
        is_contended(foreign.cpus(), all_[seed * sides() + side].training->backend);
    live_[side]->sum_up(disturbed);
    energy_[side].settle(&series(seed, side));
    if (disturbed) add_reason(kContended);
  }
  RIDGE_TRY_VOID(trained);
  // What a limit ended is no whole training: its accuracy says nothing of one.
  if (live_[0]->is_over()) judge_models(seed);
  return {};
}

// ---- verdicts ------------------------------------------------------------------------------------

/// As of rounds, but nothing is claimed of fewer seeds than kSeedsToClaim.
PairedVerdict TrainingComparison::judged(std::span<const double> log_ratios,
                                         std::vector<std::string>* reasons) const {
  stats::PairedResult result = stats::judge_pairs(log_ratios, margin(), claims(), "seeds");
  if (result.rounds < kSeedsToClaim && result.rounds > 0) {
    result.verdict = Verdict::unresolved;
    result.rounds_needed = kSeedsToClaim;
    result.reasons = {fmt::format("{} {} too few for a claim; {} are needed", result.rounds,
                                  result.rounds == 1 ? "seed is" : "seeds are", kSeedsToClaim)};
  }
  reasons->insert(reasons->end(), result.reasons.begin(), result.reasons.end());
  return result;
}

void TrainingComparison::compare_accuracy(size_t side, TrainedPairs* pairs) const {
  std::vector<double> differences;
  for (size_t seed = 0; seed < rounds().size(); ++seed) {
    const auto ours = end_accuracy(series(seed, side)), theirs = end_accuracy(series(seed, 0));
    if (ours && theirs) differences.push_back(*ours - *theirs);
  }
  pairs->judged = static_cast<int>(differences.size());
  if (differences.empty()) return;
  const SeedDelta delta = mean_difference(differences);
  pairs->accuracy_delta = delta.mean;
  pairs->accuracy_ci = delta.ci;
}

/// "0.871", or "none" where no accuracy was seen.
std::string best_text(const TrainedSide& side) {
  return side.best_accuracy ? fmt::format("{:.4g}", *side.best_accuracy) : "none";
}

void TrainingComparison::compare_times(size_t side, TrainedPairs* pairs) const {
  pairs->target = target();
  if (!pairs->target) return;
  const auto all = static_cast<int>(rounds().size());
  const TrainedSide &theirs = pairs->sides[0], &ours = pairs->sides[1];
  if (theirs.reached < all || ours.reached < all) {
    pairs->no_to_target = fmt::format(
        "an accuracy of {:.4g} was reached by {} of {} trainings of the baseline (at "
        "most {}) and {} of {} of the candidate (at most {}), so their times to it "
        "have no ratio",
        *pairs->target, theirs.reached, all, best_text(theirs), ours.reached, all, best_text(ours));
    return;
  }
  std::vector<double> ratios;
  for (size_t seed = 0; seed < rounds().size(); ++seed) {
    ratios.push_back(std::log(*time_to(series(seed, 0), *pairs->target)) -
                     std::log(*time_to(series(seed, side), *pairs->target)));
  }
  std::vector<std::string> reasons;
  pairs->to_target = judged(ratios, &reasons);
}

/// The accuracy that both sides are timed to: as it was asked for, or a share of what the baseline's trainings ended with.
std::optional<double> TrainingComparison::target() const {
  const Budget& budget = options_.budget;
  if (budget.accuracy_target || !budget.accuracy_kept) return budget.accuracy_target;
  std::vector<double> ends;
  for (size_t seed = 0; seed < rounds().size(); ++seed) {
    if (const auto end = end_accuracy(series(seed, 0))) ends.push_back(*end);
  }
  const auto reference = median_of(ends);
  if (!reference) return std::nullopt;
  return *budget.accuracy_kept * *reference;
}

TrainedSide TrainingComparison::side_of(size_t side) const {
  TrainedSide out;
  const std::optional<double> accuracy = target();
  std::vector<double> steps_ns, totals_s, accuracies, to_target_s, steps_j;
  for (size_t seed = 0; seed < rounds().size(); ++seed) {
    const Series& one = series(seed, side);
    if (one.stats) steps_ns.push_back(one.stats->median_ns);
    if (one.energy_j) steps_j.push_back(*one.energy_j);
    out.memory_bytes = std::max(out.memory_bytes, one.memory_bytes);
    if (const auto value = end_accuracy(one)) {
      accuracies.push_back(*value);
      totals_s.push_back(whole_s(one));
    }
    const auto best = best_accuracy(one);
    if (best) out.best_accuracy = std::max(out.best_accuracy.value_or(*best), *best);
    const auto reached = accuracy ? time_to(one, *accuracy) : std::nullopt;
    if (reached) to_target_s.push_back(*reached);
  }
  out.step_ns = median_of(steps_ns).value_or(0);
  out.total_s = median_of(totals_s);
  const int64_t epochs = param_int(all_[side].params, "epochs");
  if (out.total_s && epochs > 0) out.epoch_s = *out.total_s / double(epochs);
  const auto step_j = median_of(steps_j);
  if (step_j && epochs > 0)
    out.epoch_energy_j = *step_j * double(live_[side]->steps()) / double(epochs);
  out.accuracy = median_of(accuracies);
  out.reached = static_cast<int>(to_target_s.size());
  out.to_target_s = median_of(to_target_s);
  return out;
}

TrainedPairs TrainingComparison::pairs_of(size_t side) const {
  TrainedPairs pairs;
  for (size_t seed = 0; seed < rounds().size(); ++seed)
    pairs.seeds.push_back(param_int(series(seed, 0).params, "seed"));
  if (!live_.empty()) pairs.steps = live_[0]->steps();
  pairs.sides = {side_of(0), side_of(side)};
  const Budget& budget = options_.budget;
  const auto& reference = pairs.sides[0].accuracy;
  const bool is_share = !budget.accuracy_lost && budget.accuracy_kept && reference;
  pairs.may_lose =
      is_share ? (1 - *budget.accuracy_kept) * *reference : budget.accuracy_lost.value_or(kMayLose);
  for (const size_t one : {size_t{0}, side}) {
    const auto why = series(0, one).unavailable.find("energy_j");
    if (why != series(0, one).unavailable.end()) pairs.no_energy = why->second;
  }
  compare_accuracy(side, &pairs);
  compare_times(side, &pairs);
  return pairs;
}

Comparison TrainingComparison::compared(const SidePair& pair) const {
  Comparison comparison = unjudged(pair, margin());
  comparison.cache = CacheMode::hot;
  const auto side = static_cast<size_t>(pair.candidate);
  std::vector<double> ratios;
  for (const Round& round : rounds()) ratios.push_back(stats::round_log_ratio(round, pair));
  static_cast<PairedVerdict&>(comparison) = judged(ratios, &comparison.reasons);
  comparison.trained = pairs_of(side);
  if (all_[side].training->backend == Backend::cuda)
    comparison.clock = "both sides shared the GPU's clock; trainings take no turns alone";
  for (const size_t wrong : {size_t{0}, side}) {
    if (failures_[wrong].empty()) continue;
    comparison.verdict = Verdict::invalid;
    comparison.ci.reset();
    comparison.reasons = {failures_[wrong]};
  }
  return comparison;
}

Result<void> TrainingComparison::steps() {
  for (size_t i = 0; i < all_.size(); ++i) {
    out_.series.push_back(
        training_series(*all_[i].training, all_[i].params, RunMode::compare, static_cast<int>(i)));
  }
  for (size_t side = 0; side < sides(); ++side) energy_.emplace_back(all_[side].device, clock_);
  start_s_ = reported_s_ = clock_();
  for (size_t seed = 0; seed < seeds(); ++seed) {
    if (observer_->cancelled()) return cancelled_error();
    RIDGE_TRY_VOID(train(seed));
  }
  return {};
}

void TrainingComparison::close(const Result<void>& outcome) {
  for (Series& one : out_.series) {
    if (!outcome && one.checks.empty() && one.status == SeriesStatus::ok) {
      one.status = out_.cancelled ? SeriesStatus::cancelled : SeriesStatus::skipped;
      one.reason = outcome.error().sentence();
    }
    one.unavailable["latency"] = "a training step has no latency pass of its own";
    describe_unavailable(&one);
  }
}

}  // namespace

Result<CompareOutcome> compare_trainings(const std::vector<PairedTraining>& all,
                                         const CompareOptions& options, Observer* observer,
                                         StepClock clock) {
  RIDGE_TRY(const size_t sides, sides_of(all));
  return TrainingComparison(all, sides, options, observer, clock).run();
}

}  // namespace ridge::measure
