// A CPU device whose clock is made up, and a trap sprung on it: what a trap or a claim reads is then decided by the test
// and by no machine.
#pragma once

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "common/harness/kernel/registry.h"
#include "common/harness/measure/harness.h"
#include "tests/catch.h"

namespace ridge::test {

/// CPU memory and calls, and a clock that is made up. A call costs what `cost_ns` says, or 1 us; on a
/// buffer not seen before, in a cold cache, and for reading the clock around a single call, more.
class MadeUpClock : public measure::Device {
 public:
  std::function<double(const measure::Side&)> cost_ns = [](const measure::Side&) { return 1000.0; };
  std::function<double(const measure::Side&)> single_ns;  ///< of single calls; empty: cost_ns
  double first_touch_ns = 0, cold_ns = 0, clock_ns = 0;
  double drift_a_slot = 0;  ///< of the logarithm of the time
  int64_t sample_calls = 500;

  Backend backend() const override { return Backend::cpu; }
  std::string name() const override { return "made up"; }
  void* stream() const override { return nullptr; }
  Result<void*> allocate(size_t bytes) override {
    void* memory = std::calloc(1, bytes);
    touched_.insert(memory);
    return static_cast<char*>(memory);
  }
  void release(void* memory) override { std::free(memory); }
  Result<void> upload(void* to, const void* from, size_t bytes) override {
    std::memcpy(to, from, bytes);
    return {};
  }
  Result<void> download(void* to, const void* from, size_t bytes) override {
    std::memcpy(to, from, bytes);
    return {};
  }
  Result<void> fill(void* to, uint32_t pattern, size_t bytes) override {
    for (size_t i = 0; i + 4 <= bytes; i += 4) std::memcpy(static_cast<char*>(to) + i, &pattern, 4);
    return {};
  }
  size_t free_bytes() const override { return size_t{1} << 32; }
  Result<void> synchronize() override { return {}; }
  Result<void> call(const measure::Side& side) override {
    const Status status = side.kernel->launch(side.launch);
    if (!status.ok()) return measure::to_error(status, *side.kernel);
    return {};
  }
  Result<Sample> time_latency(const measure::Side& side) override {
    const bool fresh = is_fresh(side.launch.buffers[2]);
    RIDGE_TRY_VOID(call(side));
    Sample sample;
    sample.t_ns = (single_ns ? single_ns : cost_ns)(side) + clock_ns + (fresh ? first_touch_ns : 0);
    return sample;
  }
  Result<std::unique_ptr<measure::Side>> make_side(const KernelDesc& kernel, const Launch& launch,
                                                   measure::Cache cache, double) override {
    auto side = std::make_unique<measure::Side>();
    side->kernel = &kernel;
    side->launch = launch;
    side->cache = cache;
    return side;
  }
  Result<std::vector<Sample>> time(std::span<measure::Side* const> sides,
                                   std::span<const uint8_t> order) override {
    std::vector<Sample> samples;
    for (const uint8_t index : order) {
      const measure::Side& side = *sides[index];
      RIDGE_TRY_VOID(call(side));
      Sample& sample = samples.emplace_back();
      sample.calls = sample_calls;
      sample.t_ns = cost_ns(side) * std::exp(drift_a_slot * slot_++) +
                    (side.cache == measure::Cache::cold ? cold_ns : 0);
    }
    return samples;
  }
  int slots_per_block(std::span<measure::Side* const>) const override { return 50; }

 private:
  /// The harness's own buffers lie in what it allocated, behind a guard of 256 bytes.
  bool is_fresh(void* buffer) { return touched_.count(static_cast<char*>(buffer) - 256) == 0; }
  std::set<void*> touched_;
  double slot_ = 0;
};

struct Sprung {
  Series series;
  const TrapOutcome& trap() const { return *series.trap; }
};

/// What a live run of the trap with this id comes to.
inline Series measured(const std::string& id, measure::Device* device) {
  const TrapDesc* desc = find_trap(id);
  REQUIRE(desc != nullptr);
  measure::Observer nobody;
  // The calls are real ones: on a busy machine all rounds take longer than a live run's limit.
  constexpr double kLimit_s = 600;
  const auto series = measure::measure_trap(
      *desc, {}, device, {.mode = measure::Mode::live, .limit_s = kLimit_s}, 0, &nobody);
  REQUIRE(series);
  return *series;
}

/// A trap that has its figures, and whose guard caught it.
inline Sprung spring_trap(const std::string& id, measure::Device* device) {
  const Series series = measured(id, device);
  INFO(series.reason);
  REQUIRE(series.status == SeriesStatus::ok);
  REQUIRE(series.trap);
  CHECK(series.checks.size() == 2);
  CHECK(series.quality_passed());
  CHECK(series.trap->guard == find_trap(id)->guard);
  INFO(series.trap->guard_says);
  CHECK(series.trap->caught);
  return {series};
}

}  // namespace ridge::test
