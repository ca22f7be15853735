// Where a kernel runs: its memory, and the one timing primitive everything is built on. A schedule
// is a list of slots; each slot runs one side's calls back to back and yields one sample. Live and
// measure modes schedule one side over and over; a comparison schedules palindromes of several.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/core/result.h"
#include "common/harness/kernel/kernel.h"
#include "common/harness/measure/energy_meter.h"
#include "common/record/types.h"

namespace ridge::measure {

using Cache = CacheMode;

/// One kernel with its plan and buffers, readied by a device for timing (a CUDA graph, say).
class Side {
 public:
  virtual ~Side() = default;
  const KernelDesc* kernel = nullptr;
  Launch launch;
  int64_t calls = 1;  ///< calls in one sample
  Cache cache = Cache::hot;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual Backend backend() const = 0;
  virtual std::string name() const = 0;
  /// Which of several of one name it is: a GPU's UUID. Empty: there is one.
  virtual std::string identity() const { return ""; }
  /// Compute capability, 90 for 9.0; 0 on the CPU.
  virtual int capability() const { return 0; }
  virtual void* stream() const = 0;

  virtual Result<void*> allocate(size_t bytes) = 0;  ///< 256-byte aligned, pages touched
  virtual void release(void* memory) = 0;
  virtual Result<void> upload(void* to, const void* from, size_t bytes) = 0;
  virtual Result<void> download(void* to, const void* from, size_t bytes) = 0;
  virtual Result<void> fill(void* to, uint32_t pattern, size_t bytes) = 0;
  virtual size_t free_bytes() const = 0;
  virtual Result<void> synchronize() = 0;

  /// One ungated call, completed; for checks and warm-up. Reports launch and device errors.
  /// This and time_latency() read kernel, launch and cache only: a plain Side made on the spot
  /// serves. A lost device (Status::sticky) is ErrorCode::worker: the process must end. A kernel's
  /// own error is ErrorCode::invalid.
  virtual Result<void> call(const Side& side) = 0;
  /// Wall time of one completed call; the latency pass, and first estimates.
  virtual Result<Sample> time_latency(const Side& side) = 0;
  /// Readies a kernel for timed blocks. `call_ns` is the estimate that decides how it is timed.
  virtual Result<std::unique_ptr<Side>> make_side(const KernelDesc& kernel, const Launch& launch,
                                                  Cache cache, double call_ns) = 0;
  /// Times the slots of `order` (indices into `sides`) in one block; one sample each, in order.
  virtual Result<std::vector<Sample>> time(std::span<Side* const> sides,
                                           std::span<const uint8_t> order) = 0;
  /// The most slots that one block should hold, so that it stays near 100 ms and, on a GPU, under
  /// 900 queued commands. At least 1.
  virtual int slots_per_block(std::span<Side* const> sides) const = 0;

  /// What one call takes, without any permission: its kernels and host copies. Not timed, nothing
  /// is timed meanwhile. unavailable: no such thing here, or the call cannot be captured.
  virtual Result<Resources> resources(const Side&) {
    return Error{ErrorCode::unavailable, "a call on the CPU launches no device kernels", "", ""};
  }
  /// Hardware counters of one call, from `calls` calls back to back. A GPU's stay loaded and make
  /// later launches dearer. unavailable: refused or absent, with the remedy as the hint.
  virtual Result<std::vector<Counter>> count(const Side&, int64_t /*calls*/) {
    return Error{ErrorCode::unavailable, "this device has no counters", "", ""};
  }

  /// The clock of a busy device that nothing holds down; 0: it has none that a side's power could lower.
  virtual double free_clock_hz() const { return 0; }
  /// What holds the clock down now, in words ("power cap").
  virtual std::vector<std::string> held_down_by() { return {}; }
  /// Keeps a side at work for about `seconds` without a pause, hot caches: one sample for every 20 ms or call, with
  /// its clock where that can be told. Calls that follow each other leave no gap in the device's work that its power
  /// would show. unavailable: this device has no clock to hold down.
  virtual Result<std::vector<Sample>> sustain(Side*, double /*seconds*/) {
    return Error{ErrorCode::unavailable, "this device has no clock that is held down", "", ""};
  }

  /// `calls` calls back to back, completed at the end; hot caches. Needs what call() needs of a side.
  virtual Result<void> repeat(const Side& side, int64_t calls);
  /// The counter that a call's energy shows on. Error unavailable: why there is none, and the fix.
  virtual Result<std::unique_ptr<EnergyMeter>> energy_meter();
  /// Those of all `devices` that a call works on, a meter each. Error unavailable: one of them has none, or
  /// several are asked for where a device is alone of its kind.
  virtual Result<std::vector<std::unique_ptr<EnergyMeter>>> energy_meters(int64_t devices);

  /// Adds slow readings by name (units in the names) for `telemetry` lines; from any thread, and cheap
  /// however often it is asked. A CPU has none of its own: see HostTelemetry.
  virtual void telemetry(TelemetryPoint* /*point*/) {}
  /// The clock as the driver says it now, for work whose own clock cannot be read; nullopt: a CPU's, or it says none.
  std::optional<double> clock_now_hz();
  /// What disturbs this device now, one phrase each ("2 other processes on the GPU"), for the quiet
  /// check.
  virtual std::vector<std::string> disturbances() { return {}; }
};

/// A failed prepare or launch as an Error, by the rule at Device::call().
Error to_error(const Status& status, const KernelDesc& kernel);

/// The CPU device; `index` chooses among GPUs for the other. unavailable says why there is none.
Result<std::unique_ptr<Device>> make_cpu_device();
Result<std::unique_ptr<Device>> make_cuda_device(int index);
/// What is there, for the environment; empty with a reason where there is none.
std::vector<GpuInfo> list_gpus(std::string* no_gpu_reason);

}  // namespace ridge::measure
