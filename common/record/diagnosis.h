// What holds a rung back, by the evidence of its own run: shares of measured ceilings, shares of its
// time, hardware counters. A pure function, so that window, report and JSON say the same.
//
// Sources of the method: the roofline (Williams, Waterman, Patterson 2009) for compute and memory;
// Nsight Compute's rule that a kernel below 60 % of both is short of parallel work, not of units.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/record/types.h"

namespace ridge {

class Run;
struct Serving;

enum class Bottleneck {
  not_sure,
  compute,
  memory_bandwidth,
  latency,  ///< dependences, cache misses, too few warps or blocks: no unit is near its limit
  launch_overhead,  ///< of a GPU launch, or of a CPU call
  host_copy,        ///< between host and device
  input_pipeline,
  synchronisation,
  activation_memory,
  collectives,
  inference_queue
};

/// "memory bandwidth", "not sure".
const char* to_string(Bottleneck bottleneck);
/// What usually helps on this backend, one phrase; empty for not_sure.
const char* lever_of(Bottleneck bottleneck, const OpenEnum<Backend>& backend);

/// What a diagnosis rests on.
enum class Basis {
  measured,   ///< a share that counts: of a ceiling, of a call's time, of memory
  exclusion,  ///< everything that was measured is far from its limit
  construction  ///< the rung is made so (common/record/bottleneck_map.h), and nothing measured speaks against it
};
/// "measured", "by exclusion", "by construction".
const char* to_string(Basis basis);

/// How a series begins to say that no counters were read because nobody asked for them.
inline constexpr const char* kCountersNotAskedFor = "not asked for";

/// What was not read and would tell: `to_do` asks for it, in the words of a command line.
enum class Unread { nothing, counters, ceilings_and_counters };

struct Diagnosis {
  Bottleneck bottleneck = Bottleneck::not_sure;
  std::string reason;   ///< not sure: why; else what it rests on, or empty
  std::string to_do{};  ///< not sure: what would tell, a sentence without its full stop
  Unread unread = Unread::nothing;
  std::vector<Utilization> evidence;  ///< what was looked at, the telling one first; all measured
  Basis basis = {};                   ///< of the bottleneck; without meaning for not_sure
  /// Of latency: its grid leaves SMs without a block, which the first evidence counts.
  bool leaves_sms_idle = false;
  /// Of a training: most of its memory holds activations, which bound its batch, whatever bounds the time of a step.
  bool activations_fill_memory = false;
  /// "its clock was held down to 1317 of 1980 MHz (power cap)": power is the limit of the whole chip, whatever unit comes
  /// next. Empty: the run does not show it.
  std::string held_down{};
};
/// Whether this cause is the diagnosis, of the time or of the memory.
bool binds(const Diagnosis& diagnosis, Bottleneck cause);

/// Absent where the series has no speed (it failed, was not checked, is not finished).
///
/// A kernel: each of {share of a single call that is launch, of a call that copies to or from the
/// host, of its threads' time that they wait} counts from 0.5, 0.5, 0.3; a ceiling from 0.6. One
/// that counts is the bottleneck, or the strongest where it leads by 0.1. None, and a grid that leaves 0.3 of the GPU's SMs
/// without a block: latency, and what is not the kernel's of a single call does not count there. None, and every ceiling
/// below 0.4: latency, on a CPU only if its instructions were counted, on a GPU only if its caches were or its warps are
/// few. Else: not sure.
/// A pipeline: what its pace comes near to (0.8 of it): a stage alone, all CPU work over the cores, or its
/// stages one after the other; where they were not measured alone, its busiest stage. By the stage's name
/// (common/harness/kernel/pipeline.h).
/// A training: the shares it observes itself (common/harness/kernel/training.h), and its ceiling. Activations are
/// a share of memory and the others are of time, so they do not compete: activation memory is the bottleneck where
/// nothing of the time is settled.
///
/// `environment`: hot data that fits into the last-level cache says nothing of DRAM.
std::optional<Diagnosis> diagnose(const Series& series, const std::vector<Ceiling>& ceilings,
                                  const std::optional<Environment>& environment);

/// The same of a result of this run, and whether power held its clock down.
std::optional<Diagnosis> diagnose(const Series& series, const Run& run);
/// What usually helps: against the power cap, with Tensor Cores in use, else as of the bottleneck.
std::string lever_of(const Diagnosis& diagnosis, const OpenEnum<Backend>& backend);

/// A queue of requests, at the lowest load at which it binds: a step runs for 0.8 of the time at least, and a request
/// waits longer for its first step than it is served. Not sure where no load that was tried is of that kind; then the
/// reason says how busy the machine was at most. Loads without an end (offline) are no evidence: there all requests
/// wait from the start.
Diagnosis diagnose(const Serving& serving);

/// What binds, in words; of bandwidth whose: "L1 bandwidth" where that counter is the telling one, "memory bandwidth"; of
/// latency for want of blocks: "idle SMs".
/// Where power held the clock down: "power, then compute". Where activations fill the memory as well: "compute (of the batch: activation memory)".
std::string bottleneck_text(const Diagnosis& diagnosis);
/// "Power limits it first: its clock was held down to 1317 of 1980 MHz (power cap). "; empty where it was not held down.
std::string power_sentence(const Diagnosis& diagnosis);
/// Of one that is not sure, what is missing and what to do: "What limits it is not known yet: its caches were not looked
/// at. Switch hardware counters on (--counters) and run it again."
std::string open_sentences(const Diagnosis& diagnosis);
/// The same with another sentence in place of `to_do`, where that cannot be done.
std::string open_sentences(const Diagnosis& diagnosis, const std::string& to_do);
/// The same beside a text that names what limits it: "This run does not confirm that: its caches were not looked at. ..."
std::string unconfirmed_sentences(const Diagnosis& diagnosis, const std::string& to_do);
/// "97 % of FMA fp32, 1 thread; 3 % of DRAM read, 1 thread", at most `most` of them.
std::string evidence_text(const Diagnosis& diagnosis, size_t most = 3);
/// "tile_kernel: 168 registers, 48 KiB shared, no spills, 132 x 1 x 1 blocks of 384, occupancy 19 %".
std::string describe(const DeviceKernel& kernel);
/// "87.3 %", "1.2 M", "2.91 per cycle".
std::string format_counter(const Counter& counter);
/// Whether a span says what a buffer held, rather than what somebody did: its stage names a buffer.
bool is_buffer_state(const Span& span);
/// What a stage of this name does: "decode" feeds, "all_reduce" communicates ...; not_sure: unknown.
Bottleneck stage_kind(const std::string& stage);

/// For a rung and its bottleneck, the later rung of its lab that pulls the lever.
using Levers = std::map<std::pair<std::string, Bottleneck>, std::string>;
/// Kernel id; empty where the lab names none.
std::string lever_rung(const Levers& levers, const std::string& kernel, const Diagnosis& diagnosis);

}  // namespace ridge
