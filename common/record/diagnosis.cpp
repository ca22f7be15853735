#include "common/record/diagnosis.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "common/core/format.h"
#include "common/record/bottleneck_map.h"
#include "common/record/derive.h"
#include "common/record/params.h"
#include "common/record/pipeline_model.h"
#include "common/record/run.h"
#include "common/record/serving.h"
#include "common/stats/stats.h"

namespace ridge {
namespace {

/// A share below this is far from its limit; two that differ by less than the lead are as likely.
constexpr double kFar = 0.4, kLead = 0.1;
/// Launches and nodes that would take longer than the call did were not what it paid for.
constexpr double kMostLaunches = 1.1;
/// Of evidence that is shown and does not decide.
constexpr double kNever = INFINITY;

struct Signal {
  Bottleneck kind;
  Utilization share;
  double counts_from;
  bool counts() const { return share.value >= counts_from; }
  bool is_ceiling() const {
    return kind == Bottleneck::compute || kind == Bottleneck::memory_bandwidth;
  }
};
using Signals = std::vector<Signal>;

void add(Signals* signals, Bottleneck kind, const std::string& name, double value,
         const char* source, double counts_from) {
  // A share just below 0 is noise about none.
  if (std::isfinite(value)) {
    signals->push_back({kind, {name, std::max(0.0, value), source}, counts_from});
  }
}

// ---- kernels -------------------------------------------------------------------------------------

/// What the profiler calls how busy a unit is, in Nsight Compute's names.
struct BusyCounter {
  const char* start;
  const char* name;
  Bottleneck kind;
};
constexpr BusyCounter kBusyCounters[] = {
    {"sm__pipe_tensor_cycles_active", "tensor pipe", Bottleneck::compute},
    {"sm__pipe_fma_cycles_active", "FMA pipe", Bottleneck::compute},
    {"gpu__dram_throughput", "DRAM throughput", Bottleneck::memory_bandwidth},
    {"lts__throughput", "L2 throughput", Bottleneck::memory_bandwidth},
    {"l1tex__throughput", "L1 throughput", Bottleneck::memory_bandwidth},
};

/// Whether the counted range holds time in which the kernel did not run: by its rate the Tensor Cores that it uses did
/// clearly more than the pipe's counter allows. Then no counter of that range is evidence. A counter is of cycles, and the
/// ceiling may have run at two thirds of the rung's clock: a counter that is a little below says nothing.
bool has_idle_counters(const Series& series, const Derived& derived) {
  constexpr double kBelow = 0.65, kUsed = 0.05;
  const bool can_tell = derived.compute && derived.compute->name.starts_with("tensor") &&
                        derived.compute->value >= kFar;
  if (!can_tell) return false;
  return std::any_of(series.counters.begin(), series.counters.end(), [&](const Counter& counter) {
    return counter.unit == "%" && counter.name.starts_with(kBusyCounters[0].start) &&
           counter.value / 100 >= kUsed && counter.value / 100 < kBelow * derived.compute->value;
  });
}

constexpr const char* kIdleCounters = "its counters are of a range with idle time: not used";

void add_counters(const Series& series, Signals* signals) {
  for (const Counter& counter : series.counters) {
    for (const BusyCounter& known : kBusyCounters) {
      if (counter.unit != "%" || counter.name.rfind(known.start, 0) != 0) continue;
      add(signals, known.kind, known.name, counter.value / 100, "counters", binds_from::kCeiling);
    }
  }
}

void add_ceilings(const Derived& derived, bool cached, Signals* signals) {
  const auto take = [&](Bottleneck kind, const std::optional<Utilization>& share) {
    if (share && std::isfinite(share->value))
      signals->push_back({kind, *share, binds_from::kCeiling});
  };
  take(Bottleneck::compute, derived.compute);
  if (const WorkRate* exp = derived.rate_of("exp")) take(Bottleneck::compute, exp->share);
  if (!cached) take(Bottleneck::memory_bandwidth, derived.bandwidth);
}

/// The part of its threads' time in which a CPU rung did not run; absent without its samples.
std::optional<double> waiting_share(const Series& series) {
  const double threads = std::max<double>(1, double(param_int(series.params, "threads", 1)));
  std::vector<double> shares;
  for (const Sample& sample : series.samples) {
    if (sample.t_ns > 0 && sample.cpu_ns > 0) {
      shares.push_back(1 - sample.cpu_ns / (sample.t_ns * threads));
    }
  }
  if (shares.empty()) return std::nullopt;
  return stats::median(shares);
}

bool has_flag(const Series& series, const char* flag) {
  const auto& flags = series.stats->flags;
  return std::find(flags.begin(), flags.end(), flag) != flags.end();
}

/// With the host's part in its time, a call takes as long as its launches at least; one that does not has
/// replayed a graph, whose nodes have their cost as well.
void add_launches(const Series& series, const std::vector<Ceiling>& ceilings, Signals* signals) {
  if (!series.resources || !has_flag(series, "ungated")) return;
  double launches = 0;
  for (const DeviceKernel& kernel : series.resources->kernels) launches += kernel.launches;
  for (const char* resource : {"launch", "graph_node"}) {
    const Ceiling* cost = find_ceiling(ceilings, Backend::cuda, resource, "", 0);
    if (cost == nullptr) continue;
    const double share = launches * cost->value * 1e9 / series.stats->median_ns;
    if (!(share <= kMostLaunches)) continue;
    add(signals, Bottleneck::launch_overhead,
        "its time in " + std::to_string(int(launches)) + " x " + cost->name, std::min(share, 1.0),
        "derived", binds_from::kTime);
    return;
  }
}

/// Of a GPU's SMs, how many a grid leaves without a block: they idle for the whole of the call.
struct IdleSms {
  int64_t blocks = 0;  ///< of the largest grid
  int sms = 0;
  double filled() const { return std::min(1.0, double(blocks) / sms); }
  bool counts() const { return 1 - filled() >= binds_from::kWaiting; }
};

/// Absent where blocks or SMs are not known, several launches of the host may run at the same time, or one block alone runs:
/// such a rung asks what a single SM does.
std::optional<IdleSms> idle_sms(const Series& series,
                                const std::optional<Environment>& environment) {
  if (!series.resources || !environment || environment->gpus.empty()) return std::nullopt;
  IdleSms idle{.sms = environment->gpus.front().sm_count};
  int launches = 0;
  for (const DeviceKernel& kernel : series.resources->kernels) {
    int64_t blocks = kernel.grid.empty() ? 0 : 1;
    for (const int64_t size : kernel.grid) blocks *= size;
    idle.blocks = std::max(idle.blocks, blocks);
    launches += kernel.launches;
  }
  if (idle.blocks < 2 || idle.sms < 1 || (launches > 1 && has_flag(series, "ungated")))
    return std::nullopt;
  return idle;
}

Signals kernel_signals(const Series& series, const Derived& derived,
                       const std::vector<Ceiling>& ceilings, bool cached, bool leaves_sms_idle) {
  Signals signals;
  add_ceilings(derived, cached, &signals);
  if (!has_idle_counters(series, derived)) add_counters(series, &signals);
  add_launches(series, ceilings, &signals);
  const double t_ns = series.stats->median_ns;
  // Somebody else's work takes the core away just as a launch or waiting does.
  const bool alone = backend_of(series.kernel) != Backend::cpu || !has_flag(series, "contended");
  if (alone && series.latency && series.latency->p50_ns && *series.latency->p50_ns > 0) {
    // The launch is no part of the kernel's own time, which is what SMs without a block make long.
    add(&signals, Bottleneck::launch_overhead, "a single call's time that is not the kernel's",
        1 - t_ns / *series.latency->p50_ns, "derived",
        leaves_sms_idle ? kNever : binds_from::kTime);
  }
  if (series.resources && series.resources->host_copy_ns) {
    add(&signals, Bottleneck::host_copy, "its time in copies between host and device",
        *series.resources->host_copy_ns / t_ns, "derived", binds_from::kTime);
  }
  const auto waiting = waiting_share(series);
  if (alone && waiting) {
    add(&signals, Bottleneck::synchronisation, "its threads' time spent waiting", *waiting,
        "telemetry", binds_from::kWaiting);
  }
  return signals;
}

/// No unit is near its limit, and of one at least we know: something else takes the time.
bool all_far(const Signals& signals) {
  bool known = false;
  for (const Signal& signal : signals) {
    if (!signal.is_ceiling()) continue;
    known = true;
    if (!(signal.share.value < kFar)) return false;
  }
  return known;
}

std::optional<double> counter_of(const Series& series, const char* name) {
  for (const Counter& counter : series.counters) {
    if (counter.name == name) return counter.value;
  }
  return std::nullopt;
}

/// Of the warps that the GPU can hold, those that are there at once, of the kernel with the fewest:
/// what latency is hidden with.
std::optional<double> least_occupancy(const Series& series) {
  std::optional<double> least;
  if (!series.resources) return least;
  for (const DeviceKernel& kernel : series.resources->kernels) {
    least = std::min(least.value_or(1), kernel.occupancy * std::min(1.0, kernel.waves));
  }
  return least;
}

constexpr const char* kCountIt = "Switch hardware counters on (--counters) and run it again";
constexpr const char* kReadIt = "Read its loop in its source or assembly";
constexpr const char* kCeilingsAgain = "Measure the ceilings again while nothing else runs";

void ask_for_counters(Diagnosis* diagnosis) {
  diagnosis->to_do = kCountIt;
  diagnosis->unread = Unread::counters;
}

/// " (the kernel does not allow it)"; empty: it was not asked to.
std::string why_not_counted(const Series& series) {
  const auto why = series.unavailable.find("counters");
  return why == series.unavailable.end() ? "" : " (" + why->second + ")";
}

/// Everything that was looked at is far from its limit. Whether that means waiting depends on what
/// was looked at: FLOP and DRAM alone say nothing of caches and of other instructions.
void judge_latency(const Series& series, Diagnosis* diagnosis) {
  const auto occupancy = least_occupancy(series);
  if (occupancy) {
    diagnosis->evidence.push_back({"the warps that the GPU can hold", *occupancy, "derived"});
  }
  if (backend_of(series.kernel) == Backend::cpu) {
    const auto ipc = counter_of(series, "ipc");
    if (!ipc) {
      diagnosis->reason =
          "it is far below each ceiling that was measured. Instructions per cycle, which tell "
          "waiting from narrow instructions, were not counted" +
          why_not_counted(series);
      if (why_not_counted(series).empty())
        ask_for_counters(diagnosis);
      else
        diagnosis->to_do =
            kReadIt + std::string(": operations that wait for each other are latency");
      return;
    }
    if (*ipc >= binds_from::kIpc) {
      diagnosis->reason = "it issues " + format_number(*ipc) +
                          " instructions a cycle, few of them counted as FLOP: narrow instructions "
                          "or overhead";
      diagnosis->to_do =
          kReadIt + std::string(": what it issues beside the counted operations takes the time");
      return;
    }
  } else if (series.counters.empty() && !(occupancy && *occupancy < binds_from::kWarps)) {
    diagnosis->reason = "its caches were not looked at";
    ask_for_counters(diagnosis);
    return;
  }
  diagnosis->bottleneck = Bottleneck::latency;
  diagnosis->basis = Basis::exclusion;
  diagnosis->reason = "by exclusion, since all that was measured is far from its limit";
}

void judge_idle_sms(const IdleSms& idle, Diagnosis* diagnosis) {
  diagnosis->bottleneck = Bottleneck::latency;
  diagnosis->leaves_sms_idle = true;
  diagnosis->evidence.push_back({"the SMs have a block", idle.filled(), "derived"});
  diagnosis->reason = "its grid is " + std::to_string(idle.blocks) + " blocks for " +
                      std::to_string(idle.sms) + " SMs";
}

/// A rung that is made to be short of one thing, of which nothing measured says otherwise.
bool judge_construction(const Series& series, Diagnosis* diagnosis) {
  const BottleneckEntry* entry = constructed_entry(series.kernel);
  if (!entry) return false;
  diagnosis->bottleneck = entry->cause;
  diagnosis->basis = Basis::construction;
  diagnosis->reason = std::string("by construction, ") + entry->construction +
                      ", and by exclusion, since nothing that was measured is near its limit";
  return true;
}

// ---- pipelines and trainings ---------------------------------------------------------------------

/// Stages that were measured alone, against the pipeline's own pace. What binds by CPU work is of the
/// kind of the stage that has most of it; so is a pipeline whose stages take turns.
Signals model_signals(const Series& series) {
  const PipelineOutcome& model = *series.pipeline;
  const double t_ns = series.stats->median_ns;
  double sum_ns = 0, cpu_ns = 0;
  const StageTime* longest = nullptr;
  const StageTime* busiest = nullptr;
  Signals signals;
  for (const StageTime& stage : model.stages) {
    add(&signals, stage_kind(stage.name), "stage " + stage.name + " alone, of the time per item",
        stage.alone_ns / t_ns, "derived", binds_from::kStage);
    sum_ns += stage.alone_ns;
    cpu_ns += stage.cpu_ns;
    if (!longest || stage.alone_ns > longest->alone_ns) longest = &stage;
    if (!busiest || stage.cpu_ns > busiest->cpu_ns) busiest = &stage;
  }
  if (!longest || model.cores < 1) return signals;
  // Stages that each take all cores add up as well; then it is the cores that bind.
  constexpr double kNoOverlap = 1.1;
  const double cpu_share = cpu_ns / model.cores / t_ns;
  if (sum_ns <= kNoOverlap * t_ns && cpu_share < binds_from::kStage) {
    add(&signals, stage_kind(longest->name),
        "its stages one after the other, longest " + longest->name, sum_ns / t_ns, "derived",
        binds_from::kStage);
  }
  add(&signals, stage_kind(busiest->name),
      "all CPU work over " + std::to_string(model.cores) + " cores, most of it " + busiest->name,
      cpu_share, "derived", binds_from::kStage);
  return signals;
}

struct Stage {
  double sum_ns = 0;
  int64_t items = 0;
  std::set<int> workers;
};

/// A stage's busy share: span per item x items over its workers' time. Only so many spans of a window
/// are kept, hence not simply their sum.
Signals pipeline_signals(const Series& series) {
  if (series.pipeline) return model_signals(series);
  std::map<std::string, Stage> stages;
  double life_ns = 0;
  for (const Span& span : series.spans) {
    if (is_buffer_state(span)) continue;
    Stage& stage = stages[span.stage];
    stage.sum_ns += span.end_ns - span.start_ns;
    stage.workers.insert(span.worker);
    stage.items += span.items;
    life_ns += span.end_ns - span.start_ns;
  }
  double items = 0, total_ns = 0;
  for (const Sample& window : series.samples) {
    items += double(window.calls);
    total_ns += window.t_ns * double(window.calls);
  }
  Signals signals;
  for (const auto& [name, stage] : stages) {
    const Bottleneck kind = stage_kind(name);
    if (kind == Bottleneck::inference_queue) {
      add(&signals, kind, "an item's life spent in " + name, stage.sum_ns / life_ns, "telemetry",
          binds_from::kQueue);
      continue;
    }
    const double mean_ns = stage.sum_ns / double(std::max<int64_t>(stage.items, 1));
    add(&signals, kind, "stage " + name + "'s time busy",
        mean_ns * items / (double(stage.workers.size()) * total_ns), "telemetry",
        binds_from::kStage);
  }
  // A queue is long because the stage behind it is busy: that is no second cause.
  const bool queued = std::any_of(signals.begin(), signals.end(), [](const Signal& signal) {
    return signal.kind == Bottleneck::inference_queue && signal.counts();
  });
  if (queued) {
    std::erase_if(signals, [](const Signal& s) { return s.kind == Bottleneck::compute; });
  }
  return signals;
}

struct ObservedShare {
  const char* name;
  const char* text;
  Bottleneck kind;
};
constexpr ObservedShare kObserved[] = {
    {"input_share", "a step's time spent waiting for input", Bottleneck::input_pipeline},
    {"copy_share", "a step's time in copies between host and device", Bottleneck::host_copy},
    {"wait_share", "a step's time spent waiting for other threads", Bottleneck::synchronisation},
    {"collective_share", "a step's time in collectives", Bottleneck::collectives},
    {"activation_share", "its memory, in activations", Bottleneck::activation_memory},
};

Signals training_signals(const Series& series, const Derived& derived) {
  Signals signals;
  add_ceilings(derived, true, &signals);
  for (const ObservedShare& share : kObserved) {
    std::vector<double> values;
    for (const CurvePoint& point : series.curve) {
      const auto found = point.values.find(share.name);
      if (found != point.values.end()) values.push_back(found->second);
    }
    if (values.empty()) continue;
    add(&signals, share.kind, share.text, stats::median(values), "telemetry", binds_from::kTime);
  }
  return signals;
}

// ---- the verdict ---------------------------------------------------------------------------------

std::string split_text(const Signal& first, const Signal& second) {
  return std::string(to_string(first.kind)) + " and " + to_string(second.kind) +
         " are as likely: " + format_share(first.share.value) + " and " +
         format_share(second.share.value);
}

/// `signals` strongest first, those that count before the others. `cached`: its buffers stay in the last cache.
void judge(const Series& series, const Derived& derived, const Signals& signals,
           const std::optional<IdleSms>& idle, bool cached, Diagnosis* diagnosis) {
  // What it does instead of what is counted was not looked at: being far from DRAM says nothing then.
  if (derived.above_compute && (signals.empty() || !signals.front().counts())) {
    diagnosis->reason = derived.no_compute_reason;
    diagnosis->to_do =
        kReadIt + std::string(": it does less than is counted, or computes in other units");
    return;
  }
  const bool is_open = signals.empty() || !signals.front().counts();
  if (derived.above_bandwidth && is_open) {
    diagnosis->reason = derived.no_bandwidth_reason;
    diagnosis->to_do = kCeilingsAgain;
    return;
  }
  if (is_open && judge_construction(series, diagnosis)) return;
  if (const std::string doubt = doubted_ceiling(derived); signals.empty() && !doubt.empty()) {
    diagnosis->reason = doubt;
    diagnosis->to_do = kCeilingsAgain;
    return;
  }
  if (signals.empty()) {
    diagnosis->reason = "no ceiling and no counter that would tell was measured";
    diagnosis->to_do =
        "Run it again with the ceilings of this machine, or with counters (--counters)";
    diagnosis->unread = Unread::ceilings_and_counters;
    return;
  }
  if (const std::string doubt = series.pipeline ? bound_doubt(*series.pipeline) : "";
      !doubt.empty()) {
    diagnosis->reason = doubt;
    diagnosis->to_do = "Run it again while nothing else runs";
    return;
  }
  const Signal& first = signals.front();
  if (!first.counts()) {
    if (idle && idle->counts()) {
      judge_idle_sms(*idle, diagnosis);
    } else if (!cached && derived.doubted_bandwidth.value_or(0) >= kFar) {
      diagnosis->reason = derived.no_bandwidth_reason;  // far from what is known, not from memory
      diagnosis->to_do = kCeilingsAgain;
    } else if (series.kind == RungKind::kernel && all_far(signals)) {
      judge_latency(series, diagnosis);
    } else {
      diagnosis->reason = "nothing is near its limit, and not everything is far below it";
      diagnosis->to_do = "Run it at other sizes: what comes near its limit first is what limits it";
    }
    return;
  }
  for (const Signal& other : signals) {
    if (other.kind == first.kind || !other.counts()) continue;
    if (first.share.value - other.share.value >= kLead) continue;
    diagnosis->reason = split_text(first, other);
    diagnosis->to_do = "Relieve one of the two and compare in turns: what helps is what limits it";
    return;
  }
  if (first.kind == Bottleneck::not_sure) {
    diagnosis->reason = "what " + first.share.name + " means is not known";
    diagnosis->to_do = "Name the stage for what it does: read, decode, copy or compute";
    return;
  }
  diagnosis->bottleneck = first.kind;
}

/// Those that take turns with each other: a share of memory is none of a step's time.
Signals of_time(Signals signals) {
  std::erase_if(signals, [](const Signal& s) { return s.kind == Bottleneck::activation_memory; });
  return signals;
}

/// What fills a training's memory. It is the bottleneck where none of the time is settled.
void add_memory(const Signals& signals, Diagnosis* diagnosis) {
  for (const Signal& signal : signals)
    diagnosis->activations_fill_memory |=
        signal.kind == Bottleneck::activation_memory && signal.counts();
  if (!diagnosis->activations_fill_memory || diagnosis->bottleneck != Bottleneck::not_sure) return;
  diagnosis->bottleneck = Bottleneck::activation_memory;
  diagnosis->reason = "of the batch; what bounds the time of a step is not settled";
}

}  // namespace

std::optional<Diagnosis> diagnose(const Series& series, const std::vector<Ceiling>& ceilings,
                                  const std::optional<Environment>& environment) {
  if (series.status != SeriesStatus::ok || !series.quality_passed() || !series.stats ||
      !(series.stats->median_ns > 0) || series.kind == RungKind::command) {
    return std::nullopt;  // of a command nothing is counted
  }
  const Derived derived = derive(series, ceilings, environment);
  const auto idle = series.kind == RungKind::kernel ? idle_sms(series, environment) : std::nullopt;
  const bool cached = stays_cached(series, environment);
  Signals signals = series.kind == RungKind::pipeline ? pipeline_signals(series)
                    : series.kind == RungKind::training
                        ? training_signals(series, derived)
                        : kernel_signals(series, derived, ceilings, cached, idle && idle->counts());
  std::stable_sort(signals.begin(), signals.end(), [](const Signal& a, const Signal& b) {
    if (a.counts() != b.counts()) return a.counts();
    return a.share.value > b.share.value;
  });
  Diagnosis diagnosis;
  judge(series, derived, of_time(signals), idle, cached, &diagnosis);
  add_memory(signals, &diagnosis);
  if (has_idle_counters(series, derived))
    diagnosis.reason += (diagnosis.reason.empty() ? "" : "; ") + std::string(kIdleCounters);
  // What decided comes first: where it is latency, how far away the ceilings are.
  if (diagnosis.bottleneck == Bottleneck::latency) {
    std::stable_sort(signals.begin(), signals.end(), [](const Signal& a, const Signal& b) {
      return a.is_ceiling() && !b.is_ceiling();
    });
  } else if (diagnosis.bottleneck != Bottleneck::activation_memory) {
    std::stable_partition(signals.begin(), signals.end(), [](const Signal& signal) {
      return signal.kind != Bottleneck::activation_memory;
    });
  }
  std::vector<Utilization> shares;
  for (const Signal& signal : signals) shares.push_back(signal.share);
  const auto others = diagnosis.evidence.begin() + (diagnosis.leaves_sms_idle ? 1 : 0);
  diagnosis.evidence.insert(others, shares.begin(), shares.end());
  return diagnosis;
}

namespace {

constexpr const char* kPowerCap = "power cap";

/// Whether the readings of this run, or a comparison of the rung, name the cap.
bool names_power_cap(const Run& run, const std::string& kernel) {
  const Telemetry& readings = run.telemetry();
  for (size_t i = 0; i < readings.size(); ++i) {
    const auto& held_by = readings.throttle(i);
    if (std::find(held_by.begin(), held_by.end(), kPowerCap) != held_by.end()) return true;
  }
  const auto is_named = [](const std::string& reason) {
    return reason.find(kPowerCap) != std::string::npos;
  };
  return std::any_of(run.comparisons().begin(), run.comparisons().end(),
                     [&](const Comparison& one) {
                       return (one.candidate == kernel || one.baseline == kernel) &&
                              std::any_of(one.reasons.begin(), one.reasons.end(), is_named);
                     });
}

/// Watts of its calls one after the other; 0: its energy was not measured.
double power_w(const Series& series) {
  if (!series.energy_j || !series.stats || !(series.stats->median_ns > 0)) return 0;
  return *series.energy_j / (series.stats->median_ns * 1e-9);
}

/// Whether it draws about as much as anything in this run: else the clock that it ran at was held down by what ran beside it.
bool draws_the_most(const Series& series, const Run& run) {
  constexpr double kNear = 0.9;
  double most_w = 0;
  for (const Series& other : run.series())
    if (backend_of(other.kernel) == Backend::cuda) most_w = std::max(most_w, power_w(other));
  return power_w(series) > 0 && power_w(series) >= kNear * most_w;
}

/// Diagnosis::held_down.
std::string held_down_by_power(const Series& series, const Run& run) {
  constexpr double kFree =
      0.98;  // of the free clock; below it the clock is held down (sustained.h)
  const auto& machine = run.environment();
  if (backend_of(series.kernel) != Backend::cuda || !series.sm_clock_hz || !machine ||
      machine->gpus.empty())
    return "";
  const double free_hz = machine->gpus.front().max_clock_hz;
  if (!(*series.sm_clock_hz < kFree * free_hz) || !names_power_cap(run, series.kernel) ||
      !draws_the_most(series, run))
    return "";
  return "its clock was held down to " + std::to_string(std::lround(*series.sm_clock_hz / 1e6)) +
         " of " + std::to_string(std::lround(free_hz / 1e6)) + " MHz (" + kPowerCap + ")";
}

}  // namespace

std::optional<Diagnosis> diagnose(const Series& series, const Run& run) {
  auto diagnosis = diagnose(series, run.ceilings(), run.environment());
  if (diagnosis) diagnosis->held_down = held_down_by_power(series, run);
  return diagnosis;
}

std::string lever_of(const Diagnosis& diagnosis, const OpenEnum<Backend>& backend) {
  if (!diagnosis.held_down.empty())
    return "less energy for the same work: fewer bytes moved, a narrower type";
  if (diagnosis.leaves_sms_idle)
    return "more blocks: smaller tiles, the inner loop split over blocks, larger problems";
  const bool uses_tensor_cores = diagnosis.bottleneck == Bottleneck::compute &&
                                 !diagnosis.evidence.empty() &&
                                 diagnosis.evidence.front().name.starts_with("tensor");
  if (uses_tensor_cores)
    return "a narrower type; Tensor Cores that wait less: larger tiles, more stages";
  return lever_of(diagnosis.bottleneck, backend);
}

Diagnosis diagnose(const Serving& serving) {
  constexpr double kWaitsLonger = 0.5;  // of a request's time: it waits as long as it is served
  Diagnosis diagnosis;
  double busiest = 0;
  for (const ServePoint& point : serving.points) {
    if (!(point.load_per_s > 0) || !point.wait.mean_s || !point.latency.mean_s) continue;
    busiest = std::max(busiest, point.busy);
    const double waiting = *point.wait.mean_s / *point.latency.mean_s;
    if (!(point.busy >= binds_from::kStage && waiting > kWaitsLonger)) continue;
    const std::string load = format_number(point.load_per_s) + " requests/s";
    diagnosis.bottleneck = Bottleneck::inference_queue;
    diagnosis.reason = "from " + load + " on";
    diagnosis.evidence = {
        {"the time at " + load + " spent in steps", point.busy, "derived"},
        {"a request's mean time spent waiting for its first step", waiting, "derived"}};
    return diagnosis;
  }
  diagnosis.reason =
      "no load that was tried keeps the machine busy and requests waiting: a step "
      "runs for " +
      format_share(busiest) + " of the time at most";
  return diagnosis;
}

std::string lever_rung(const Levers& levers, const std::string& kernel,
                       const Diagnosis& diagnosis) {
  const auto found = levers.find({kernel, diagnosis.bottleneck});
  return found == levers.end() ? "" : found->second;
}

}  // namespace ridge
