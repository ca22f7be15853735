// Drives a pipeline rung: windows of running, each one sample (time per item), its spans streamed,
// judged by every item arriving exactly once.
#include <algorithm>
#include <mutex>

#include "common/measure/harness.h"
#include "common/measure/machine.h"
#include "common/record/params.h"
#include "common/stats/stats.h"

namespace ridge::measure {
namespace {

constexpr double kLiveLimit_s = 1, kMeasureLimit_s = 5;
constexpr double kLiveWindow_s = 0.1, kMeasureWindow_s = 0.25;
/// More spans than a timeline can show are not sent; the count left out is said.
constexpr size_t kSpansPerWindow = 4000;

/// Collects a window's spans; stages report from their own threads.
class SpanStore {
 public:
  void add(const Span& span) {
    const std::lock_guard lock(mutex_);
    if (spans_.size() < kSpansPerWindow) {
      spans_.push_back(span);
    } else {
      ++left_out_;
    }
  }
  std::vector<Span> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(spans_, {});
  }
  int64_t left_out() const { return left_out_; }

 private:
  std::mutex mutex_;
  std::vector<Span> spans_;
  int64_t left_out_ = 0;
};

Result<void> windows(Pipeline* pipeline, const Options& options, Series* series,
                     Observer* observer) {
  const bool live = options.mode == Mode::live;
  const double limit_s = options.limit_s.value_or(live ? kLiveLimit_s : kMeasureLimit_s);
  const double window_s = std::min(live ? kLiveWindow_s : kMeasureWindow_s, limit_s / 6);
  observer->phase(series->index, {.phase = "warmup", .text = "filling the pipeline"});
  RIDGE_TRY_VOID(pipeline->run_window(window_s, [](const Span&) {}));

  SpanStore store;
  const double start = now_s();
  while (now_s() - start < limit_s) {
    if (observer->cancelled()) return Error{ErrorCode::cancelled, "cancelled", "", ""};
    observer->announce(series->index);
    const double window_start = now_s();
    RIDGE_TRY(const int64_t items,
              pipeline->run_window(window_s, [&](const Span& span) { store.add(span); }));
    const double took_s = now_s() - window_start;
    if (items <= 0) {
      return Error{ErrorCode::invalid, "no item came out in a window", series->kernel, ""};
    }
    Sample sample;
    sample.index = static_cast<int64_t>(series->samples.size());
    sample.calls = items;
    sample.t_ns = took_s * 1e9 / double(items);
    series->samples.push_back(sample);
    observer->samples(series->index, "call", {&sample, 1});
    const std::vector<Span> spans = store.take();
    observer->spans(series->index, spans);
    series->spans.insert(series->spans.end(), spans.begin(), spans.end());
    const double elapsed = now_s() - start;
    observer->phase(series->index, {.phase = "timing",
                                    .text = "running windows",
                                    .open = std::to_string(series->samples.size()) + " windows",
                                    .progress = std::min(1.0, elapsed / limit_s),
                                    .left_s = std::max(0.0, limit_s - elapsed)});
    gap();
  }
  if (store.left_out() > 0) {
    series->unavailable["spans"] =
        std::to_string(store.left_out()) + " spans beyond 4000 a window were left out";
  }
  return {};
}

Result<void> steps(const PipelineDesc& desc, const Options& options, Series* series,
                   Observer* observer) {
  observer->phase(series->index, {.phase = "prepare", .text = "building the pipeline"});
  RIDGE_TRY(const auto pipeline, desc.build(series->params, 1));
  series->bytes_min = pipeline->bytes_per_item();
  const ForeignLoad foreign;
  const auto ran = windows(pipeline.get(), options, series, observer);
  summarize(series, is_contended(foreign.cpus(), desc.backend), false);
  if (series->stats && series->stats->median_ns > 0) {
    series->items_per_s = 1e9 / series->stats->median_ns;
  }
  RIDGE_TRY_VOID(ran);
  observer->phase(series->index, {.phase = "check", .text = "counting what arrived"});
  const QualityCheck check = pipeline->check();
  series->checks.push_back(check);
  observer->check(series->index, check);
  if (!check.passed) return Error{ErrorCode::invalid, check.reason, check.what, ""};
  return {};
}

}  // namespace

Result<Series> measure_pipeline(const PipelineDesc& pipeline, const Params& params,
                                const Options& options, int series, Observer* observer) {
  Series out;
  out.index = series;
  out.kernel = pipeline.id;
  out.kind = "pipeline";
  out.params = params;
  out.dtype = param_text(params, "dtype", "fp32");
  out.cache = "hot";
  out.mode = options.mode == Mode::live ? "live" : "measure";
  out.status = SeriesStatus::ok;
  const auto outcome = steps(pipeline, options, &out, observer);
  if (!outcome && outcome.error().code == ErrorCode::worker) return outcome.error();
  if (!outcome) take_error(outcome.error(), &out);
  out.unavailable["latency"] = "a pipeline is scored by steady throughput";
  describe_unavailable(&out);
  return out;
}

}  // namespace ridge::measure
