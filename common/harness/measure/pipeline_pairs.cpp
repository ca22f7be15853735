#include "common/harness/measure/pipeline_pairs.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "common/harness/measure/harness.h"
#include "common/harness/measure/machine.h"
#include "common/harness/measure/outcome.h"
#include "common/record/params.h"

namespace ridge::measure {
namespace {

constexpr double kWindowRounds_s = 60;
/// A busy machine's bursts last as long as some windows, so that neighbouring rounds resemble each other: an interval of six
/// rounds cannot be widened for that, one of twelve can.
constexpr int kFewestWindowRounds = 12;
/// Of each side, for what binds it.
constexpr int kBoundRounds = 8;
/// A window that follows the other side's has half a window before it, untimed.
constexpr double kLedWindow = 1.5;

class PipelineComparison final : public PairedComparison {
 public:
  PipelineComparison(const std::vector<PipelineSide>& sides, const CompareOptions& options,
                     Observer* observer)
      : PairedComparison(sides.size(), options, observer), sides_(sides) {
    for (size_t i = 0; i < sides.size(); ++i) {
      out_.series.push_back(pipeline_series(*sides[i].pipeline, sides[i].params, RunMode::compare,
                                            static_cast<int>(i)));
    }
  }

 private:
  Result<void> steps() override;
  Comparison compared(const SidePair& pair) const override;
  void close(const Result<void>& outcome) override;

  Result<void> build();
  /// Other pictures, batches or steps: the ratio is not of the pipelines alone.
  void note_difference(size_t side);
  Result<void> gate(size_t side, bool before);
  Result<void> time_slots(const std::vector<uint8_t>& order, std::vector<Sample>* samples);
  Result<void> bounds();

  const std::vector<PipelineSide>& sides_;
  std::vector<std::unique_ptr<PipelineRun>> live_;
  double window_s_ = 0;  ///< that every side is asked for
  int last_ = -1;        ///< side of the last window
};

void PipelineComparison::note_difference(size_t side) {
  const Series &ours = out_.series[side], &theirs = out_.series[0];
  for (const char* name : {"images", "side", "batch", "layers"}) {
    const int64_t own = param_int(ours.params, name), other = param_int(theirs.params, name);
    if (own == 0 || other == 0 || own == other) continue;
    add_reason(ours.kernel + " differs from the baseline: " + name + " " + std::to_string(own) +
               " instead of " + std::to_string(other));
  }
}

Result<void> PipelineComparison::build() {
  for (size_t i = 0; i < sides(); ++i) {
    if (observer_->cancelled()) return cancelled_error();
    RIDGE_TRY(auto made, PipelineRun::build(*sides_[i].pipeline, &out_.series[i], observer_));
    live_.push_back(std::move(made));
    if (i > 0) note_difference(i);
  }
  const double windows = kRounds * 2 * kLedWindow * double(sides());
  window_s_ = options_.limit_s.value_or(kWindowRounds_s) / windows;
  return {};
}

Result<void> PipelineComparison::gate(size_t side, bool before) {
  if (before) RIDGE_TRY_VOID(live_[side]->fill(window_s_));
  const auto passed = live_[side]->judge();
  if (passed) return {};
  return Error{ErrorCode::invalid, passed.error().what,
               out_.series[side].kernel + ", " + passed.error().where, ""};
}

/// The other side's window left its own data in the caches, and a side in a process of its own has loaded ahead meanwhile.
Result<void> PipelineComparison::time_slots(const std::vector<uint8_t>& order,
                                            std::vector<Sample>* samples) {
  for (const uint8_t side : order) {
    if (observer_->cancelled()) return cancelled_error();
    if (std::exchange(last_, int(side)) != int(side)) RIDGE_TRY_VOID(live_[side]->settle());
    RIDGE_TRY(Sample sample, live_[side]->window());
    samples->push_back(std::move(sample));
  }
  return {};
}

Result<void> PipelineComparison::bounds() {
  for (int r = 0; r < kBoundRounds; ++r) {
    for (size_t k = 0; k < sides(); ++k) {
      if (observer_->cancelled()) return cancelled_error();
      const size_t side = r % 2 == 0 ? k : sides() - 1 - k;
      if (!live_[side]->has_stages()) continue;
      observer_->phase(static_cast<int>(side), {.phase = "timing",
                                                .text = "each stage alone",
                                                .open = std::to_string(r) + " of " +
                                                        std::to_string(kBoundRounds) + " rounds",
                                                .progress = double(r) / kBoundRounds});
      RIDGE_TRY_VOID(live_[side]->round(r % 2 == 1, false));
    }
  }
  return {};
}

Result<void> PipelineComparison::steps() {
  RIDGE_TRY_VOID(build());
  RIDGE_TRY_VOID(judge_all([&](size_t side) { return gate(side, true); }));
  const ForeignLoad foreign;
  RoundsPlan plan = plan_of(kRounds, kWindowRounds_s, 1);
  plan.fewest = kFewestWindowRounds;
  const auto timed = take_rounds(plan, [&](const auto& order, std::vector<Sample>* samples) {
    return time_slots(order, samples);
  });
  const double foreign_cpus = foreign.cpus();
  const auto bound = timed ? bounds() : timed;
  for (size_t i = 0; i < sides(); ++i) {
    const bool disturbed = is_contended(foreign_cpus, sides_[i].pipeline->backend);
    live_[i]->sum_up(disturbed);
    if (disturbed) add_reason(kContended);
  }
  RIDGE_TRY_VOID(bound);
  for (size_t i = 0; i < sides(); ++i) RIDGE_TRY_VOID(gate(i, false));
  return {};
}

Comparison PipelineComparison::compared(const SidePair& pair) const {
  const bool has_cpu = std::any_of(sides_.begin(), sides_.end(), [](const PipelineSide& one) {
    return one.pipeline->backend == Backend::cpu;
  });
  Comparison comparison = unjudged(pair, options_.margin.value_or(default_margin(has_cpu)));
  comparison.cache = CacheMode::hot;
  if (sides_[static_cast<size_t>(pair.candidate)].pipeline->backend == Backend::cuda)
    comparison.clock = "both sides shared the GPU's clock; pipelines take no turns alone";
  judge_sides(rounds(), {}, claims(), &comparison);
  return comparison;
}

void PipelineComparison::close(const Result<void>& outcome) {
  for (Series& series : out_.series) {
    series.unavailable["latency"] = "a pipeline is scored by steady throughput";
    close_series(outcome, series.kernel, &series);
  }
}

}  // namespace

Result<CompareOutcome> compare_pipelines(const std::vector<PipelineSide>& sides,
                                         const CompareOptions& options, Observer* observer) {
  return PipelineComparison(sides, options, observer).run();
}

}  // namespace ridge::measure
