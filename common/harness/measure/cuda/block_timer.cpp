#include "common/harness/measure/cuda/block_timer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <new>
#include <set>

#include "common/harness/measure/cuda/check.h"
#include "common/harness/measure/cuda/graph.h"
#include "common/harness/measure/range.h"
#include "common/stats/stats.h"

namespace ridge::measure {
namespace {

constexpr int kMaxCommands = 900;  // a launch call blocks after 1021
constexpr int kMaxPerSlot = 250;   // of calls; two leads and one slot have to fit a block
constexpr double kBlockNs = 95e6;  // a timed block stays under 100 ms
constexpr double kFlushNs = 40e3;
constexpr double kRefineBelowNs = 100e3;
constexpr int kRepeats = 3;  // of each overhead measurement; their median counts
constexpr int kFewNulls = 1, kManyNulls = 9;
constexpr int kLeads = 2;
constexpr double kLeadBelowNs = 10e6;  // a longer sample does not show the microseconds after idle
constexpr double kMinClockSpanNs = 50e3;  // shorter: globaltimer's steps show in the clock
constexpr double kChunkNs = 20e6;         // of sustained work: a launch call in 20 ms costs nothing

/// Digits that no clock here resolves (an event's 32 ns over 200 calls are 0.16 ns) would double the
/// size of a saved run.
double rounded(double value, double step) {
  const double per_unit = std::round(1 / step);
  return step < 1 ? std::round(value * per_unit) / per_unit : std::round(value / step) * step;
}

}  // namespace

/// Opens the gate when the block is queued, and on every error path.
class BlockTimer::OpenGate {
 public:
  OpenGate(BlockTimer* timer, bool gated) : timer_(timer), open_(!gated) {}
  ~OpenGate() { now(); }
  void now() {
    if (open_) return;
    open_ = true;
    __atomic_store_n(&timer_->flags_->opened, timer_->ticket_, __ATOMIC_RELEASE);
  }

 private:
  BlockTimer* timer_;
  bool open_;
};

Result<std::unique_ptr<BlockTimer>> BlockTimer::make(cudaStream_t stream, int device,
                                                     bool may_gate) {
  std::unique_ptr<BlockTimer> timer(new BlockTimer(stream, may_gate));
  void* memory = nullptr;
  RIDGE_CUDA_TRY(cudaHostAlloc(&memory, sizeof(GateFlags), cudaHostAllocMapped));
  timer->flags_memory_.reset(memory);
  timer->flags_ = new (memory) GateFlags;
  RIDGE_CUDA_TRY(cudaHostGetDevicePointer(&memory, timer->flags_, 0));
  timer->flags_device_ = static_cast<GateFlags*>(memory);

  int l2_bytes = 0;
  RIDGE_CUDA_TRY(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device));
  timer->flush_bytes_ = std::max<size_t>(2 * static_cast<size_t>(l2_bytes), 16 << 20);

  // The harness's own kernels load now: a first launch behind the gate would wait for its time-out.
  RIDGE_CUDA_TRY(cudaMalloc(&memory, sizeof(Stamp)));
  const DeviceMemory scratch(memory);
  RIDGE_CUDA_TRY(launch_gate(timer->flags_device_, 0, kGateTimeoutNs, stream));
  RIDGE_CUDA_TRY(launch_stamp(static_cast<Stamp*>(memory), stream));
  RIDGE_CUDA_TRY(launch_null(stream));
  RIDGE_CUDA_TRY(cudaStreamSynchronize(stream));
  return timer;
}

Result<void> BlockTimer::flush() {
  if (!flush_memory_) {
    void* memory = nullptr;
    RIDGE_CUDA_TRY(cudaMalloc(&memory, flush_bytes_));
    flush_memory_.reset(memory);
    RIDGE_CUDA_TRY(cudaMemsetAsync(memory, 0, flush_bytes_, stream_));
    RIDGE_CUDA_TRY(cudaMalloc(&memory, sizeof(uint32_t)));
    flush_sink_.reset(memory);
  }
  RIDGE_CUDA_TRY(launch_flush(flush_memory_.get(), flush_bytes_,
                              static_cast<uint32_t*>(flush_sink_.get()), stream_));
  return {};
}

Result<void> BlockTimer::plan(CudaSide* side) {
  side->can_gate = false;
  if (may_gate_ && !side->kernel->may_sync) {
    if (auto once = capture_calls(*side, 1, stream_)) {
      side->commands_per_call = node_count(once->get());
      side->can_gate = side->commands_per_call >= 1 && side->commands_per_call <= kMaxPerSlot;
      const auto twice = capture_calls(*side, 2, stream_);
      side->overlaps =
          twice && overlapping_edges(twice->get()) > 2 * overlapping_edges(once->get());
    }
  }
  // The estimate comes from single calls: their launch and wait (8 us) would hide what a call takes.
  if (side->can_gate && side->call_ns < kRefineBelowNs) {
    RIDGE_TRY(side->call_ns, graph_call_ns(*side));
  }
  const double wanted = std::ceil(kSampleNs / std::max(side->call_ns, 1.0));
  const int most = std::max(1, kMaxPerSlot / std::max(1, side->commands_per_call));
  if (side->cache == Cache::cold)
    side->calls = 1;
  else if (side->can_gate && side->call_ns < kGraphBelowNs)
    side->calls = static_cast<int64_t>(std::clamp(wanted, 10.0, 200.0));
  else
    side->calls = static_cast<int64_t>(std::clamp(wanted, 1.0, double(most)));
  return {};
}

/// Time per call in a graph of 20, overhead included: good enough to plan by.
Result<double> BlockTimer::graph_call_ns(const CudaSide& side) {
  constexpr int kCalls = 20;
  RIDGE_TRY(const OwnedGraphExec graph, ready_graph(side, kCalls, stream_));
  RIDGE_TRY_VOID(make_events(1));
  RIDGE_TRY_VOID(record(0));
  RIDGE_CUDA_TRY(cudaGraphLaunch(graph.get(), stream_));
  RIDGE_TRY_VOID(record(1));
  RIDGE_CUDA_TRY(cudaStreamSynchronize(stream_));
  RIDGE_TRY(const double ns, elapsed_ns(0));
  return ns / kCalls;
}

BlockTimer::Method BlockTimer::method_for(std::span<CudaSide* const> sides) const {
  Method method{.gated = true, .graph = false};
  bool cold = false;
  for (const CudaSide* side : sides) {
    method.gated &= side->can_gate;
    method.graph |= side->call_ns < kGraphBelowNs;
    cold |= side->cache == Cache::cold;
  }
  method.graph &= method.gated && !cold;
  return method;
}

int BlockTimer::slot_commands(const CudaSide& side, Method method) {
  const int calls = method.graph ? 1 : static_cast<int>(side.calls) * side.commands_per_call;
  return calls + 4 + (side.cache == Cache::cold ? 1 : 0);  // 2 events, 2 stamps, the flush
}

int BlockTimer::slots_per_block(std::span<CudaSide* const> sides) const {
  const Method method = method_for(sides);
  int commands = 5;
  double slot_ns = 1;
  for (const CudaSide* side : sides) {
    commands = std::max(commands, slot_commands(*side, method));
    const double flush_ns = side->cache == Cache::cold ? kFlushNs : 0;
    slot_ns = std::max(slot_ns, side->call_ns * static_cast<double>(side->calls) + flush_ns);
  }
  const int overhead = method.graph ? static_cast<int>(sides.size()) * kRepeats * 3
                                    : kRepeats * (kFewNulls + kManyNulls + 4);
  const int queued = 1 + overhead + kLeads * commands;
  const double by_time = std::min(kBlockNs / slot_ns, 1e6);
  return std::max(1, std::min(static_cast<int>(by_time), (kMaxCommands - queued) / commands));
}

Result<void> BlockTimer::make_ready(std::span<CudaSide* const> sides,
                                    std::span<const uint8_t> order, Method method) {
  // One pair a slot, and one for each overhead measurement.
  RIDGE_TRY_VOID(make_events(order.size() + kRepeats * std::max<size_t>(sides.size(), 2)));
  RIDGE_TRY_VOID(make_stamps(2 * order.size()));
  bool cold = false;
  for (CudaSide* side : sides) {
    cold |= side->cache == Cache::cold;
    if (!method.graph) continue;
    if (!side->graph) {
      RIDGE_TRY(side->graph, ready_graph(*side, side->calls, stream_));
    }
    const NullWork null{side->calls, side->overlaps};
    if (!null_graphs_.contains(null)) {
      RIDGE_TRY(null_graphs_[null], ready_null_graph(side->calls, side->overlaps, stream_));
    }
  }
  if (cold) RIDGE_TRY_VOID(flush());
  RIDGE_CUDA_TRY(cudaStreamSynchronize(stream_));
  return {};
}

Result<void> BlockTimer::make_stamps(size_t count) {
  if (stamps_capacity_ >= count) return {};
  void* memory = nullptr;
  RIDGE_CUDA_TRY(cudaMalloc(&memory, count * sizeof(Stamp)));
  stamps_memory_.reset(memory);
  stamps_capacity_ = count;
  return {};
}

Result<void> BlockTimer::make_events(size_t pairs) {
  while (events_.size() < 2 * pairs) {
    cudaEvent_t event = nullptr;
    RIDGE_CUDA_TRY(cudaEventCreate(&event));
    events_.emplace_back(event);
  }
  return {};
}

Result<void> BlockTimer::record(size_t event) {
  RIDGE_CUDA_TRY(cudaEventRecord(events_[event].get(), stream_));
  return {};
}

Result<void> BlockTimer::queue_overhead(std::span<CudaSide* const> sides, Method method,
                                        std::vector<Overhead>* overheads) {
  std::set<NullWork> nulls;
  if (method.graph) {
    for (const CudaSide* side : sides) nulls.insert({side->calls, side->overlaps});
  } else {
    nulls = {{kFewNulls, false}, {kManyNulls, false}};
  }
  size_t event = 0;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    for (const NullWork& null : nulls) {
      RIDGE_TRY_VOID(record(event));
      if (method.graph) {
        RIDGE_CUDA_TRY(cudaGraphLaunch(null_graphs_[null].get(), stream_));
      } else {
        for (int64_t i = 0; i < null.first; ++i) RIDGE_CUDA_TRY(launch_null(stream_));
      }
      RIDGE_TRY_VOID(record(event + 1));
      overheads->push_back({null, event});
      event += 2;
    }
  }
  return {};
}

Result<void> BlockTimer::queue_calls(const CudaSide& side, Method method) {
  if (method.graph) {
    RIDGE_CUDA_TRY(cudaGraphLaunch(side.graph.get(), stream_));
    return {};
  }
  for (int64_t i = 0; i < side.calls; ++i) {
    const Status status = side.kernel->launch(side.launch);
    if (!status.ok()) return to_error(status, *side.kernel);
  }
  return {};
}

Result<void> BlockTimer::queue_slot(const CudaSide& side, Method method, size_t slot,
                                    size_t event) {
  const Range range("sample");
  auto* stamps = static_cast<Stamp*>(stamps_memory_.get()) + 2 * slot;
  if (side.cache == Cache::cold) RIDGE_TRY_VOID(flush());
  RIDGE_CUDA_TRY(launch_stamp(stamps, stream_));
  RIDGE_TRY_VOID(record(event));
  RIDGE_TRY_VOID(queue_calls(side, method));
  RIDGE_TRY_VOID(record(event + 1));
  RIDGE_CUDA_TRY(launch_stamp(stamps + 1, stream_));
  return {};
}

Result<double> BlockTimer::elapsed_ns(size_t event) const {
  float ms = 0;
  RIDGE_CUDA_TRY(cudaEventElapsedTime(&ms, events_[event].get(), events_[event + 1].get()));
  return static_cast<double>(ms) * 1e6;
}

Result<double> BlockTimer::overhead_ns(const std::vector<Overhead>& overheads, Method method,
                                       const CudaSide& side) const {
  std::map<NullWork, std::vector<double>> times;
  for (const Overhead& overhead : overheads) {
    RIDGE_TRY(const double ns, elapsed_ns(overhead.event));
    times[overhead.null].push_back(ns);
  }
  if (method.graph) return stats::median(times[{side.calls, side.overlaps}]);
  const double few = stats::median(times[{kFewNulls, false}]),
               many = stats::median(times[{kManyNulls, false}]);
  return few - kFewNulls * (many - few) / (kManyNulls - kFewNulls);
}

void BlockTimer::add_clock(const Stamp& first, const Stamp& second, Sample* sample) {
  if (first.sm != second.sm) {
    sample->flags.push_back("clock_mismatch");
    return;
  }
  const double span_ns = static_cast<double>(second.time_ns - first.time_ns);
  if (second.time_ns <= first.time_ns || span_ns < kMinClockSpanNs) return;
  sample->sm_clock_hz =
      rounded(static_cast<double>(second.cycles - first.cycles) / span_ns * 1e9, 1e3);
}

Result<std::vector<Sample>> BlockTimer::time(std::span<CudaSide* const> sides,
                                             std::span<const uint8_t> order) {
  std::vector<Sample> samples(order.size());
  if (order.empty()) return samples;
  const Method method = method_for(sides);
  RIDGE_TRY_VOID(make_ready(sides, order, method));

  std::vector<Overhead> overheads;
  ++ticket_;
  {
    OpenGate gate(this, method.gated);
    if (method.gated) RIDGE_CUDA_TRY(launch_gate(flags_device_, ticket_, kGateTimeoutNs, stream_));
    if (method.gated) RIDGE_TRY_VOID(queue_overhead(sides, method, &overheads));
    const CudaSide& first = *sides[order[0]];
    const bool lead = first.call_ns * static_cast<double>(first.calls) < kLeadBelowNs;
    for (int i = 0; lead && i < kLeads; ++i) RIDGE_TRY_VOID(queue_calls(first, method));
    for (size_t i = 0; i < order.size(); ++i)
      RIDGE_TRY_VOID(queue_slot(*sides[order[i]], method, i, 2 * (overheads.size() + i)));
    gate.now();
  }
  RIDGE_CUDA_TRY(cudaStreamSynchronize(stream_));

  std::vector<Stamp> stamps(2 * order.size());
  RIDGE_CUDA_TRY(cudaMemcpy(stamps.data(), stamps_memory_.get(), stamps.size() * sizeof(Stamp),
                            cudaMemcpyDeviceToHost));
  for (size_t i = 0; i < order.size(); ++i) {
    const CudaSide& side = *sides[order[i]];
    Sample& sample = samples[i];
    RIDGE_TRY(const double raw_ns, elapsed_ns(2 * (overheads.size() + i)));
    double net_ns = raw_ns;
    if (method.gated) {
      RIDGE_TRY(const double overhead, overhead_ns(overheads, method, side));
      net_ns -= overhead;
    }
    if (!method.gated) sample.flags.push_back("ungated");
    if (method.gated && flags_->timed_out == ticket_) sample.flags.push_back("gate_timeout");
    if (!(net_ns > 0)) sample.flags.push_back("below_resolution");
    if (side.cache == Cache::cold && side.call_ns < kCoarseBelowNs)
      sample.flags.push_back("coarse");
    sample.index = static_cast<int64_t>(i);
    sample.calls = side.calls;
    sample.t_ns = rounded((net_ns > 0 ? net_ns : raw_ns) / static_cast<double>(side.calls), 1e-3);
    add_clock(stamps[2 * i], stamps[2 * i + 1], &sample);
  }
  return samples;
}

Result<int64_t> BlockTimer::calls_at_once(CudaSide* side) {
  const bool is_short = side->can_gate && side->call_ns < kGraphBelowNs;
  if (!side->graph && is_short && side->cache == Cache::hot) {
    RIDGE_TRY(side->graph, ready_graph(*side, side->calls, stream_));
  }
  return side->graph ? side->calls : 1;
}

Result<void> BlockTimer::queue_some(const CudaSide& side) {
  if (side.graph) {
    RIDGE_CUDA_TRY(cudaGraphLaunch(side.graph.get(), stream_));
    return {};
  }
  const Status status = side.kernel->launch(side.launch);
  return status.ok() ? Result<void>() : to_error(status, *side.kernel);
}

/// Of chunks between events and stamps 0, 1 ... `chunks`, all completed.
Result<std::vector<Sample>> BlockTimer::chunk_samples(size_t chunks, int64_t calls) {
  std::vector<Stamp> stamps(chunks + 1);
  RIDGE_CUDA_TRY(cudaMemcpy(stamps.data(), stamps_memory_.get(), stamps.size() * sizeof(Stamp),
                            cudaMemcpyDeviceToHost));
  std::vector<Sample> samples(chunks);
  for (size_t i = 0; i < chunks; ++i) {
    RIDGE_TRY(const double ns, elapsed_ns(i));
    samples[i].index = static_cast<int64_t>(i);
    samples[i].calls = calls;
    samples[i].t_ns = rounded(ns / static_cast<double>(calls), 1e-3);
    add_clock(stamps[i], stamps[i + 1], &samples[i]);
  }
  return samples;
}

Result<std::vector<Sample>> BlockTimer::sustain(CudaSide* side, double seconds) {
  using Clock = std::chrono::steady_clock;
  RIDGE_TRY(const int64_t at_once, calls_at_once(side));
  const double launch_ns = std::max(side->call_ns, 100.0) * static_cast<double>(at_once);
  const auto launches = static_cast<int64_t>(std::clamp(kChunkNs / launch_ns, 1.0, 1e4));
  // Where the estimate of a call is too long, chunks are shorter and there are more of them, to a point.
  const auto most = static_cast<size_t>(seconds * 1e9 / kChunkNs * 4) + 4;
  RIDGE_TRY_VOID(make_events(most / 2 + 1));
  RIDGE_TRY_VOID(make_stamps(most + 1));
  auto* stamps = static_cast<Stamp*>(stamps_memory_.get());
  const auto start = Clock::now();
  RIDGE_CUDA_TRY(launch_stamp(stamps, stream_));
  RIDGE_TRY_VOID(record(0));
  size_t chunks = 0;
  do {
    for (int64_t i = 0; i < launches; ++i) RIDGE_TRY_VOID(queue_some(*side));
    ++chunks;
    RIDGE_CUDA_TRY(launch_stamp(stamps + chunks, stream_));
    RIDGE_TRY_VOID(record(chunks));
    if (chunks >= 2) RIDGE_CUDA_TRY(cudaEventSynchronize(events_[chunks - 1].get()));
  } while (chunks < most && std::chrono::duration<double>(Clock::now() - start).count() < seconds);
  RIDGE_CUDA_TRY(cudaStreamSynchronize(stream_));
  return chunk_samples(chunks, launches * at_once);
}

Result<Sample> BlockTimer::time_by_wall(CudaSide* side, double least_ns) {
  using Clock = std::chrono::steady_clock;
  RIDGE_TRY(const int64_t at_once, calls_at_once(side));
  const double launch_ns = std::max(side->call_ns, 100.0) * static_cast<double>(at_once);
  const auto launches = static_cast<int64_t>(std::max(1.0, std::ceil(least_ns / launch_ns)));
  RIDGE_TRY_VOID(make_stamps(2));
  auto* stamps = static_cast<Stamp*>(stamps_memory_.get());
  RIDGE_CUDA_TRY(launch_stamp(stamps, stream_));
  RIDGE_CUDA_TRY(cudaStreamSynchronize(stream_));
  const auto start = Clock::now();
  for (int64_t i = 0; i < launches; ++i) RIDGE_TRY_VOID(queue_some(*side));
  RIDGE_CUDA_TRY(cudaStreamSynchronize(stream_));
  const double ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
  RIDGE_CUDA_TRY(launch_stamp(stamps + 1, stream_));
  Stamp both[2];
  RIDGE_CUDA_TRY(cudaMemcpyAsync(both, stamps, sizeof both, cudaMemcpyDeviceToHost, stream_));
  RIDGE_CUDA_TRY(cudaStreamSynchronize(stream_));
  Sample sample;
  sample.calls = launches * at_once;
  sample.t_ns = ns / static_cast<double>(sample.calls);
  sample.flags.push_back("ungated");
  add_clock(both[0], both[1], &sample);
  return sample;
}

}  // namespace ridge::measure
