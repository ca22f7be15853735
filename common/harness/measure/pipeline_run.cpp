#include "common/harness/measure/pipeline_run.h"

#include <algorithm>
#include <utility>

#include "common/harness/kernel/registry.h"
#include "common/harness/measure/gate.h"
#include "common/harness/measure/harness.h"
#include "common/harness/measure/machine.h"
#include "common/harness/measure/outcome.h"
#include "common/record/params.h"
#include "common/stats/stats.h"

namespace ridge::measure {
namespace {

constexpr double kFill_s = 0.3;
/// What a window is at least, in steps, and at most: a longer limit brings more rounds instead. Without
/// stages there are no rounds, and what others do between windows (another process loads on) must not count.
constexpr double kMinSteps = 4, kMaxWindow_s = 0.1, kMaxWithoutStages_s = 0.5;
/// Of windows after the first so many spans are kept, for means, where no stage can be measured alone.
constexpr int64_t kFurtherSpans = 200;

void ignore(const Span&) {}

/// A pipeline cannot be faster than its slowest stage: where it was, the reading of the stage is wrong.
std::string doubt_of(const Series& series) {
  if (!series.pipeline || !series.pipeline->ci || !(series.pipeline->ci->high < 1)) return "";
  return "below its bound: " + series.pipeline->bound +
         " was slower than inside the pipeline, so its reading is no bound";
}

}  // namespace

void SpanStore::add(const Span& span) {
  if (room_.load(std::memory_order_relaxed) > 0 && room_.fetch_sub(1) > 0) {
    const std::lock_guard lock(mutex_);
    spans_.push_back(span);
  } else {
    left_out_.store(true, std::memory_order_relaxed);
  }
}

std::vector<Span> SpanStore::take() {
  const std::lock_guard lock(mutex_);
  room_ = further_;
  return std::exchange(spans_, {});
}

Series pipeline_series(const PipelineDesc& desc, const Params& params, RunMode mode, int index) {
  Series series;
  series.index = index;
  series.kernel = desc.id;
  series.kind = RungKind::pipeline;
  series.params = params;
  series.dtype = param_text(params, "dtype", "fp32");
  series.cache = CacheMode::hot;
  series.mode = mode;
  series.status = SeriesStatus::ok;
  return series;
}

PipelineRun::PipelineRun(std::unique_ptr<Pipeline> pipeline, Series* series, Observer* observer)
    : pipeline_(std::move(pipeline)),
      series_(series),
      observer_(observer),
      stages_(pipeline_->stages()),
      cores_(std::max(1, read_cpu().cores)),
      store_(stages_.empty() ? kFurtherSpans : 0) {}

Result<std::unique_ptr<PipelineRun>> PipelineRun::build(const PipelineDesc& desc, Series* series,
                                                        Observer* observer) {
  observer->phase(series->index, {.phase = "prepare", .text = "building the pipeline"});
  RIDGE_TRY(auto pipeline,
            desc.maker->build(desc, series->params, 1, progress_to(observer, series->index)));
  series->bytes_min = pipeline->bytes_per_item();
  series->memory_bytes = pipeline->memory_bytes();
  series->note = pipeline->note();
  observer->problem(*series);
  return std::unique_ptr<PipelineRun>(new PipelineRun(std::move(pipeline), series, observer));
}

double PipelineRun::windows_per_round() const {
  return stages_.empty() ? 1 : 1.5 + 1.25 * double(stages_.size());
}

Error PipelineRun::named(const Error& error, const std::string& stage) const {
  std::string what = stage.empty() ? error.what : "stage " + stage + ": " + error.what;
  if (!error.where.empty() && error.where != series_->kernel) what += " (" + error.where + ")";
  const bool passes_on = error.code == ErrorCode::cancelled || error.code == ErrorCode::worker;
  return {passes_on ? error.code : ErrorCode::invalid, std::move(what), series_->kernel,
          error.hint};
}

// ---- windows -------------------------------------------------------------------------------------

/// nvJPEG's first batch takes 2.5 s, all others 7 ms: so the length of a window is judged by one after the first.
Result<void> PipelineRun::fill(double wanted_s) {
  window_s_ = std::min(stages_.empty() ? kMaxWithoutStages_s : kMaxWindow_s, wanted_s);
  observer_->phase(series_->index, {.phase = "warmup", .text = "filling the pipeline"});
  const auto filled = pipeline_->run_window(kFill_s, ignore);
  if (!filled) return named(filled.error(), "");
  const auto out = pipeline_->run_window(window_s_, ignore);
  if (!out) return named(out.error(), "");
  const double steps = double(out->items) / double(pipeline_->items_per_step());
  if (steps > 0) window_s_ = std::max(window_s_, kMinSteps * out->took_s / steps);
  return {};
}

Result<void> PipelineRun::settle() {
  const auto out = pipeline_->run_window(window_s_ / 2, ignore);
  if (!out) return named(out.error(), "");
  return {};
}

Result<int64_t> PipelineRun::go_on() {
  const auto out = pipeline_->run_window(window_s_, ignore);
  if (!out) return named(out.error(), "");
  return out->items;
}

Result<Sample> PipelineRun::window() {
  const double cpu_s = own_cpu_s();
  const auto out = pipeline_->run_window(window_s_, [&](const Span& span) { store_.add(span); });
  if (!out) return named(out.error(), "");
  if (out->items <= 0)
    return Error{ErrorCode::invalid, "no item came out in a window", series_->kernel, ""};
  Sample sample;
  sample.calls = out->items;
  sample.t_ns = out->took_s * 1e9 / double(out->items);
  sample.cpu_ns = (own_cpu_s() - cpu_s) * 1e9 / double(out->items);
  const std::vector<Span> spans = store_.take();
  observer_->spans(series_->index, spans);
  series_->spans.insert(series_->spans.end(), spans.begin(), spans.end());
  return sample;
}

/// Untimed first: what stood in the buffers would pass for loaded now. Then as long as the pipeline: what
/// a window's start costs and its end brings (a launch, the images that workers finish after it) is
/// then the same share of both. Steps of 0.9 ms in a window of a third came out half a per cent slower.
Result<StageReading> PipelineRun::alone(size_t stage) {
  const std::string& name = stages_[stage].name;
  const auto started = pipeline_->run_stage(stage, window_s_ / 4);
  if (!started) return named(started.error(), name);
  observer_->announce(series_->index);
  const double cpu_s = own_cpu_s();
  const auto out = pipeline_->run_stage(stage, window_s_);
  if (!out) return named(out.error(), name);
  if (out->items <= 0)
    return Error{ErrorCode::invalid, "nothing came out of stage " + name, series_->kernel, ""};
  const double items = double(out->items);
  gap();
  return StageReading{out->took_s * 1e9 / items, (own_cpu_s() - cpu_s) * 1e9 / items,
                      out->bus_s * 1e9 / items};
}

/// Before the pipeline in reverse: its neighbour in time is the first of them, the one with all the workers,
/// either way.
Result<void> PipelineRun::stages_alone(PipelineRound* round, bool reversed) {
  round->alone.resize(stages_.size());
  for (size_t k = 0; k < stages_.size(); ++k) {
    const size_t s = reversed ? stages_.size() - 1 - k : k;
    RIDGE_TRY(round->alone[s], alone(s));
    const StageReading& reading = round->alone[s];
    if (!(reading.bus_ns > 0)) continue;
    bus_ns_.push_back(reading.bus_ns);
    RIDGE_TRY(const double ceiling, pipeline_->bus_bytes_per_s());
    if (ceiling > 0) bus_bytes_per_s_.push_back(ceiling);
  }
  return {};
}

Result<void> PipelineRun::round(bool stages_first, bool keeps) {
  PipelineRound round;
  if (stages_first) RIDGE_TRY_VOID(stages_alone(&round, true));
  // What ran alone left its buffers full or empty: into the steady state again, untimed.
  if (has_stages()) RIDGE_TRY_VOID(settle());
  observer_->announce(series_->index);
  RIDGE_TRY(Sample sample, window());
  round.steady_ns = sample.t_ns;
  if (keeps) {
    sample.index = static_cast<int64_t>(series_->samples.size());
    series_->samples.push_back(sample);
    observer_->samples(series_->index, "call", {&sample, 1});
  }
  gap();
  if (!stages_first) RIDGE_TRY_VOID(stages_alone(&round, false));
  rounds_.push_back(std::move(round));
  return {};
}

// ---- what it comes to ----------------------------------------------------------------------------

double PipelineRun::reading(const PipelineRound& round, size_t bound) const {
  if (bound < stages_.size()) return round.alone[bound].wall_ns;
  double cpu_ns = 0;
  for (const StageReading& stage : round.alone) cpu_ns += stage.cpu_ns;
  return cpu_ns / cores_;
}

/// Who binds, by the medians of all rounds; then the ratio of each round to that one's reading.
PipelineOutcome PipelineRun::outcome() const {
  const auto median = [&](const auto& value) {
    std::vector<double> values;
    for (const PipelineRound& round : rounds_) values.push_back(value(round));
    return stats::median(values);
  };
  PipelineOutcome outcome;
  outcome.cores = cores_;
  outcome.rounds = static_cast<int>(rounds_.size());
  outcome.items_per_step = pipeline_->items_per_step();
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
    const double bytes = pipeline_->stage_bytes(s);
    if (bytes > 0 && !bus_ns_.empty()) stage.bus_bytes_per_s = bytes * 1e9 / stats::median(bus_ns_);
    outcome.stages.push_back(stage);
  }
  if (!bus_bytes_per_s_.empty()) outcome.bus_ceiling_bytes_per_s = stats::median(bus_bytes_per_s_);
  std::vector<double> ratios;
  for (const PipelineRound& round : rounds_)
    ratios.push_back(round.steady_ns / reading(round, bound));
  outcome.ratio = stats::median(ratios);
  outcome.ci = stats::median_interval(ratios);
  return outcome;
}

void PipelineRun::sum_up(bool contended) {
  if (has_stages() && !rounds_.empty()) series_->pipeline = outcome();
  if (store_.left_out()) {
    series_->unavailable["spans"] =
        "those beyond the first " + std::to_string(SpanStore::kFirstSpans) + " were left out";
  }
  summarize(series_, contended, false);
  if (series_->stats && series_->stats->median_ns > 0)
    series_->items_per_s = 1e9 / series_->stats->median_ns;
  series_->note = pipeline_->note();  // files may have been skipped meanwhile
  add_note(doubt_of(*series_), series_);
}

Result<void> PipelineRun::judge() {
  observer_->phase(series_->index, {.phase = "check", .text = "counting what arrived"});
  const QualityCheck check = pipeline_->check();
  series_->checks.push_back(check);
  observer_->check(series_->index, check);
  if (check.passed) return {};
  return Error{ErrorCode::invalid, check.reason, check.what, ""};
}

}  // namespace ridge::measure
