// Times one block of slots on a stream. The rules, and the numbers behind them (one H200):
//
// - The stream is held by a gate kernel until the whole block is queued, so that no launch latency
//   of the host shows. A launch call blocks after 1021 queued commands: a block stays under 900.
//   The gate gives up after kGateTimeoutNs on its own; samples are then flagged "gate_timeout".
// - Not gated ("ungated" on every sample, nothing subtracted, 4.5 us +- 1.7 included): kernels that
//   synchronise or cannot be captured, and a GPU with a display, whose watchdog ends long kernels.
// - Two lead launches come before the first timed slot: the first call after idle is slower. Not
//   where a sample lasts 10 ms or more.
// - Two ways to time, one for all sides of a block, so that a comparison never mixes them:
//     events  event, calls, event. A gated event pair adds a constant (2.7 us, sd 0.05). It is
//             measured in every block from null kernels: the line through 1 and 9 of them, at zero.
//     graph   where a call of any side is under kGraphBelowNs: the sample's calls are one CUDA
//             graph, and the time of a graph of as many null kernels, measured in the same block, is
//             subtracted: the events' constant and 0.5-0.7 us a node. (Launched one by one, calls of
//             25 us came out 5 % longer than in a graph, of 100 us 1 %.) Where a kernel's calls
//             overlap by programmatic dependent launch, so do the null graph's: of plain null
//             kernels a gap would be subtracted that such calls do not have.
//   Nothing else is subtracted. A sample that comes out at zero or less keeps its raw time and is
//   flagged "below_resolution".
// - One-block stamp kernels before and after each slot read cycles and time on one SM: their
//   quotient is the mean SM clock of the sample. Different SMs: flag "clock_mismatch", no clock.
// - Cold: the L2 is flushed by reading twice its size before every single call. Events step by
//   32 ns, so under kCoarseBelowNs such a sample is flagged "coarse".
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "common/harness/measure/cuda/handles.h"
#include "common/harness/measure/cuda/harness_kernels.h"
#include "common/harness/measure/device.h"

namespace ridge::measure {

/// Least length of a sample. What one costs beside its calls, 3 us where the pipeline fills and drains, is then 0.15 %,
/// and about the same share on all sides of a comparison.
inline constexpr double kSampleNs = 2e6;
inline constexpr double kGraphBelowNs = 200e3;  ///< a call shorter than this is timed in a graph
inline constexpr double kCoarseBelowNs = 20e3;  ///< a single call, cold
inline constexpr uint64_t kGateTimeoutNs = 100'000'000;

struct CudaSide final : Side {
  double call_ns = 0;         ///< the caller's estimate
  int commands_per_call = 1;  ///< what one launch() queues
  bool can_gate = false;      ///< may be captured, and queued without synchronising
  bool overlaps = false;      ///< a call starts while the one before it ends (programmatic launch)
  OwnedGraphExec graph;       ///< `calls` calls; made when a block first needs it
};

class BlockTimer {
 public:
  /// `may_gate` false: a display hangs on this GPU.
  static Result<std::unique_ptr<BlockTimer>> make(cudaStream_t stream, int device, bool may_gate);

  /// Fills in can_gate, commands_per_call and calls, and refines a short call_ns. One ungated call
  /// must have run before.
  Result<void> plan(CudaSide* side);
  int slots_per_block(std::span<CudaSide* const> sides) const;
  Result<std::vector<Sample>> time(std::span<CudaSide* const> sides,
                                   std::span<const uint8_t> order);
  /// Device::sustain(): chunks of about kChunkNs, two of them queued at any time.
  Result<std::vector<Sample>> sustain(CudaSide* side, double seconds);
  /// Calls of at least `least_ns` between two synchronisations, by the host's clock, flagged "ungated".
  Result<Sample> time_by_wall(CudaSide* side, double least_ns);
  /// Enqueues the cold-cache flush.
  Result<void> flush();

 private:
  struct Method {
    bool gated = false, graph = false;
  };
  /// Null kernels in a row, and whether each starts while the one before it ends.
  using NullWork = std::pair<int64_t, bool>;
  struct Overhead {  ///< the events around null work, for the subtraction of one block
    NullWork null;
    size_t event = 0;
  };
  class OpenGate;

  BlockTimer(cudaStream_t stream, bool may_gate) : stream_(stream), may_gate_(may_gate) {}
  Method method_for(std::span<CudaSide* const> sides) const;
  static int slot_commands(const CudaSide& side, Method method);
  Result<void> make_ready(std::span<CudaSide* const> sides, std::span<const uint8_t> order,
                          Method method);
  Result<void> queue_overhead(std::span<CudaSide* const> sides, Method method,
                              std::vector<Overhead>* overheads);
  Result<void> queue_calls(const CudaSide& side, Method method);
  Result<void> queue_slot(const CudaSide& side, Method method, size_t slot, size_t event);
  Result<double> graph_call_ns(const CudaSide& side);
  Result<void> make_events(size_t pairs);
  Result<void> make_stamps(size_t count);
  /// Calls that one queue_some() makes: a graph's, where such calls are timed in one.
  Result<int64_t> calls_at_once(CudaSide* side);
  Result<void> queue_some(const CudaSide& side);
  Result<std::vector<Sample>> chunk_samples(size_t chunks, int64_t calls);
  Result<void> record(size_t event);
  Result<double> elapsed_ns(size_t event) const;
  Result<double> overhead_ns(const std::vector<Overhead>& overheads, Method method,
                             const CudaSide& side) const;
  static void add_clock(const Stamp& first, const Stamp& second, Sample* sample);

  cudaStream_t stream_;
  bool may_gate_;
  uint32_t ticket_ = 0;
  HostMemory flags_memory_;
  GateFlags* flags_ = nullptr;         ///< the host's address of it
  GateFlags* flags_device_ = nullptr;  ///< the device's
  std::vector<OwnedEvent> events_;
  DeviceMemory stamps_memory_, flush_memory_, flush_sink_;
  size_t stamps_capacity_ = 0, flush_bytes_ = 0;
  std::map<NullWork, OwnedGraphExec> null_graphs_;
};

}  // namespace ridge::measure
