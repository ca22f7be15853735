// Drives a pipeline rung: rounds of a steady window and of its stages alone, in turns; each window is
// one sample (time per item), its spans streamed; judged by every item arriving exactly once.
#include <algorithm>
#include <atomic>
#include <mutex>

#include "common/harness/measure/harness.h"
#include "common/harness/measure/machine.h"
#include "common/harness/measure/outcome.h"
#include "common/record/params.h"
#include "common/stats/stats.h"

namespace ridge::measure {
namespace {

constexpr double kLiveLimit_s = 2, kMeasureLimit_s = 10, kFill_s = 0.3;
constexpr int kMinRounds = 6, kMeasureRounds = 20, kMaxWindows = 60;
/// What a window is at least, in steps, and at most: a longer limit brings more rounds instead. Without
/// stages there are no rounds, and what others do between windows (another process loads on) must not count.
constexpr double kMinSteps = 4, kMaxWindow_s = 0.1, kMaxWithoutStages_s = 0.5;
/// What a timeline shows is the first window. Of the others so many are kept, for means, where no stage
/// can be measured alone.
constexpr int64_t kFirstSpans = 2000, kFurtherSpans = 200;

/// Collects a window's spans; stages report from their own threads. Once it is full it takes no lock:
/// sixteen workers report 180,000 spans a second, and only the pipeline would pay for them, no stage alone.
class SpanStore {
 public:
  explicit SpanStore(int64_t further) : further_(further) {}
  void add(const Span& span) {
    if (room_.load(std::memory_order_relaxed) > 0 && room_.fetch_sub(1) > 0) {
      const std::lock_guard lock(mutex_);
      spans_.push_back(span);
    } else {
      left_out_.store(true, std::memory_order_relaxed);
    }
  }
  std::vector<Span> take() {
    const std::lock_guard lock(mutex_);
    room_ = further_;
    return std::exchange(spans_, {});
  }
  bool left_out() const { return left_out_; }

 private:
  std::mutex mutex_;
  std::vector<Span> spans_;
  std::atomic<int64_t> room_ = kFirstSpans;
  int64_t further_;
  std::atomic<bool> left_out_ = false;
};

/// Time per item and CPU time per item of something that ran for a while.
struct Reading {
  double wall_ns = 0, cpu_ns = 0, bus_ns = 0;
  int64_t items = 0;
};

/// One round: the pipeline, then each of its stages alone, or the other way round.
struct PipelineRound {
  double steady_ns = 0;
  std::vector<Reading> alone;
};

/// Who binds, by the medians of all rounds; then the ratio of each round to that one's reading.
class Model {
 public:
  Model(std::vector<PipelineStage> stages, int cores)
      : stages_(std::move(stages)), cores_(std::max(1, cores)) {}
  void add(PipelineRound round) { rounds_.push_back(std::move(round)); }
  size_t rounds() const { return rounds_.size(); }
  std::optional<PipelineOutcome> outcome() const;

 private:
  double reading(const PipelineRound& round, size_t bound) const {
    if (bound < stages_.size()) return round.alone[bound].wall_ns;
    double cpu_ns = 0;
    for (const Reading& stage : round.alone) cpu_ns += stage.cpu_ns;
    return cpu_ns / cores_;
  }
  template <class Value>
  double median(const Value& value) const {
    std::vector<double> values;
    for (const PipelineRound& round : rounds_) values.push_back(value(round));
    return stats::median(values);
  }

  std::vector<PipelineStage> stages_;
  int cores_;
  std::vector<PipelineRound> rounds_;
};

std::optional<PipelineOutcome> Model::outcome() const {
  if (rounds_.empty() || stages_.empty()) return std::nullopt;
  PipelineOutcome outcome;
  outcome.cores = cores_;
  outcome.rounds = static_cast<int>(rounds_.size());
  size_t bound = 0;
  for (size_t s = 0; s <= stages_.size(); ++s) {
    const double ns = median([&](const PipelineRound& round) { return reading(round, s); });
    if (s > 0 && ns <= outcome.bound_ns) continue;
    bound = s;
    outcome.bound_ns = ns;
  }
  outcome.bound = bound < stages_.size()
                      ? stages_[bound].name + " alone"
                      : "CPU work / " + std::to_string(cores_) + (cores_ == 1 ? " core" : " cores");
  for (size_t s = 0; s < stages_.size(); ++s) {
    StageTime stage;
    stage.name = stages_[s].name;
    stage.threads = stages_[s].threads;
    stage.grows = stages_[s].grows;
    stage.alone_ns = median([&](const PipelineRound& round) { return round.alone[s].wall_ns; });
    stage.cpu_ns = median([&](const PipelineRound& round) { return round.alone[s].cpu_ns; });
    outcome.stages.push_back(stage);
  }
  std::vector<double> ratios;
  for (const PipelineRound& round : rounds_)
    ratios.push_back(round.steady_ns / reading(round, bound));
  outcome.ratio = stats::median(ratios);
  outcome.ci = stats::median_interval(ratios);
  return outcome;
}

class PipelineDriver {
 public:
  PipelineDriver(Pipeline* pipeline, const Options& options, Series* series, Observer* observer)
      : pipeline_(pipeline),
        series_(series),
        observer_(observer),
        live_(options.mode == Mode::live),
        limit_s_(options.limit_s.value_or(live_ ? kLiveLimit_s : kMeasureLimit_s)),
        stages_(pipeline->stages()),
        model_(stages_, read_cpu().cores),
        store_(stages_.empty() ? kFurtherSpans : 0) {}

  Result<void> run();

 private:
  Result<void> fill();
  Result<void> rounds();
  Result<double> window();
  Result<Reading> alone(size_t stage);
  Result<void> stages_alone(PipelineRound* round, bool reversed);
  Result<void> finish();
  void report(double share);
  bool enough(double elapsed_s) const;

  Pipeline* pipeline_;
  Series* series_;
  Observer* observer_;
  bool live_;
  double limit_s_, window_s_ = 0;
  std::vector<PipelineStage> stages_;
  Model model_;
  SpanStore store_;
  std::vector<double> bus_ns_, bus_bytes_per_s_;
};

/// One sample.
Result<double> PipelineDriver::window() {
  observer_->announce(series_->index);
  const double cpu_s = own_cpu_s();
  RIDGE_TRY(const PipelineWindow out,
            pipeline_->run_window(window_s_, [&](const Span& span) { store_.add(span); }));
  if (out.items <= 0)
    return Error{ErrorCode::invalid, "no item came out in a window", series_->kernel, ""};
  Sample sample;
  sample.index = static_cast<int64_t>(series_->samples.size());
  sample.calls = out.items;
  sample.t_ns = out.took_s * 1e9 / double(out.items);
  sample.cpu_ns = (own_cpu_s() - cpu_s) * 1e9 / double(out.items);
  series_->samples.push_back(sample);
  observer_->samples(series_->index, "call", {&sample, 1});
  const std::vector<Span> spans = store_.take();
  observer_->spans(series_->index, spans);
  series_->spans.insert(series_->spans.end(), spans.begin(), spans.end());
  gap();
  return sample.t_ns;
}

/// Untimed first: what stood in the buffers would pass for loaded now. Then as long as the pipeline: what
/// a window's start costs and its end brings (a launch, the images that workers finish after it) is
/// then the same share of both. Steps of 0.9 ms in a window of a third came out half a per cent slower.
Result<Reading> PipelineDriver::alone(size_t stage) {
  RIDGE_TRY_VOID(pipeline_->run_stage(stage, window_s_ / 4));
  observer_->announce(series_->index);
  const double cpu_s = own_cpu_s();
  RIDGE_TRY(const PipelineWindow out, pipeline_->run_stage(stage, window_s_));
  if (out.items <= 0)
    return Error{ErrorCode::invalid, "nothing came out of stage " + stages_[stage].name,
                 series_->kernel, ""};
  const double items = double(out.items);
  gap();
  return Reading{out.took_s * 1e9 / items, (own_cpu_s() - cpu_s) * 1e9 / items,
                 out.bus_s * 1e9 / items, out.items};
}

/// Before the pipeline in reverse: its neighbour in time is the first of them, the one with all the workers,
/// either way.
Result<void> PipelineDriver::stages_alone(PipelineRound* round, bool reversed) {
  round->alone.resize(stages_.size());
  for (size_t k = 0; k < stages_.size(); ++k) {
    const size_t s = reversed ? stages_.size() - 1 - k : k;
    RIDGE_TRY(round->alone[s], alone(s));
    const Reading& reading = round->alone[s];
    if (!(reading.bus_ns > 0)) continue;
    bus_ns_.push_back(reading.bus_ns);
    RIDGE_TRY(const double ceiling, pipeline_->bus_bytes_per_s());
    if (ceiling > 0) bus_bytes_per_s_.push_back(ceiling);
  }
  return {};
}

void PipelineDriver::report(double share) {
  observer_->phase(series_->index,
                   {.phase = "timing",
                    .text = stages_.empty() ? "running windows" : "running, then each stage alone",
                    .open = std::to_string(series_->samples.size()) + " windows",
                    .progress = std::min(1.0, share),
                    .left_s = std::max(0.0, limit_s_ * (1 - share))});
}

bool PipelineDriver::enough(double elapsed_s) const {
  const auto windows = static_cast<int>(series_->samples.size());
  if (elapsed_s < limit_s_) return windows >= kMaxWindows;
  return live_ || windows >= kMinRounds || elapsed_s >= 4 * limit_s_;
}

Result<void> PipelineDriver::rounds() {
  const auto ignored = [](const Span&) {};
  const double start = now_s();
  for (int r = 0; !enough(now_s() - start); ++r) {
    if (observer_->cancelled()) return Error{ErrorCode::cancelled, "cancelled", "", ""};
    PipelineRound round;
    const bool stages_first = r % 2 == 1;
    if (stages_first) RIDGE_TRY_VOID(stages_alone(&round, true));
    // What ran alone left its buffers full or empty: into the steady state again, untimed.
    if (!stages_.empty() || r == 0) RIDGE_TRY_VOID(pipeline_->run_window(window_s_ / 2, ignored));
    RIDGE_TRY(round.steady_ns, window());
    if (!stages_first) RIDGE_TRY_VOID(stages_alone(&round, false));
    model_.add(std::move(round));
    report((now_s() - start) / limit_s_);
  }
  return {};
}

/// Fills the pipeline, and says from a window after that how long one has to be (nvJPEG's first batch takes
/// 2.5 s, all others 7 ms): for a round of a window, half of one before it, and each stage alone with its
/// start.
Result<void> PipelineDriver::fill() {
  const double parts = stages_.empty() ? 1 : 1.5 + 1.25 * double(stages_.size());
  const double max_s = stages_.empty() ? kMaxWithoutStages_s : kMaxWindow_s;
  window_s_ = std::min(max_s, limit_s_ / (live_ ? kMinRounds : kMeasureRounds) / parts);
  observer_->phase(series_->index, {.phase = "warmup", .text = "filling the pipeline"});
  const auto ignored = [](const Span&) {};
  RIDGE_TRY_VOID(pipeline_->run_window(kFill_s, ignored));
  RIDGE_TRY(const PipelineWindow out, pipeline_->run_window(window_s_, ignored));
  const double steps = double(out.items) / double(pipeline_->items_per_step());
  if (steps > 0) window_s_ = std::max(window_s_, kMinSteps * out.took_s / steps);
  return {};
}

/// What binds, and what crossed the bus.
Result<void> PipelineDriver::finish() {
  series_->pipeline = model_.outcome();
  if (!series_->pipeline) return {};
  PipelineOutcome& outcome = *series_->pipeline;
  outcome.items_per_step = pipeline_->items_per_step();
  if (!bus_bytes_per_s_.empty()) outcome.bus_ceiling_bytes_per_s = stats::median(bus_bytes_per_s_);
  for (size_t s = 0; s < stages_.size(); ++s) {
    const double bytes = pipeline_->stage_bytes(s);
    StageTime& stage = outcome.stages[s];
    if (bytes > 0 && !bus_ns_.empty()) stage.bus_bytes_per_s = bytes * 1e9 / stats::median(bus_ns_);
  }
  return {};
}

Result<void> PipelineDriver::run() {
  RIDGE_TRY_VOID(fill());
  const auto ran = rounds();
  RIDGE_TRY_VOID(finish());
  if (store_.left_out()) {
    series_->unavailable["spans"] =
        "those beyond the first " + std::to_string(kFirstSpans) + " were left out";
  }
  return ran;
}

/// A pipeline cannot be faster than its slowest stage: where it was, the reading of the stage is wrong.
std::string doubt(const Series& series) {
  if (!series.pipeline || !series.pipeline->ci || !(series.pipeline->ci->high < 1)) return "";
  return "below its bound: " + series.pipeline->bound +
         " was slower than inside the pipeline, so its reading is no bound";
}

Result<void> steps(const PipelineDesc& desc, const Options& options, Series* series,
                   Observer* observer) {
  observer->phase(series->index, {.phase = "prepare", .text = "building the pipeline"});
  RIDGE_TRY(const auto pipeline,
            desc.maker->build(desc, series->params, 1, progress_to(observer, series->index)));
  series->bytes_min = pipeline->bytes_per_item();
  series->memory_bytes = pipeline->memory_bytes();
  series->note = pipeline->note();
  observer->problem(*series);
  const ForeignLoad foreign;
  PipelineDriver driver(pipeline.get(), options, series, observer);
  const auto ran = driver.run();
  summarize(series, is_contended(foreign.cpus(), desc.backend), false);
  if (series->stats && series->stats->median_ns > 0) {
    series->items_per_s = 1e9 / series->stats->median_ns;
  }
  series->note = pipeline->note();  // files may have been skipped meanwhile
  add_note(doubt(*series), series);
  RIDGE_TRY_VOID(ran);
  observer->phase(series->index, {.phase = "check", .text = "counting what arrived"});
  const QualityCheck check = pipeline->check();
  series->checks.push_back(check);
  observer->check(series->index, check);
  if (!check.passed) return Error{ErrorCode::invalid, check.reason, check.what, ""};
  return {};
}

}  // namespace

double predict_pipeline_s(const Options& options) {
  const bool is_live = options.mode == Mode::live;
  const double limit_s = options.limit_s.value_or(is_live ? kLiveLimit_s : kMeasureLimit_s);
  // It is built, filled and looked at once; its last round begins before the limit and ends after it.
  constexpr double kAround_s = 1.5, kOverrun = 1.4;
  return kAround_s + kFill_s + kOverrun * limit_s;
}

Result<Series> measure_pipeline(const PipelineDesc& pipeline, const Params& params,
                                const Options& options, int series, Observer* observer) {
  Series out;
  out.index = series;
  out.kernel = pipeline.id;
  out.kind = RungKind::pipeline;
  out.params = params;
  out.dtype = param_text(params, "dtype", "fp32");
  out.cache = CacheMode::hot;
  out.mode = options.mode;
  out.status = SeriesStatus::ok;
  const auto outcome = steps(pipeline, options, &out, observer);
  if (!outcome && outcome.error().code == ErrorCode::worker) return outcome.error();
  if (!outcome) take_error(outcome.error(), &out);
  out.unavailable["latency"] = "a pipeline is scored by steady throughput";
  describe_unavailable(&out);
  return out;
}

}  // namespace ridge::measure
