// What a pipeline is held against: stages of planted times, on a made-up clock through the harness, and a
// device of planted times under the data loader's own engine; and the network that the stage "step"
// trains, against float64.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <thread>

#include "common/core/random.h"
#include "common/harness/measure/harness.h"
#include "kernels/pipeline/engine.h"
#include "tests/catch.h"
#include "tests/network_reference.h"

namespace fs = std::filesystem;
using namespace ridge;
using namespace ridge::pipeline;

namespace {

// ---- the harness, on a made-up clock -------------------------------------------------------------

/// Times per item of three stages; what the pipeline takes above the slowest of them; how much slower
/// the machine becomes from one end of the run to the other; how wrong a stage alone is read.
struct Planted {
  double stage_ns[3] = {};
  double overhead = 1, drift = 0, misread = 1;
};
Planted planted;
constexpr double kRun_s = 0.5;

class MadeUp final : public Pipeline {
 public:
  Result<PipelineWindow> run_window(double window_s, const SpanSink&) override {
    // The first batch takes seconds, as a library's does that is loaded with it.
    if (past_s_ == 0) return PipelineWindow{64, past_s_ += 3};
    return take(window_s,
                planted.overhead * *std::max_element(planted.stage_ns, planted.stage_ns + 3));
  }
  std::vector<PipelineStage> stages() const override {
    return {{"load", 2}, {"copy", 1}, {"step", 1}};
  }
  Result<PipelineWindow> run_stage(size_t stage, double window_s) override {
    return take(window_s, planted.misread * planted.stage_ns[stage]);
  }
  QualityCheck check() override {
    QualityCheck check;
    check.checked = 1;
    check.passed = true;
    return check;
  }
  double bytes_per_item() const override { return 0; }
  int64_t items_per_step() const override { return 64; }

 private:
  /// A window of whole batches, with noise of a per cent.
  Result<PipelineWindow> take(double window_s, double item_ns) {
    const double slower = 1 + planted.drift * std::min(1.0, (past_s_ - 3) / kRun_s);
    const double noise = 0.99 + 0.02 * random_unit(random_key(5), draw_++);
    const double batch_s = 64e-9 * item_ns * slower * noise;
    const double batches = std::max(1.0, std::ceil(window_s / batch_s));
    past_s_ += batches * batch_s;
    return PipelineWindow{static_cast<int64_t>(64 * batches), batches * batch_s};
  }
  double past_s_ = 0;
  uint64_t draw_ = 0;
};

constexpr PipelineMaker kMaker = {
    .params = nullptr,
    .build = [](const PipelineDesc&, const Params&, uint64_t, const FamilyProgress&)
        -> Result<std::unique_ptr<Pipeline>> { return std::unique_ptr<Pipeline>(new MadeUp()); }};

Series measured(const Planted& plan) {
  planted = plan;
  PipelineDesc desc;
  desc.id = "synthetic.cpu.made_up";
  desc.maker = &kMaker;
  measure::Options options;
  options.limit_s = kRun_s;  // of this machine's time: between the windows are pauses
  measure::Observer silent;
  auto series = measure::measure_pipeline(desc, {}, nullptr, options, 0, &silent);
  REQUIRE(series.ok());
  REQUIRE(series->pipeline);
  return *std::move(series);
}

// ---- the engine, with a device of planted times --------------------------------------------------

constexpr int64_t kImages = 64;
constexpr int kSide = 32, kBatch = 8;
const SpanSink kNoSpans = [](const Span&) {};

/// A device that takes so long for a copy and kBusy_ms for a step, and whose host hears of the end kWake_ms late, as
/// one does that sleeps: queued in pairs that costs nothing.
class Sleeper final : public TrainDevice {
 public:
  static constexpr double kBusy_ms = 4, kWake_ms = 3;
  Sleeper(const Geometry& g, double copy_ms) : copies{copy_ms}, geometry_(g) {}

  struct Queue {
    double busy_ms = kBusy_ms;
    std::vector<double> done_ns = {};
    size_t finished = 0, deepest = 0;
    void add() {
      const double last = done_ns.empty() ? 0 : done_ns.back();
      done_ns.push_back(std::max(last, now_ns()) + busy_ms * 1e6);
      deepest = std::max(deepest, done_ns.size() - finished);
    }
    void wait() {
      const double left_ns = done_ns[finished++] - now_ns();
      if (left_ns > 0)
        std::this_thread::sleep_for(
            std::chrono::duration<double, std::nano>(left_ns + kWake_ms * 1e6));
    }
  };
  Queue copies, steps;

  Result<std::byte*> host_memory(size_t bytes) override {
    memory_.emplace_back(bytes);
    return memory_.back().data();
  }
  Result<void> queue_copy(int, const Batch&) override {
    copies.add();
    return {};
  }
  Result<void> finish_copy() override {
    copies.wait();
    return {};
  }
  Result<void> queue_step(int) override {
    steps.add();
    return {};
  }
  Result<void> finish_step() override {
    steps.wait();
    return {};
  }
  double loss() override { return 0; }
  Result<std::vector<float>> weights(int) override { return std::vector<float>(); }
  /// As of a black picture, which Blank's are.
  Result<std::vector<float>> seen(int, int) override {
    std::vector<float> pooled(size_t(geometry_.features()));
    const std::vector<uint8_t> black(size_t(kSide) * kSide * kChannels);
    pool_pixels(black.data(), Record(), geometry_, pooled.data());
    return pooled;
  }
  double hidden_share() const override { return 1; }
  std::string name() const override { return "sleeper"; }

 private:
  Geometry geometry_;
  std::vector<std::vector<std::byte>> memory_;
};

/// Pictures of nothing: loading is free, so that the device binds.
class Blank final : public ImageSource {
 public:
  bool read(int32_t, std::vector<uint8_t>*, std::string*) override { return true; }
  const uint8_t* pixels(int32_t) override { return picture_.data(); }

 private:
  std::vector<uint8_t> picture_ = std::vector<uint8_t>(size_t(kSide) * kSide * kChannels);
};

Geometry geometry() {
  Geometry g;
  g.side = kSide;
  g.crop = kSide * 7 / 8 / kPool * kPool;
  g.batch = kBatch;
  g.carried = Carried::number;
  return g;
}

std::unique_ptr<Engine> engine_with(bool queues_ahead, double copy_ms, Sleeper** device) {
  EngineSetup setup;
  setup.loader = {.by = LoadedBy::threads,
                  .share_batch = true,
                  .carried = Carried::number,
                  .copies_ahead = true,
                  .queues_ahead = queues_ahead,
                  .device_buffers = 0};
  setup.geometry = geometry();
  auto set = std::make_shared<FileSet>();
  set->labels.resize(kImages);
  set->bytes.resize(kImages);
  setup.set = set;
  setup.source = std::make_unique<Blank>();
  auto sleeper = std::make_unique<Sleeper>(setup.geometry, copy_ms);
  *device = sleeper.get();
  setup.device = std::move(sleeper);
  auto engine = Engine::make(std::move(setup));
  REQUIRE(engine.ok());
  return *std::move(engine);
}

/// The least time of a batch in some windows; no more of them once one is below `enough_ms`. (A busy
/// machine sleeps longer than it was told to, never less.)
template <class Window>
double least_batch_ms(double enough_ms, const Window& run_one) {
  double least_ms = INFINITY;
  for (int i = 0; i < 12 && !(least_ms < enough_ms); ++i) {
    const Result<PipelineWindow> window = run_one();
    REQUIRE(window.ok());
    least_ms = std::min(least_ms, window->took_s * 1e3 * kBatch / double(window->items));
  }
  return least_ms;
}

}  // namespace

TEST_CASE("the bound is the planted stage, the ratio the planted overhead") {
  for (int slowest = 0; slowest < 3; ++slowest) {
    Planted plan = {{9e3, 5e3, 7e3}, 1.05};
    plan.stage_ns[slowest] = 20e3;
    const Series series = measured(plan);
    const char* const names[] = {"load alone", "copy alone", "step alone"};
    CHECK(series.pipeline->bound == names[slowest]);
    CHECK(series.pipeline->bound_ns == Approx(20e3).epsilon(0.01));
    CHECK(series.pipeline->ratio == Approx(1.05).epsilon(0.01));
    REQUIRE(series.pipeline->ci);
    CHECK(series.pipeline->ci->low < 1.06);
    CHECK(series.pipeline->ci->high > 1.04);
    CHECK(series.note.find("below its bound") == std::string::npos);
  }
}

TEST_CASE("a machine that slows down by a third leaves the ratio alone") {
  Planted plan = {{9e3, 5e3, 20e3}, 1.02, 0.33};
  const Series series = measured(plan);
  CHECK(series.pipeline->rounds >= 6);
  CHECK(series.samples.front().calls < 64 * 100);  // 0.1 s at most, whatever the first took
  CHECK(series.pipeline->ratio == Approx(1.02).epsilon(0.01));
  REQUIRE(series.pipeline->ci);
  CHECK(series.pipeline->ci->high < 1.04);
}

TEST_CASE("a stage that was slower alone than inside the pipeline is said to be no bound") {
  const Series series = measured({{9e3, 5e3, 20e3}, 1.0, 0, 1.17});
  CHECK(series.pipeline->ratio == Approx(1 / 1.17).epsilon(0.01));
  CHECK(series.note.find("below its bound: step alone was slower than inside the pipeline") !=
        std::string::npos);
}

TEST_CASE("stages alone are queued in pairs: what the host sleeps is not counted as theirs") {
  Sleeper* device = nullptr;
  const auto engine = engine_with(false, Sleeper::kBusy_ms, &device);
  REQUIRE(engine->run_window(0.02, kNoSpans).ok());
  CHECK(device->steps.deepest == 1);
  CHECK(device->copies.deepest == 1);
  constexpr double kEnough_ms = Sleeper::kBusy_ms + 0.6 * Sleeper::kWake_ms;
  for (const size_t stage : {size_t{1}, size_t{2}}) {
    const double ms = least_batch_ms(kEnough_ms, [&] { return engine->run_stage(stage, 0.06); });
    CHECK(ms > 0.99 * Sleeper::kBusy_ms);
    CHECK(ms < kEnough_ms);
  }
  CHECK(device->steps.deepest == TrainDevice::kMaxQueued);
  CHECK(device->copies.deepest == TrainDevice::kMaxQueued);
  for (const Sleeper::Queue* queue : {&device->steps, &device->copies})
    CHECK(queue->finished == queue->done_ns.size());  // nothing is left under way
}

TEST_CASE("a step queued behind another hides the host's sleep, and no batch is lost or moved") {
  constexpr double kOneByOne_ms = Sleeper::kBusy_ms + 0.9 * Sleeper::kWake_ms;
  for (const bool queues : {false, true}) {
    Sleeper* device = nullptr;
    const auto engine = engine_with(queues, 0, &device);
    const double ms =
        least_batch_ms(kOneByOne_ms, [&] { return engine->run_window(0.08, kNoSpans); });
    CHECK(ms > 0.99 * Sleeper::kBusy_ms);
    CHECK((ms < kOneByOne_ms) == queues);
    CHECK(device->steps.deepest == (queues ? 2 : 1));
    CHECK(device->steps.finished == device->steps.done_ns.size());
    CHECK(engine->check().task.at("images_misplaced") == 0);
  }
}

TEST_CASE("the CPU's network: scores, gradients and weights against float64") {
  for (const int threads : {1, 3}) {
    DeviceSetup setup;
    setup.geometry = test::network_geometry(13);
    setup.layers = 2;
    setup.threads = threads;
    const auto device = make_cpu_train_device(setup);
    REQUIRE(device.ok());
    test::check_network(device->get(), setup, 1e-6, 1e-6);
  }
}
