// Timing on a GPU: what a sample means, and that nothing hangs. The ratios below are of known work, a
// check of the bookkeeping and not of speed.
#include <atomic>
#include <chrono>
#include <thread>

#include "common/harness/measure/cuda/block_timer.h"
#include "common/stats/stats.h"
#include "tests/cuda_support.h"

using namespace ridge;
using namespace ridge::measure;

namespace {

/// A fill that takes at least `least_ns` here: bytes, and what one call takes.
std::pair<size_t, double> fill_of(Device* device, Block* block, size_t most, double least_ns) {
  size_t bytes = size_t{1} << 20;
  for (;; bytes *= 2) {
    auto side = device->make_side(kFill, block->launch(device, bytes), Cache::hot, 1e6);
    REQUIRE(side.ok());
    Side* sides[] = {side->get()};
    const uint8_t order[] = {0, 0, 0};
    auto samples = device->time(sides, order);
    REQUIRE(samples.ok());
    if ((*samples)[2].t_ns >= least_ns || 2 * bytes > most) return {bytes, (*samples)[2].t_ns};
  }
}

std::vector<Sample> time_slots(Device* device, Side* side, int slots) {
  Side* sides[] = {side};
  const std::vector<uint8_t> order(static_cast<size_t>(slots), 0);
  auto samples = device->time(sides, order);
  if (!samples) FAIL(samples.error().sentence());
  return *samples;
}

double median_ns(const std::vector<Sample>& samples) {
  std::vector<double> times;
  for (const Sample& sample : samples) times.push_back(sample.t_ns);
  return stats::median(times);
}

bool has_flag(const std::vector<Sample>& samples, const std::string& flag) {
  for (const Sample& sample : samples)
    for (const std::string& own : sample.flags)
      if (own == flag) return true;
  return false;
}

}  // namespace

TEST_CASE("time is per call, whatever the number of calls and the way of timing", "[alone]") {
  Device* device = gpu();
  if (!device) return;
  constexpr size_t kMost = size_t{1} << 30;
  Block block(device, kMost);
  const auto [bytes, once_ns] = fill_of(device, &block, kMost / 2, 50e3);

  auto side = device->make_side(kFill, block.launch(device, bytes), Cache::hot, once_ns);
  auto twice = device->make_side(kFill, block.launch(device, 2 * bytes), Cache::hot, 2 * once_ns);
  REQUIRE((side.ok() && twice.ok()));
  for (auto* one : {&side, &twice}) static_cast<CudaSide*>((*one)->get())->call_ns = kGraphBelowNs;
  (*side)->calls = 8;
  const double events_ns = median_ns(time_slots(device, side->get(), 9));
  (*side)->calls = 2;
  const double fewer_ns = median_ns(time_slots(device, side->get(), 9));
  const double twice_ns = median_ns(time_slots(device, twice->get(), 9));
  CHECK(fewer_ns / events_ns == Approx(1).epsilon(0.1));
  CHECK(twice_ns / events_ns == Approx(2).epsilon(0.25));

  auto graph = device->make_side(kFill, block.launch(device, bytes), Cache::hot, once_ns);
  REQUIRE(graph.ok());
  auto* cuda = static_cast<CudaSide*>(graph->get());
  cuda->call_ns = 1e3;  // takes it for short
  cuda->calls = 20;
  const auto samples = time_slots(device, cuda, 9);
  REQUIRE(cuda->graph != nullptr);
  CHECK(median_ns(samples) / events_ns == Approx(1).epsilon(0.1));
  int clocks = 0;
  for (const Sample& sample : samples) {
    CHECK(sample.calls == 20);
    if (!sample.sm_clock_hz) continue;  // its stamps were on different SMs
    CHECK(*sample.sm_clock_hz > 1e8);
    CHECK(*sample.sm_clock_hz < 4e9);
    ++clocks;
  }
  CHECK(clocks >= 1);
}

TEST_CASE("the largest block that is allowed never waits for its gate") {
  Device* device = gpu();
  if (!device) return;
  Block block(device, 4096);
  for (const Cache cache : {Cache::hot, Cache::cold}) {
    for (const bool graph : {true, false}) {
      auto side = device->make_side(kFill, block.launch(device, 4096), cache, 1e3);
      REQUIRE(side.ok());
      auto* cuda = static_cast<CudaSide*>(side->get());
      if (!graph) {
        cuda->call_ns = kGraphBelowNs;  // takes it for long: as many commands as calls
        if (cache == Cache::hot) cuda->calls = 10;
      }
      Side* sides[] = {cuda};
      const int slots = device->slots_per_block(sides);
      CHECK(slots >= 20);
      const auto samples = time_slots(device, cuda, slots);
      CHECK(!has_flag(samples, "gate_timeout"));
      CHECK(!has_flag(samples, "ungated"));
      CHECK((cuda->graph != nullptr) == (graph && cache == Cache::hot));
      CHECK(has_flag(samples, "coarse") == (graph && cache == Cache::cold));
      for (const Sample& sample : samples) {
        CHECK(sample.t_ns > 0);
        if (cache == Cache::cold) CHECK(sample.calls == 1);
      }
    }
  }
}

namespace {

std::atomic<bool> stall = false;
Status launch_stalling(const Launch& launch) {
  if (stall) std::this_thread::sleep_for(std::chrono::nanoseconds(3 * kGateTimeoutNs / 2));
  return launch_fill_kernel(launch);
}
Status launch_synchronising(const Launch& launch) {
  const Status status = launch_fill_kernel(launch);
  RIDGE_CUDA_CHECK(cudaStreamSynchronize(stream_of(launch)));
  return status;
}

}  // namespace

TEST_CASE("a host that stalls meets the gate's time-out and not a hang") {
  Device* device = gpu();
  if (!device) return;
  Block block(device, 4096);
  const KernelDesc kernel = {
      .id = "test.cuda.stall", .backend = Backend::cuda, .launch = launch_stalling};
  auto side = device->make_side(kernel, block.launch(device, 4096), Cache::cold, 1e6);
  REQUIRE(side.ok());
  CHECK(!has_flag(time_slots(device, side->get(), 1), "gate_timeout"));
  stall = true;
  const auto samples = time_slots(device, side->get(), 1);
  stall = false;
  CHECK(has_flag(samples, "gate_timeout"));
  CHECK(!has_flag(time_slots(device, side->get(), 1), "gate_timeout"));
}

namespace {

std::atomic<bool> idle = false;
Status launch_idling(const Launch& launch) {
  if (!idle) RIDGE_CUDA_CHECK(launch_null(stream_of(launch)));
  return {};
}

}  // namespace

/// What remains of such a sample is the events' own time, less the same.
TEST_CASE("a kernel that queues nothing is below resolution") {
  Device* device = gpu();
  if (!device) return;
  Block block(device, 4096);
  const KernelDesc kernel = {
      .id = "test.cuda.idle", .backend = Backend::cuda, .launch = launch_idling};
  auto side = device->make_side(kernel, block.launch(device, 4096), Cache::hot, 1e3);
  REQUIRE(side.ok());
  auto* cuda = static_cast<CudaSide*>(side->get());
  cuda->call_ns = kGraphBelowNs;  // takes it for long: each call is queued on its own
  cuda->calls = 1;
  idle = true;
  const auto samples = time_slots(device, cuda, 60);
  idle = false;
  CHECK(!has_flag(samples, "ungated"));
  CHECK(!has_flag(samples, "gate_timeout"));
  CHECK(has_flag(samples, "below_resolution"));
  for (const Sample& sample : samples) CHECK(sample.t_ns > 0);  // then with the events' time in it
}

TEST_CASE("kernels that synchronise are timed without the gate, declared or not") {
  Device* device = gpu();
  if (!device) return;
  Block block(device, 1 << 20);
  for (const bool declared : {true, false}) {
    const KernelDesc kernel = {.id = "test.cuda.sync",
                               .backend = Backend::cuda,
                               .may_sync = declared,
                               .launch = launch_synchronising};
    auto side = device->make_side(kernel, block.launch(device, 1 << 20), Cache::hot, 10e3);
    if (!side) FAIL(side.error().sentence());
    CHECK(has_flag(time_slots(device, side->get(), 3), "ungated"));
    CHECK(device->call(**side).ok());  // the failed capture left nothing behind
  }
}

TEST_CASE("a side is kept at work, and every call of it is counted", "[alone]") {
  Device* device = gpu();
  if (!device) return;
  constexpr size_t kMost = size_t{1} << 30;
  Block block(device, kMost);
  CHECK(device->free_clock_hz() > 1e8);
  for (const bool graph : {true, false}) {
    const auto [bytes, once_ns] = fill_of(device, &block, kMost / 2, 20e3);
    auto side = device->make_side(kFill, block.launch(device, bytes), Cache::hot, once_ns);
    REQUIRE(side.ok());
    if (!graph) static_cast<CudaSide*>(side->get())->call_ns = kGraphBelowNs;  // takes it for long
    const double known_ns = median_ns(time_slots(device, side->get(), 9));
    const auto samples = device->sustain(side->get(), 0.3);
    REQUIRE(samples.ok());
    REQUIRE(samples->size() >= 5);
    CHECK((static_cast<CudaSide*>(side->get())->graph != nullptr) == graph);
    CHECK(median_ns(*samples) / known_ns == Approx(1).epsilon(0.15));
    double work_s = 0;
    int clocks = 0;
    for (const Sample& sample : *samples) {
      work_s += sample.t_ns * 1e-9 * double(sample.calls);
      clocks += sample.sm_clock_hz.has_value();
    }
    CHECK(work_s > 0.2);
    CHECK(clocks > 0);
  }
}

namespace {

Status launch_overlapping(const Launch& launch) {
  RIDGE_CUDA_CHECK(launch_overlapping_null(stream_of(launch)));
  return {};
}
Status launch_plain(const Launch& launch) {
  RIDGE_CUDA_CHECK(launch_null(stream_of(launch)));
  return {};
}

}  // namespace

TEST_CASE("calls that overlap are told from those that follow each other") {
  Device* device = gpu();
  if (!device || capability() < 90) return;
  Block block(device, 4096);
  for (const bool overlaps : {true, false}) {
    const KernelDesc kernel = {.id = "test.cuda.null",
                               .backend = Backend::cuda,
                               .launch = overlaps ? launch_overlapping : launch_plain};
    auto side = device->make_side(kernel, block.launch(device, 4096), Cache::hot, 1e3);
    REQUIRE(side.ok());
    CHECK(static_cast<CudaSide*>(side->get())->overlaps == overlaps);
    // The null graph is what it is held against: nothing is left of either.
    for (const Sample& sample : time_slots(device, side->get(), 9)) {
      CHECK((has_flag({sample}, "below_resolution") || sample.t_ns < 100));
    }
  }
}
