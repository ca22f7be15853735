// The CPU as a Device: a sample is a run of calls between two readings of steady_clock (22 ns each)
// and of CPU time, long enough (200 us) that both readings stay under 1 % of it.
//
// Which CPU time tells that somebody else had the core: a rung of one thread is held to its own
// thread's time, at least 0.98 of the wall time. A rung of several threads rightly waits here and
// there (OpenMP waits passively), so its share is the process's CPU time over wall time, and it is
// held to 0.95 of the best share this side has shown. A sample below is tagged "stolen" and taken
// again, up to three times in a row. The choice looks at CPU time only, never at speed.
//
// A peer in another process times its own calls, by the same clock. Beside one, every slot lasts
// 50 ms or more, on both sides: each side finds its caches cold at the start of its slot.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "common/core/upper_lanes.h"
#include "common/harness/measure/cache_flush.h"
#include "common/harness/measure/clock.h"
#include "common/harness/measure/counters.h"
#include "common/harness/measure/device.h"
#include "common/harness/measure/machine.h"

namespace ridge::measure {
namespace {

constexpr double kSampleNs = 200e3;
constexpr double kSampleSteps = 200;  ///< of the clock, at least
constexpr double kToldSteps = 5;      ///< of the clock: fewer say next to nothing of a call
constexpr double kShort = 0.8;        ///< of that: a shorter sample is taken again with more calls
constexpr double kExternalNs = 50e6;
constexpr double kBlockNs = 100e6;
/// Hot means that the calls before were the same. What others leave behind (caches, and AVX-512 units
/// asleep after 70 ms of scalar code) made the next call on a Zen 4 up to 2 ms longer; it is outlived
/// untimed. A call a hundred times as long is not changed by it, and goes without.
constexpr double kSettleNs = 2e6;
constexpr double kShare1 = 0.98;     ///< least CPU share, one thread
constexpr double kShareMany = 0.95;  ///< least part of the best share seen, several threads
constexpr int kRetakes = 3;
/// A cold call costs a flush of about 2 to 20 ms before it; more calls a sample than this would
/// spend seconds on flushing, and steady_clock resolves a single call of 20 us well enough.
constexpr int64_t kColdCalls = 10;
constexpr size_t kAlignment = 4096;

/// To 0.01 ns: further digits mean nothing and would double the size of a saved run.
double rounded(double ns) {
  return std::round(ns * 100) / 100;
}

struct CpuSide : Side {
  double call_ns = 0;
  double min_ns = 0;      ///< what a sample should last
  double best_share = 0;  ///< of several threads: the highest CPU share of any sample so far
};

class CpuDevice : public Device {
 public:
  Backend backend() const override { return Backend::cpu; }
  std::string name() const override { return read_cpu().model; }
  void* stream() const override { return nullptr; }

  Result<void*> allocate(size_t bytes) override {
    const size_t whole = (std::max<size_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
    void* memory = std::aligned_alloc(kAlignment, whole);
    if (memory == nullptr) {
      return Error{ErrorCode::unavailable, "no memory for " + std::to_string(bytes) + " bytes",
                   "CPU", "choose a smaller size"};
    }
    std::memset(memory, 0, whole);  // touches every page: faults belong to no sample
    return memory;
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
    auto* out = static_cast<unsigned char*>(to);
    size_t at = 0;
    for (; at + sizeof(pattern) <= bytes; at += sizeof(pattern)) {
      std::memcpy(out + at, &pattern, sizeof(pattern));
    }
    std::memcpy(out + at, &pattern, bytes - at);
    return {};
  }
  size_t free_bytes() const override { return static_cast<size_t>(free_memory_bytes()); }
  Result<void> synchronize() override { return {}; }

  Result<void> call(const Side& side) override {
    const Status status = side.kernel->launch(side.launch);
    clear_upper_lanes();
    if (!status.ok()) return to_error(status, *side.kernel);
    return {};
  }

  /// Of one call; of several where the clock's step is too long to tell one.
  Result<Sample> time_latency(const Side& side) override {
    constexpr int64_t kMostCalls = 1'000'000;
    for (int64_t calls = 1;; calls *= 4) {
      RIDGE_TRY(Sample sample, time_calls(side, calls));
      const bool is_told = sample.t_ns * double(calls) >= kToldSteps * clock_step_ns();
      if (is_told || calls > kMostCalls || side.kernel->time_calls != nullptr) return sample;
    }
  }

  Result<void> repeat(const Side& side, int64_t calls) override {
    RIDGE_TRY([[maybe_unused]] const Sample sample, time_calls(side, calls));
    return {};
  }
  Result<std::unique_ptr<EnergyMeter>> energy_meter() override {
    return open_host_meter(system_root());
  }

  Result<std::unique_ptr<Side>> make_side(const KernelDesc& kernel, const Launch& launch,
                                          Cache cache, double call_ns) override {
    auto side = std::make_unique<CpuSide>();
    side->kernel = &kernel;
    side->launch = launch;
    side->cache = cache;
    side->call_ns = std::max(call_ns, 1.0);
    set_calls(side.get(), false);
    return std::unique_ptr<Side>(std::move(side));
  }

  Result<std::vector<Sample>> time(std::span<Side* const> sides,
                                   std::span<const uint8_t> order) override {
    set_calls(sides);
    std::vector<Sample> samples;
    samples.reserve(order.size());
    const CpuSide* before = nullptr;
    for (const uint8_t index : order) {
      auto* side = static_cast<CpuSide*>(sides[index]);
      if (side != before) RIDGE_TRY_VOID(settle(*side));
      before = side;
      RIDGE_TRY(Sample sample, time_slot(side));
      samples.push_back(std::move(sample));
    }
    return samples;
  }

  Result<std::vector<Counter>> count(const Side& side, int64_t calls) override {
    return count_cpu(side, calls, this);
  }

  int slots_per_block(std::span<Side* const> sides) const override {
    set_calls(sides);
    double slot_ns = 0;
    for (const Side* side : sides) {
      const auto* cpu = static_cast<const CpuSide*>(side);
      const double flush_ns = cpu->cache == Cache::cold ? flush_ns_ : 0;
      slot_ns += double(cpu->calls) * (cpu->call_ns + flush_ns) / double(sides.size());
      // In A B C C B A two slots of three follow another side's.
      const double switches = double(sides.size() - 1) / double(sides.size());
      const double settle_ns = needs_settling(*cpu) ? std::max(kSettleNs, cpu->call_ns) : 0;
      slot_ns += switches * settle_ns / double(sides.size());
    }
    return static_cast<int>(std::clamp(kBlockNs / std::max(slot_ns, 1.0), 1.0, 500.0));
  }

 private:
  static void set_calls(CpuSide* side, bool beside_external) {
    side->min_ns =
        std::max(beside_external ? kExternalNs : kSampleNs, kSampleSteps * clock_step_ns());
    side->calls = std::max<int64_t>(1, std::llround(std::ceil(side->min_ns / side->call_ns)));
    if (side->cache == Cache::cold) side->calls = std::min(side->calls, kColdCalls);
  }
  /// The estimate was of single calls, the clock's own 20 to 60 ns included, or of a check that started another process:
  /// it promises too few. Cold samples are bounded by their flushes instead.
  static bool is_short(const CpuSide& side, const Sample& sample) {
    return side.cache == Cache::hot && sample.t_ns * double(sample.calls) < kShort * side.min_ns;
  }
  static void set_calls(std::span<Side* const> sides) {
    const bool external = std::any_of(sides.begin(), sides.end(), [](const Side* side) {
      return side->kernel->time_calls != nullptr;
    });
    for (Side* side : sides) set_calls(static_cast<CpuSide*>(side), external);
  }

  static Result<Sample> time_external(const Side& side, int64_t calls) {
    CallTimes times;
    const Status status = side.kernel->time_calls(side.launch, calls, &times);
    if (!status.ok()) return to_error(status, *side.kernel);
    Sample sample;
    sample.calls = calls;
    sample.t_ns = rounded(times.wall_ns / double(calls));
    sample.cpu_ns = rounded(times.cpu_ns / double(calls));
    return sample;
  }

  /// One sample of `calls` calls. With cold caches each call is timed alone, after a flush.
  Result<Sample> time_calls(const Side& side, int64_t calls) {
    if (side.kernel->time_calls != nullptr) return time_external(side, calls);
    const bool process = side.launch.shape.threads > 1;
    const auto launch = side.kernel->launch;
    double wall = 0, cpu = 0;
    Status status;
    const int64_t spells = side.cache == Cache::cold ? calls : 1;
    for (int64_t spell = 0; spell < spells && status.ok(); ++spell) {
      if (side.cache == Cache::cold) flush(process);
      const double cpu_start = cpu_time_ns(process);
      const double start = now_ns();
      for (int64_t i = 0; i < calls / spells && status.ok(); ++i) status = launch(side.launch);
      wall += now_ns() - start;
      clear_upper_lanes();
      cpu += cpu_time_ns(process) - cpu_start;
    }
    if (!status.ok()) return to_error(status, *side.kernel);
    Sample sample;
    sample.calls = calls;
    sample.t_ns = rounded(wall / double(calls));
    sample.cpu_ns = rounded(cpu / double(calls));
    return sample;
  }

  static bool needs_settling(const CpuSide& side) {
    return side.cache == Cache::hot && side.kernel->time_calls == nullptr &&
           side.call_ns <= 100 * kSettleNs;
  }
  Result<void> settle(const CpuSide& side) {
    if (!needs_settling(side)) return {};
    const double start = now_ns();
    do RIDGE_TRY_VOID(call(side));
    while (now_ns() - start < kSettleNs);
    return {};
  }

  Result<Sample> time_slot(CpuSide* side) {
    for (int attempt = 0;; ++attempt) {
      RIDGE_TRY(Sample sample, time_calls(*side, side->calls));
      if (attempt < kRetakes && is_short(*side, sample)) {
        side->call_ns = std::max(sample.t_ns, 1.0);
        set_calls(side, side->min_ns >= kExternalNs);
        continue;
      }
      const double share = sample.cpu_ns / std::max(sample.t_ns, 1.0);
      const bool many = side->launch.shape.threads > 1;
      const bool stolen = !(share >= (many ? kShareMany * side->best_share : kShare1));
      side->best_share = std::max(side->best_share, share);
      const bool is_known = sample.cpu_ns > 0;  // some systems do not tell
      if (!stolen || !is_known) return sample;
      sample.flags.push_back("stolen");
      // A long sample is not repeated: the block has to end.
      if (attempt == kRetakes || sample.t_ns * double(sample.calls) > kBlockNs) return sample;
    }
  }

  /// Before a cold call. A rung of several threads has left its data in the caches of every core that it may run on.
  void flush(bool every_core) {
    const double start = now_ns();
    cache_flush_.flush(every_core);
    flush_ns_ = now_ns() - start;
  }

  CacheFlush cache_flush_;
  double flush_ns_ = 0;  ///< what the last flush took
};

}  // namespace

Error to_error(const Status& status, const KernelDesc& kernel) {
  Error error{status.sticky    ? ErrorCode::worker
              : status.refused ? ErrorCode::unavailable
                               : ErrorCode::invalid,
              status.what == nullptr ? "no error" : status.what, kernel.id, ""};
  if (status.expression != nullptr) error.what += std::string(" (") + status.expression + ")";
  if (status.sticky) error.hint = "the device is lost; the worker is started anew";
  return error;
}

Result<void> Device::repeat(const Side& side, int64_t calls) {
  for (int64_t i = 0; i < calls; ++i) RIDGE_TRY_VOID(call(side));
  return {};
}

std::optional<double> Device::clock_now_hz() {
  TelemetryPoint point;
  telemetry(&point);
  const auto clock = point.values.find("sm_clock_hz");
  if (clock == point.values.end()) return std::nullopt;
  return clock->second;
}

Result<std::unique_ptr<EnergyMeter>> Device::energy_meter() {
  return Error{ErrorCode::unavailable, "has no energy counter", name(), ""};
}

Result<std::vector<std::unique_ptr<EnergyMeter>>> Device::energy_meters(int64_t devices) {
  if (devices > 1) {
    return Error{ErrorCode::unavailable,
                 "the counter is of one device, and a call works on " + std::to_string(devices),
                 name(), ""};
  }
  std::vector<std::unique_ptr<EnergyMeter>> meters(1);
  RIDGE_TRY(meters.front(), energy_meter());
  return meters;
}

Result<std::unique_ptr<Device>> make_cpu_device() {
  return std::unique_ptr<Device>(new CpuDevice());
}

}  // namespace ridge::measure
