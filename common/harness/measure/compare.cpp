#include "common/harness/measure/compare.h"

#include <algorithm>

#include "common/core/format.h"
#include "common/harness/kernel/registry.h"
#include "common/harness/measure/energy_pass.h"
#include "common/harness/measure/machine.h"
#include "common/harness/measure/outcome.h"
#include "common/harness/measure/sustained.h"
#include "common/record/accuracy.h"
#include "common/record/clocks.h"
#include "common/record/params.h"
#include "common/stats/stats.h"

namespace ridge::measure {
namespace {

constexpr double kRoundsLimit_s = 30;

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

/// Asked for several threads, and never more than one core worked: what a rung does that makes no threads.
std::string idle_threads_of(const Series& series) {
  constexpr double kOneCore = 1.1;  // the worker's other threads are in its CPU time
  const auto threads = param_int(series.params, "threads", 1);
  if (backend_of(series.kernel) != Backend::cpu || threads < 2) return "";
  std::vector<double> cores;
  for (const Sample& sample : series.samples) {
    if (sample.cpu_ns > 0 && sample.t_ns > 0) cores.push_back(sample.cpu_ns / sample.t_ns);
  }
  constexpr size_t kEnough = 12;
  if (cores.size() < kEnough || stats::quantile(cores, 0.95) > kOneCore) return "";
  return series.kernel + " kept one core busy with threads=" + std::to_string(threads) +
         ": it makes no threads, so this parameter changes nothing, and its shares are of the "
         "ceilings of " +
         std::to_string(threads) + " threads";
}

class KernelComparison final : public PairedComparison {
 public:
  KernelComparison(Bench* bench, const std::vector<CompareSide>& sides,
                   const CompareOptions& options, Observer* observer)
      : PairedComparison(sides.size(), options, observer),
        bench_(bench),
        sides_(sides),
        live_(sides.size()) {
    frame_.mode = Mode::measure;
    frame_.cache = options.cache;
    frame_.warmup_s = options.warmup_s;
    describe_sides();
  }

 private:
  void describe_sides();
  Result<void> steps() override;
  Comparison compared(const SidePair& pair) const override;
  void close(const Result<void>& outcome) override;
  bool ends_request(const Error& error) const override {
    return error.code == ErrorCode::worker || error.code == ErrorCode::unavailable;
  }
  /// Inputs, buffers (shared where the problem is the same) and plan of side i.
  Result<void> prepare(size_t i);
  Result<void> gate(size_t i, bool before);
  Result<void> latencies();
  LatencyRule latency_rule() const;
  Result<void> energies();
  /// Whether the load holds the clock down; and the turns that show what it costs.
  Result<void> look();
  Result<void> sustained();
  Result<void> time_order(const std::vector<uint8_t>& order, std::vector<Sample>* samples);
  std::vector<Side*> sides_on(const Device* device) const;
  int slots_per_block() const;
  /// What else than the code differs between two sides: sentences that stand with their verdict.
  std::vector<std::string> differences(const SidePair& pair) const;
  std::vector<SustainedEntry> entries() const;
  bool has_clock() const;
  int rounds_wanted() const;

  Bench* bench_;
  const std::vector<CompareSide>& sides_;
  Options frame_;
  std::vector<ComparisonSide> live_;
  ClockLook look_;
  std::vector<std::vector<SustainedTurn>> turns_;
  std::string clock_;  ///< Comparison::clock
};

void KernelComparison::describe_sides() {
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

Result<void> KernelComparison::prepare(size_t i) {
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
  RIDGE_TRY(ReadyRung rung, make_ready(*side.kernel, side.device, live_[i].instance, buffers));
  live_[i].rung = std::make_unique<ReadyRung>(std::move(rung));
  live_[i].instance->describe(&series);
  live_[i].rung->describe(&series);
  observer_->problem(series);
  return {};
}

Result<void> KernelComparison::gate(size_t i, bool before) {
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

std::vector<Side*> KernelComparison::sides_on(const Device* device) const {
  std::vector<Side*> sides;
  for (size_t i = 0; i < sides_.size(); ++i) {
    if (sides_[i].device == device) sides.push_back(live_[i].side.get());
  }
  return sides;
}

int KernelComparison::slots_per_block() const {
  int slots = 1 << 20;
  for (const CompareSide& side : sides_) {
    slots = std::min(slots, side.device->slots_per_block(sides_on(side.device)));
  }
  return slots;
}

/// Slots of one device that follow each other go to it together.
Result<void> KernelComparison::time_order(const std::vector<uint8_t>& order,
                                          std::vector<Sample>* samples) {
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
    samples->insert(samples->end(), timed.begin(), timed.end());
  }
  return {};
}

int KernelComparison::rounds_wanted() const {
  const bool all_far = std::all_of(pairs().begin(), pairs().end(), [&](const SidePair& pair) {
    const double ratio = live_[static_cast<size_t>(pair.candidate)].call_ns /
                         live_[static_cast<size_t>(pair.baseline)].call_ns;
    return ratio >= kFarApart || ratio <= 1 / kFarApart;
  });
  return all_far ? kFarRounds : kRounds;
}

Result<void> KernelComparison::steps() {
  for (size_t i = 0; i < sides_.size(); ++i) RIDGE_TRY_VOID(prepare(i));
  RIDGE_TRY_VOID(judge_all([&](size_t i) { return gate(i, true); }));
  for (size_t i = 0; i < sides_.size(); ++i) {
    RIDGE_TRY(live_[i].call_ns, warm_up(*live_[i].rung, frame_, static_cast<int>(i), observer_));
  }
  for (size_t i = 0; i < sides_.size(); ++i) {
    RIDGE_TRY(live_[i].side, sides_[i].device->make_side(*sides_[i].kernel, live_[i].rung->launch(),
                                                         options_.cache, live_[i].call_ns));
  }
  RIDGE_TRY_VOID(look());
  const ForeignLoad foreign;
  const RoundsPlan plan = plan_of(rounds_wanted(), kRoundsLimit_s, slots_per_block());
  const auto timed = take_rounds(plan, [&](const auto& order, std::vector<Sample>* samples) {
    return time_order(order, samples);
  });
  const double foreign_cpus = foreign.cpus();
  for (size_t i = 0; i < sides_.size(); ++i) {
    const bool disturbed = is_contended(foreign_cpus, sides_[i].kernel->backend);
    summarize(&out_.series[i], disturbed, false, sides_[i].kernel->time_calls != nullptr);
    if (disturbed) add_reason(kContended);
    const std::string idle = idle_threads_of(out_.series[i]);
    if (!disturbed && !idle.empty()) add_reason(idle);  // others may have had the second core
  }
  RIDGE_TRY_VOID(timed);
  RIDGE_TRY_VOID(latencies());
  RIDGE_TRY_VOID(sustained());
  RIDGE_TRY_VOID(energies());
  for (size_t i = 0; i < sides_.size(); ++i) RIDGE_TRY_VOID(gate(i, false));
  return {};
}

/// A percentile that the budget demands gets as long as the rounds.
LatencyRule KernelComparison::latency_rule() const {
  const Budget& budget = options_.budget;
  const bool is_demanded = budget.p50_ns || budget.p90_ns || budget.p95_ns || budget.p99_ns;
  if (is_demanded) return {300, options_.limit_s.value_or(kRoundsLimit_s)};
  return {300, std::min(1.0, options_.limit_s.value_or(1.0))};
}

Result<void> KernelComparison::latencies() {
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
    series.latency = stats::summarize_latency_times(series.latency_samples.times_ns());
  }
  return {};
}

/// Only where the budget demands it: a pass of over a second a side.
Result<void> KernelComparison::energies() {
  for (size_t i = 0; i < sides_.size() && options_.budget.energy_j; ++i) {
    Options options = frame_;
    options.devices = sides_[i].devices;
    RIDGE_TRY_VOID(
        energy_pass(*live_[i].rung, options, live_[i].call_ns, &out_.series[i], observer_));
  }
  return {};
}

std::vector<SustainedEntry> KernelComparison::entries() const {
  std::vector<SustainedEntry> all;
  for (size_t i = 0; i < sides_.size(); ++i)
    all.push_back({sides_[i].device, live_[i].side.get(), sides_[i].devices});
  return all;
}

bool KernelComparison::has_clock() const {
  return std::all_of(sides_.begin(), sides_.end(),
                     [](const CompareSide& side) { return side.device->free_clock_hz() > 0; });
}

Result<void> KernelComparison::look() {
  if (!has_clock() || options_.cache == Cache::cold || !options_.sustained) return {};
  RIDGE_TRY(look_, look_at_clock(entries(), observer_));
  return {};
}

Result<void> KernelComparison::sustained() {
  if (!has_clock()) return {};
  look_.free_hz = sides_[0].device->free_clock_hz();
  for (size_t i = 0; i < sides_.size(); ++i) {
    look_.add(out_.series[i].samples.from(0));
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
  const double confidence = 1 - 0.05 / claims();
  const int pairs = std::max(kTurns, stats::fewest_for_interval(confidence));
  RIDGE_TRY(turns_, take_turns(entries(), pairs, options_.turns, observer_));
  clock_ = held + "; so each side also ran alone";
  for (size_t i = 0; i < turns_.size(); ++i) {
    add_note("at one clock with the other sides; alone " + side_clock_text(summary_of(turns_[i])),
             &out_.series[i]);
  }
  return {};
}

std::vector<std::string> KernelComparison::differences(const SidePair& pair) const {
  const auto base = static_cast<size_t>(pair.baseline), ours = static_cast<size_t>(pair.candidate);
  const CompareSide &from = sides_[base], &side = sides_[ours];
  std::vector<std::string> all;
  const bool are_ready = live_[base].rung != nullptr && live_[ours].rung != nullptr;
  if (are_ready && live_[base].rung->buffers != live_[ours].rung->buffers) {
    const std::string what = values_instead(side.params, from.params);
    all.push_back(std::string(side.kernel->id) +
                  " differs from the baseline, with buffers of its own: " +
                  (what.empty() ? "another problem or device" : what));
  }
  all.push_back(accuracy_difference(side.kernel->id, side.kernel->accuracy, from.kernel->id,
                                    from.kernel->accuracy));
  std::erase(all, "");
  return all;
}

Comparison KernelComparison::compared(const SidePair& pair) const {
  const bool has_cpu = std::any_of(sides_.begin(), sides_.end(), [](const CompareSide& one) {
    return one.kernel->backend == Backend::cpu;
  });
  Comparison comparison = unjudged(pair, options_.margin.value_or(default_margin(has_cpu)));
  comparison.clock_held = look_.is_held();
  comparison.clock = clock_;
  judge_sides(rounds(), turns_, claims(), &comparison);
  if (comparison.verdict != Verdict::invalid) {
    const std::vector<std::string> all = differences(pair);
    comparison.reasons.insert(comparison.reasons.end(), all.begin(), all.end());
  }
  return comparison;
}

void KernelComparison::close(const Result<void>& outcome) {
  for (Series& series : out_.series) close_series(outcome, series.kernel, &series);
}

}  // namespace

Result<CompareOutcome> compare(Bench* bench, const std::vector<CompareSide>& sides,
                               const CompareOptions& options, Observer* observer) {
  return KernelComparison(bench, sides, options, observer).run();
}

}  // namespace ridge::measure
