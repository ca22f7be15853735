// A pipeline while it is measured: windows of it in its steady state, and its stages alone beside them. By itself
// (measure_pipeline in harness.h) and as a side of a comparison (pipeline_pairs.h).
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "common/core/result.h"
#include "common/harness/kernel/pipeline.h"
#include "common/harness/measure/observer.h"
#include "common/record/types.h"

namespace ridge::measure {

/// Collects a window's spans; stages report from their own threads. Once it is full it takes no lock:
/// sixteen workers report 180,000 spans a second, and only the pipeline would pay for them, no stage alone.
class SpanStore {
 public:
  /// What a timeline shows is the first window.
  static constexpr int64_t kFirstSpans = 2000;

  /// Of windows after the first so many spans are kept.
  explicit SpanStore(int64_t further) : further_(further) {}
  void add(const Span& span);
  std::vector<Span> take();
  bool left_out() const { return left_out_; }

 private:
  std::mutex mutex_;
  std::vector<Span> spans_;
  std::atomic<int64_t> room_ = kFirstSpans;
  int64_t further_;
  std::atomic<bool> left_out_ = false;
};

/// Time per item and CPU time per item of something that ran for a while.
struct StageReading {
  double wall_ns = 0, cpu_ns = 0, bus_ns = 0;
};

/// One round: the pipeline, then each of its stages alone, or the other way round.
struct PipelineRound {
  double steady_ns = 0;
  std::vector<StageReading> alone;
};

/// What is known of a pipeline's series before it is built.
Series pipeline_series(const PipelineDesc& desc, const Params& params, RunMode mode, int index);

class PipelineRun {
 public:
  /// Builds the pipeline and sends its problem. All that is pointed at outlives it.
  static Result<std::unique_ptr<PipelineRun>> build(const PipelineDesc& desc, Series* series,
                                                    Observer* observer);

  bool has_stages() const { return !stages_.empty(); }
  /// A round's length in windows: a window, half of one before it, and each stage alone with its start.
  double windows_per_round() const;

  /// Fills the pipeline, untimed, and settles how long a window is: `wanted_s` or less, and four steps at least.
  Result<void> fill(double wanted_s);
  /// Into the steady state again, untimed.
  Result<void> settle();
  /// A window of which nothing is kept; how many items came out.
  Result<int64_t> go_on();
  /// One window, as a sample; its spans are sent, and it is no sample of the series yet.
  Result<Sample> window();
  /// A window and each stage alone beside it, in one order or the other: what binds rests on these. The window is a
  /// sample of the series where `keeps`.
  Result<void> round(bool stages_first, bool keeps);

  /// Stats, rate, what binds, and notes, of all that was measured so far.
  void sum_up(bool contended);
  /// What arrived so far, as a check. Error invalid: it did not pass.
  Result<void> judge();

  const Pipeline& pipeline() const { return *pipeline_; }

 private:
  PipelineRun(std::unique_ptr<Pipeline> pipeline, Series* series, Observer* observer);
  Result<StageReading> alone(size_t stage);
  Result<void> stages_alone(PipelineRound* round, bool reversed);
  double reading(const PipelineRound& round, size_t bound) const;
  PipelineOutcome outcome() const;
  /// The error of a window: of this pipeline, and invalid whatever stopped it, since what was measured before stays.
  Error named(const Error& error, const std::string& stage) const;

  std::unique_ptr<Pipeline> pipeline_;
  Series* series_;
  Observer* observer_;
  std::vector<PipelineStage> stages_;
  int cores_;
  double window_s_ = 0;
  SpanStore store_;
  std::vector<PipelineRound> rounds_;
  std::vector<double> bus_ns_, bus_bytes_per_s_;
};

}  // namespace ridge::measure
