// Hardware counters of a CPU through perf_event_open (perf_event_open(2)): per thread, user space
// only, one group a thread so that its events count over the same time.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "common/core/result.h"
#include "common/harness/measure/harness.h"

namespace ridge::measure {

/// An event as perf_event_open takes it.
struct PerfEvent {
  const char* name;
  uint32_t type;
  uint64_t config;
};
/// cycles, instructions, cache_misses (of the last level), branch_misses.
std::span<const PerfEvent> hardware_events();

/// What every thread of this process counted while `work` ran, summed; in the order of `events`. A
/// group that had to share the hardware is scaled by the part of the time that it counted.
/// unavailable: refused or not there, with the remedy as its hint.
Result<std::vector<double>> count_events(std::span<const PerfEvent> events,
                                         const std::function<Result<void>()>& work);

/// The sentence and remedy for perf_event_open's errno. `paranoid`: kernel.perf_event_paranoid.
Error perf_refusal(int error_number, const std::string& paranoid);

/// Counters of one call on the CPU, with ipc where it follows, from `calls` calls; where the CPU counts them also the
/// bytes of the lines that reads missed in the first and in the last level of its caches.
Result<std::vector<Counter>> count_cpu(const Side& side, int64_t calls, Device* device);

/// After the timing, never in it: what a call takes of its device, and what the hardware counts.
/// A GPU's counters need a profiler that leaves later launches dearer: with options.count_only
/// alone, in a worker of its own. What cannot be had goes into series->unavailable.
Result<void> describe_calls(const ReadyRung& rung, double call_ns, const Options& options,
                            Series* series, Observer* observer);

}  // namespace ridge::measure
