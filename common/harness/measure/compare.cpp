#include "common/harness/measure/compare.h"

#include <algorithm>

#include "common/core/format.h"
#include "common/harness/kernel/registry.h"
#include "common/harness/measure/energy_pass.h"
#include "common/harness/measure/machine.h"
#include "common/harness/measure/outcome.h"
#include "common/harness/measure/palindromes.h"
#include "common/harness/measure/range.h"
#include "common/harness/measure/sustained.h"
#include "common/record/accuracy.h"
#include "common/record/clocks.h"
#include "common/record/params.h"
#include "common/stats/stats.h"

namespace ridge::measure {
namespace {

constexpr double kRoundsLimit_s = 30;
constexpr int kLeadSlots = 2;

/// Everything one side owns while the comparison lasts.
struct ComparisonSide {
  std::shared_ptr<ProblemInstance> instance;
  std::unique_ptr<ReadyRung> rung;
  std::unique_ptr<Side> side;
  double call_ns = 0;
};

bool same_problem(const ProblemInstance& a, const ProblemInstance& b) {
  const Shape left = a.problem->shape(), right = b.problem->shape();
  return a.specs.size() == b.specs.size() && a.bytes() == b.bytes() && left.dtype == right.dtype &&
         std::equal(std::begin(left.dim), std::end(left.dim), std::begin(right.dim));
}

class ComparisonRun {
 public:
  ComparisonRun(Bench* bench, const std::vector<CompareSide>& sides, const CompareOptions& options,
                Observer* observer)
      : bench_(bench),
        sides_(sides),
        options_(options),
        observer_(observer),
        palindromes_(sides.size(), options.order_seed),
        live_(sides.size()) {
    frame_.mode = Mode::measure;
    frame_.cache = options.cache;
    frame_.warmup_s = options.warmup_s;
  }

  Result<CompareOutcome> run();

 private:
  void describe_sides();
  Result<void> steps();
  /// Inputs, buffers (shared where the problem is the same) and plan of side i.
  Result<void> prepare(size_t i);
  Result<void> gate(size_t i, bool before);
  Result<void> rounds();
  Result<void> latencies();
  LatencyRule latency_rule() const;
  Result<void> energies();
  /// Whether the load holds the clock down; and the turns that show what it costs.
  Result<void> look();
  Result<void> sustained();
  Result<std::vector<Sample>> time_order(const std::vector<uint8_t>& order);
  std::vector<Side*> sides_on(const Device* device) const;
  int slots_per_block() const;
  std::vector<SustainedEntry> entries() const;
  bool has_clock() const;
  void keep_round(const std::string& order, std::span<const Sample> samples);
  int rounds_wanted() const;
  void judge(const Result<void>& outcome);

  Bench* bench_;
  const std::vector<CompareSide>& sides_;
  const CompareOptions& options_;
  Observer* observer_;
  Options frame_;
  Palindromes palindromes_;
  std::vector<ComparisonSide> live_;
  std::vector<Round> rounds_;
  ClockLook look_;
  std::vector<std::vector<SustainedTurn>> turns_;
  std::string clock_;  ///< Comparison::clock
  std::vector<std::string> reasons_;
  CompareOutcome out_;
};

int candidates_of(size_t sides) {
  return static_cast<int>(sides) - 1;
}

double margin_of(const std::vector<CompareSide>& sides, const CompareOptions& options) {
  const bool cpu = std::any_of(sides.begin(), sides.end(), [](const CompareSide& side) {
    return side.kernel->backend == Backend::cpu;
  });
  return options.margin.value_or(cpu ? 0.02 : 0.01);
}

void ComparisonRun::describe_sides() {
  for (size_t i = 0; i < sides_.size(); ++i) {
    Series series;
    series.index = static_cast<int>(i);
    series.kernel = sides_[i].kernel->id;
    series.kind = RungKind::kernel;
    series.params = sides_[i].params;
    series.dtype = dtype_of(*sides_[i].kernel, sides_[i].params);
    series.cache = options_.cache;
    series.mode = RunMode::compare;
    series.status = SeriesStatus::ok;
    out_.series.push_back(std::move(series));
  }
}

Result<void> ComparisonRun::prepare(size_t i) {
  const CompareSide& side = sides_[i];
  Series& series = out_.series[i];
  const FamilyDesc* family = find_family(family_of(side.kernel->id));
  if (family == nullptr) {
    return Error{ErrorCode::unavailable, "its family is not in this worker", side.kernel->id, ""};
  }
  RIDGE_TRY_VOID(check_supported(*side.kernel, side.params, *side.device, options_.cache));
  observer_->phase(series.index, {.phase = "prepare", .text = "making the inputs"});
  RIDGE_TRY_VOID(get_ready(*family, side.params, series.index, observer_));
  RIDGE_TRY(const CallEstimate estimate,
            bench_->estimates.get(*side.kernel, *family, side.params, side.device));
  if (!estimate.reduced_from.empty()) {
    return Error{ErrorCode::unavailable, "one call would take over 5 s at " + estimate.reduced_from,
                 side.kernel->id,
                 "compare at a smaller size, such as " + to_string(estimate.params)};
  }
  std::shared_ptr<BufferSet> buffers;
  for (size_t other = 0; other < i && live_[i].instance == nullptr; ++other) {
    const bool same = family_of(sides_[other].kernel->id) == family_of(side.kernel->id) &&
                      sides_[other].params == side.params;
    if (same) live_[i].instance = live_[other].instance;
  }
  if (live_[i].instance == nullptr) {
    RIDGE_TRY(live_[i].instance, bench_->instance.get(*family, side.params, 1, *side.device));
  }
  if (live_[i].instance->problem->is_emulated()) {
    return Error{ErrorCode::unavailable, "it is emulated, so its time is not its type's",
                 side.kernel->id, "compare its accuracy: run both with several seeds"};
  }
  // Families differ in how they solve it: what they work off, so many images, has to be the same.
  const double items = live_[i].instance->problem->items();
  if (family_of(side.kernel->id) != family_of(sides_[0].kernel->id) &&
      !(items > 0 && items == live_[0].instance->problem->items())) {
    return Error{ErrorCode::usage,
                 "it is of another family than the baseline, and works off other items",
                 side.kernel->id, "compare rungs that solve the same problem"};
  }
  for (size_t other = 0; other < i && buffers == nullptr; ++other) {
    const bool shared = sides_[other].device == side.device &&
                        same_problem(*live_[other].instance, *live_[i].instance);
    if (shared) buffers = live_[other].rung->buffers;
  }
  if (i > 0 && buffers != live_[0].rung->buffers) {
    const std::string what = values_instead(side.params, sides_[0].params);
    reasons_.push_back(series.kernel + " differs from the baseline, with buffers of its own: " +
                       (what.empty() ? "another problem or device" : what));
  }
  const std::string classes = accuracy_difference(side.kernel->id, side.kernel->accuracy,
                                                  sides_[0].kernel->id, sides_[0].kernel->accuracy);
  if (!classes.empty()) reasons_.push_back(classes);
  RIDGE_TRY(ReadyRung rung, make_ready(*side.kernel, side.device, live_[i].instance, buffers));
  live_[i].rung = std::make_unique<ReadyRung>(std::move(rung));
  live_[i].instance->describe(&series);
  live_[i].rung->describe(&series);
  observer_->problem(series);
  return {};
}

Result<void> ComparisonRun::gate(size_t i, bool before) {
  Series& series = out_.series[i];
  const auto take = [&](const QualityCheck& check) -> Result<void> {
    series.checks.push_back(check);
    observer_->check(series.index, check);
    if (check.passed) return {};
    return Error{ErrorCode::invalid, check.reason, series.kernel + ", " + check.what, ""};
  };
  observer_->phase(series.index, {.phase = "check", .text = "checking the output"});
  const FamilyDesc* family = find_family(family_of(series.kernel));
  if (before && family->awkward != nullptr) {
    RIDGE_TRY(const QualityCheck full,
              bench_->full_checks.get(*sides_[i].kernel, *family, series.params, sides_[i].device,
                                      *observer_));
    RIDGE_TRY_VOID(take(full));
  }
  RIDGE_TRY(const QualityCheck timed,
            check_rung(live_[i].rung.get(), false,
                       before ? "timed shape, before timing" : "timed shape, after timing"));
  return take(timed);
}

std::vector<Side*> ComparisonRun::sides_on(const Device* device) const {
  std::vector<Side*> sides;
  for (size_t i = 0; i < sides_.size(); ++i) {
    if (sides_[i].device == device) sides.push_back(live_[i].side.get());
  }
  return sides;
}

int ComparisonRun::slots_per_block() const {
  int slots = 1 << 20;
  for (const CompareSide& side : sides_) {
    slots = std::min(slots, side.device->slots_per_block(sides_on(side.device)));
  }
  return slots;
}

/// One block; slots of one device that follow each other go to it together.
Result<std::vector<Sample>> ComparisonRun::time_order(const std::vector<uint8_t>& order) {
  std::vector<Sample> samples;
  for (size_t at = 0; at < order.size();) {
    Device* device = sides_[order[at]].device;
    const std::vector<Side*> sides = sides_on(device);
    std::vector<uint8_t> part;  // the order in the device's own numbering
    for (; at < order.size() && sides_[order[at]].device == device; ++at) {
      const Side* side = live_[order[at]].side.get();
      part.push_back(
          static_cast<uint8_t>(std::find(sides.begin(), sides.end(), side) - sides.begin()));
    }
    RIDGE_TRY(std::vector<Sample> timed, device->time(sides, part));
    samples.insert(samples.end(), timed.begin(), timed.end());
  }
  return samples;
}

void ComparisonRun::keep_round(const std::string& order, std::span<const Sample> samples) {
  Round round;
  round.index = static_cast<int>(rounds_.size());
  round.order = order;
  for (size_t slot = 0; slot < samples.size(); ++slot) {
    round.t_ns.push_back(samples[slot].t_ns);
    round.sm_clock_hz.push_back(samples[slot].sm_clock_hz.value_or(0));
    auto& all = out_.series[static_cast<size_t>(order[slot] - '0')].samples;
    all.push_back(samples[slot]);
    all.back().index = static_cast<int64_t>(all.size()) - 1;
  }
  const auto& clocks = round.sm_clock_hz;
  if (std::all_of(clocks.begin(), clocks.end(), [](double hz) { return hz == 0; }))
    round.sm_clock_hz.clear();
  rounds_.push_back(std::move(round));
}

int ComparisonRun::rounds_wanted() const {
  const bool all_far = std::all_of(live_.begin() + 1, live_.end(), [&](const ComparisonSide& side) {
    const double ratio = side.call_ns / live_.front().call_ns;
    return ratio >= kFar || ratio <= 1 / kFar;
  });
  return all_far ? kFarRounds : kRounds;
}

Result<void> ComparisonRun::rounds() {
  const Range range("rounds");
  const double limit_s = options_.limit_s.value_or(kRoundsLimit_s);
  const int fewest = stats::fewest_for_interval(1 - 0.05 / candidates_of(sides_.size()));
  const int slots = slots_per_block();
  const int round_slots = 2 * static_cast<int>(sides_.size());
  // Two lead slots narrow a short block's scatter; where one round fills a block they only cost.
  const bool lead = slots >= round_slots + kLeadSlots;
  const int per_block = std::max(1, (slots - (lead ? kLeadSlots : 0)) / round_slots);

  const double start = now_s();
  const int wanted = rounds_wanted();
  while (static_cast<int>(rounds_.size()) < wanted) {
    if (observer_->cancelled()) return cancelled_error();
    const int done = static_cast<int>(rounds_.size());
    if (done >= fewest && now_s() - start >= limit_s) {
      reasons_.push_back("stopped at the limit of " + format_tick(limit_s) + " s after " +
                         std::to_string(done) + " rounds");
      break;
    }
    std::vector<uint8_t> order;
    std::vector<std::string> palindromes;
    for (int i = 0; lead && i < kLeadSlots; ++i) {
      order.push_back(palindromes_.draw_side());
    }
    for (int i = 0; i < std::min(per_block, wanted - done); ++i) {
      palindromes.push_back(palindromes_.draw());
      for (const char side : palindromes.back()) order.push_back(static_cast<uint8_t>(side - '0'));
    }
    observer_->announce(0);
    RIDGE_TRY(const std::vector<Sample> samples, time_order(order));
    std::span<const Sample> rest(samples);
    rest = rest.subspan(lead ? kLeadSlots : 0);
    std::vector<size_t> had;
    for (const Series& series : out_.series) had.push_back(series.samples.size());
    for (const std::string& palindrome : palindromes) {
      keep_round(palindrome, rest.first(palindrome.size()));
      rest = rest.subspan(palindrome.size());
    }
    observer_->rounds(std::span(rounds_).subspan(static_cast<size_t>(done)));
    for (size_t i = 0; i < out_.series.size(); ++i) {
      observer_->samples(static_cast<int>(i), "call",
                         std::span<const Sample>(out_.series[i].samples).subspan(had[i]));
    }
    observer_->phase(0, rounds_phase(rounds_.size(), wanted, now_s() - start, limit_s));
    gap();
  }
  return {};
}

Result<void> ComparisonRun::steps() {
  for (size_t i = 0; i < sides_.size(); ++i) RIDGE_TRY_VOID(prepare(i));
  Result<void> gates;  // every side is judged, so that all that is wrong is said at once
  for (size_t i = 0; i < sides_.size(); ++i) {
    const auto passed = gate(i, true);
    if (!passed && passed.error().code == ErrorCode::worker) return passed;
    if (gates.ok()) gates = passed;
  }
  RIDGE_TRY_VOID(gates);
  for (size_t i = 0; i < sides_.size(); ++i) {
    RIDGE_TRY(live_[i].call_ns, warm_up(*live_[i].rung, frame_, static_cast<int>(i), observer_));
  }
  for (size_t i = 0; i < sides_.size(); ++i) {
    RIDGE_TRY(live_[i].side, sides_[i].device->make_side(*sides_[i].kernel, live_[i].rung->launch(),
                                                         options_.cache, live_[i].call_ns));
  }
  RIDGE_TRY_VOID(look());
  const ForeignLoad foreign;
  const auto timed = rounds();
  const double foreign_cpus = foreign.cpus();
  bool contended = false;
  for (size_t i = 0; i < sides_.size(); ++i) {
    const bool disturbed = is_contended(foreign_cpus, sides_[i].kernel->backend);
    summarize(&out_.series[i], disturbed, false, sides_[i].kernel->time_calls != nullptr);
    contended = contended || disturbed;
  }
  if (contended) reasons_.push_back("contended: other processes used the CPU meanwhile");
  RIDGE_TRY_VOID(timed);
  RIDGE_TRY_VOID(latencies());
  RIDGE_TRY_VOID(sustained());
  RIDGE_TRY_VOID(energies());
  for (size_t i = 0; i < sides_.size(); ++i) RIDGE_TRY_VOID(gate(i, false));
  return {};
}

/// A percentile that the budget demands gets as long as the rounds.
LatencyRule ComparisonRun::latency_rule() const {
  const Budget& budget = options_.budget;
  const bool is_demanded = budget.p50_ns || budget.p90_ns || budget.p95_ns || budget.p99_ns;
  if (is_demanded) return {300, options_.limit_s.value_or(kRoundsLimit_s)};
  return {300, std::min(1.0, options_.limit_s.value_or(1.0))};
}

Result<void> ComparisonRun::latencies() {
  const LatencyRule rule = latency_rule();
  for (size_t i = 0; i < sides_.size(); ++i) {
    Series& series = out_.series[i];
    // 59 calls make a 95th percentile; a rung too slow for that within the limit goes without.
    const double needed_s = 59e-9 * live_[i].call_ns;
    if (needed_s > std::max(1.0, rule.limit_s)) {
      series.unavailable["p95_ns"] = "59 single calls would take " +
                                     std::to_string(int(needed_s + 0.5)) + " s; measure the rung";
      continue;
    }
    RIDGE_TRY_VOID(latency_pass(*live_[i].rung, options_.cache, rule, live_[i].call_ns,
                                series.index, observer_, &series.latency_samples));
    series.latency = stats::summarize_latency(series.latency_samples);
  }
  return {};
}

/// Only where the budget demands it: a pass of over a second a side.
Result<void> ComparisonRun::energies() {
  for (size_t i = 0; i < sides_.size() && options_.budget.energy_j; ++i) {
    RIDGE_TRY_VOID(
        energy_pass(*live_[i].rung, frame_, live_[i].call_ns, &out_.series[i], observer_));
  }
  return {};
}

std::vector<SustainedEntry> ComparisonRun::entries() const {
  std::vector<SustainedEntry> all;
  for (size_t i = 0; i < sides_.size(); ++i) all.push_back({sides_[i].device, live_[i].side.get()});
  return all;
}

bool ComparisonRun::has_clock() const {
  return std::all_of(sides_.begin(), sides_.end(),
                     [](const CompareSide& side) { return side.device->free_clock_hz() > 0; });
}

Result<void> ComparisonRun::look() {
  if (!has_clock() || options_.cache == Cache::cold || !options_.sustained) return {};
  RIDGE_TRY(look_, look_at_clock(entries(), observer_));
  return {};
}

Result<void> ComparisonRun::sustained() {
  if (!has_clock()) return {};
  look_.free_hz = sides_[0].device->free_clock_hz();
  for (size_t i = 0; i < sides_.size(); ++i) {
    look_.add(out_.series[i].samples);
    look_.add_reasons(sides_[i].device);
  }
  clock_ = look_.sentence();
  if (!look_.is_held()) {
    clock_ += "; alone, each side runs at the same clock";
    return {};
  }
  if (options_.cache == Cache::cold) {
    clock_ += "; with cold caches a flush rests between calls, so that no load lasts";
    return {};
  }
  if (!options_.sustained) {
    clock_ += "; both sides shared it, and how fast each is alone was not measured";
    return {};
  }
  const std::string held = clock_;
  clock_ += "; the turns alone did not end";
  const double confidence = 1 - 0.05 / candidates_of(sides_.size());
  const int pairs = std::max(kTurns, stats::fewest_for_interval(confidence));
  RIDGE_TRY(turns_, take_turns(entries(), pairs, options_.turns, observer_));
  clock_ = held + "; so each side also ran alone";
  for (size_t i = 0; i < turns_.size(); ++i) {
    add_note("at one clock with the other sides; alone " + side_clock_text(summary_of(turns_[i])),
             &out_.series[i]);
  }
  return {};
}

void ComparisonRun::judge(const Result<void>& outcome) {
  if (out_.cancelled && rounds_.empty()) return;  // there is nothing to judge
  const int candidates = candidates_of(sides_.size());
  const double margin = margin_of(sides_, options_);
  for (int side = 1; side <= candidates; ++side) {
    Comparison comparison;
    comparison.candidate_index = side;
    comparison.baseline = sides_[0].kernel->id;
    comparison.candidate = sides_[static_cast<size_t>(side)].kernel->id;
    comparison.baseline_params = sides_[0].params;
    comparison.candidate_params = sides_[static_cast<size_t>(side)].params;
    comparison.cache = options_.cache;
    comparison.margin = margin;
    comparison.clock_held = look_.is_held();
    comparison.clock = clock_;
    judge_side(rounds_, turns_, side, candidates, &comparison);
    comparison.reasons.insert(comparison.reasons.end(), reasons_.begin(), reasons_.end());
    if (out_.cancelled) {
      comparison.reasons.push_back("cancelled");
    } else if (!outcome) {
      comparison.verdict = Verdict::invalid;
      comparison.ci.reset();
      comparison.equal_clock.reset();
      comparison.sustained.clear();
      comparison.reasons = {outcome.error().sentence()};
    }
    out_.comparisons.push_back(std::move(comparison));
  }
}

Result<CompareOutcome> ComparisonRun::run() {
  describe_sides();
  const auto outcome = steps();
  if (!outcome && (outcome.error().code == ErrorCode::worker ||
                   outcome.error().code == ErrorCode::unavailable)) {
    return outcome.error();
  }
  out_.cancelled = !outcome && outcome.error().code == ErrorCode::cancelled;
  judge(outcome);
  for (size_t i = 0; i < out_.series.size(); ++i) {
    Series& series = out_.series[i];
    const bool refused = !series.checks.empty() && !series.quality_passed();
    if (refused) {
      take_error({ErrorCode::invalid, series.quality()->reason, series.quality()->what, ""},
                 &series);
    } else if (!outcome) {
      series.status = out_.cancelled ? SeriesStatus::cancelled : SeriesStatus::skipped;
      series.reason = outcome.error().sentence();
    }
    describe_unavailable(&series);
  }
  return std::move(out_);
}

}  // namespace

Result<void> check_side_count(size_t sides) {
  constexpr size_t kMostSides = 10;
  if (sides <= kMostSides) return {};
  return Error{ErrorCode::usage, std::to_string(sides - 1) + " candidates at once", "compare",
               "give at most 9"};
}

Phase rounds_phase(size_t done, int wanted, double elapsed_s, double limit_s) {
  const double full_s = elapsed_s * wanted / std::max(1.0, double(done));
  return {.phase = "rounds",
          .text = "interleaved rounds",
          .open = std::to_string(done) + " of " + std::to_string(wanted) + " rounds",
          .progress = double(done) / wanted,
          .left_s = std::max(0.0, std::min(full_s, limit_s) - elapsed_s)};
}

Result<CompareOutcome> compare(Bench* bench, const std::vector<CompareSide>& sides,
                               const CompareOptions& options, Observer* observer) {
  RIDGE_TRY_VOID(check_side_count(sides.size()));
  return ComparisonRun(bench, sides, options, observer).run();
}

}  // namespace ridge::measure
