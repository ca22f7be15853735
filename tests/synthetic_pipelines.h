// Pipelines and trainings whose bottleneck is known by construction: stages that take what they are
// told to, by sleeping, so that a busy machine does not decide which is the slowest.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "common/harness/kernel/pipeline.h"
#include "common/harness/kernel/training.h"

namespace ridge::synthetic {

inline double now_ns() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double, std::nano>(Clock::now().time_since_epoch()).count();
}
inline void wait_ms(double ms) {
  std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(ms));
}

/// Two stages, each a thread, and a buffer between them.
struct TwoStagesSpec {
  const char* first;
  double first_ms;
  const char* second;
  double second_ms;
  size_t buffer = 1;              ///< items that may wait between them
  const char* waiting = nullptr;  ///< span of an item in the buffer; null: none
};

class TwoStages : public Pipeline {
 public:
  explicit TwoStages(const TwoStagesSpec& spec) : spec_(spec) {}

  Result<PipelineWindow> run_window(double window_s, const SpanSink& sink) override {
    const double start_ns = now_ns(), end_ns = start_ns + window_s * 1e9;
    done_ = false;
    int64_t out = 0;
    std::thread second([&] { out = run_second(sink); });
    while (now_ns() < end_ns) {
      const double start = now_ns();
      wait_ms(spec_.first_ms);
      sink(span(spec_.first, 0, made_, start));
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return queue_.size() < spec_.buffer; });
      queue_.push_back({made_++, now_ns()});
      changed_.notify_all();
    }
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
      changed_.notify_all();
    }
    second.join();
    arrived_ += out;
    return PipelineWindow{out, (now_ns() - start_ns) * 1e-9};
  }
  QualityCheck check() override {
    QualityCheck check;
    check.what = "each item once";
    check.checked = made_;
    check.passed = made_ > 0 && arrived_ == made_;
    if (!check.passed) check.reason = "items were lost";
    return check;
  }
  double bytes_per_item() const override { return 0; }

 private:
  struct Waiting {
    int64_t item;
    double since_ns;
  };
  static Span span(const char* stage, int worker, int64_t item, double start) {
    Span span;
    span.stage = stage;
    span.worker = worker;
    span.item = item;
    span.start_ns = start;
    span.end_ns = now_ns();
    return span;
  }
  int64_t run_second(const SpanSink& sink) {
    int64_t out = 0;
    for (;;) {
      Waiting next;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !queue_.empty() || done_; });
        if (queue_.empty()) return out;
        next = queue_.front();
        queue_.pop_front();
        changed_.notify_all();
      }
      if (spec_.waiting != nullptr) sink(span(spec_.waiting, 1, next.item, next.since_ns));
      const double start = now_ns();
      wait_ms(spec_.second_ms);
      sink(span(spec_.second, 1, next.item, start));
      ++out;
    }
  }

  TwoStagesSpec spec_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Waiting> queue_;
  bool done_ = false;
  int64_t made_ = 0, arrived_ = 0;
};

/// What the next pipeline that is built does: a PipelineDesc holds plain functions.
inline TwoStagesSpec next_spec = {};
inline Result<std::unique_ptr<Pipeline>> build(const PipelineDesc&, const Params&, uint64_t,
                                               const FamilyProgress&) {
  return std::unique_ptr<Pipeline>(new TwoStages(next_spec));
}
inline constexpr PipelineMaker kMaker = {.params = nullptr, .build = build};
inline PipelineDesc pipeline() {
  PipelineDesc desc;
  desc.id = "synthetic.cpu.two_stages";
  desc.maker = &kMaker;
  return desc;
}

/// A training that waits for its input and fills its memory with activations, as told.
struct TrainSpec {
  double input_ms = 0, compute_ms = 0;
  size_t weight_bytes = 0, activation_bytes = 0;
};
inline TrainSpec next_training = {};

class Waiter : public Training {
 public:
  explicit Waiter(const TrainSpec& spec) : spec_(spec), weights_(spec.weight_bytes) {}
  Result<void> step() override {
    const double start = now_ns();
    wait_ms(spec_.input_ms);
    const double fed = now_ns();
    std::vector<char> activations(spec_.activation_bytes);
    wait_ms(spec_.compute_ms);
    const double held = double(activations.size() + weights_.size());
    values_ = {{"input_share", (fed - start) / (now_ns() - start)}};
    if (held > 0) values_["activation_share"] = double(activations.size()) / held;
    return {};
  }
  std::map<std::string, double> observe() override { return values_; }
  QualityCheck evaluate() override {
    QualityCheck check;
    check.what = "nothing was to be learnt";
    check.checked = 1;
    check.passed = true;
    return check;
  }
  int64_t steps() const override { return 20; }
  int64_t items_per_step() const override { return 1; }
  double flop_per_step() const override { return 0; }

 private:
  TrainSpec spec_;
  std::vector<char> weights_;
  std::map<std::string, double> values_;
};

inline Result<std::unique_ptr<Training>> set_up(const TrainDesc&, const Params&, uint64_t) {
  return std::unique_ptr<Training>(new Waiter(next_training));
}
inline TrainDesc training() {
  TrainDesc desc;
  desc.id = "synthetic.cpu.waiter";
  static constexpr TrainMaker kMaker = {.build = set_up};
  desc.maker = &kMaker;
  return desc;
}

}  // namespace ridge::synthetic
