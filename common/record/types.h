// The plain data of a run: what the worker measures, the transcript carries, and every chart and
// report shows. Each quantity's name ends in its unit; an absent optional means "unavailable", and
// the owner's `unavailable` map says why. JSON conversions: common/record/json.h.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/core/interval.h"
#include "common/core/rare.h"
#include "common/core/shared_map.h"
#include "common/record/budget.h"
#include "common/record/enums.h"
#include "common/record/samples.h"

namespace ridge {

// ---- parameters ------------------------------------------------------------------------------

using ParamValue = std::variant<int64_t, std::string>;
/// Parameters of one measurement, by name: n, m, k, dtype, threads ... Ordered, so that two equal
/// sets print alike.
using Params = SharedMap<ParamValue>;

/// One parameter that a kernel family accepts; the only place its range is written.
struct ParamSpec {
  std::string name;
  std::string help;        ///< "rows of A and C"
  bool is_choice = false;  ///< true: one of `choices`; false: an integer in [min, max]
  std::vector<std::string> choices;
  int64_t min = 1, max = 1;
  ParamValue fallback;  ///< value when the request does not set it
  std::string same_as;  ///< not set: copies this parameter ("m" copies "n"); "" = none
  bool is_size =
      false;  ///< says how large the problem is: sweeps step it, curves are drawn over it
};

// ---- samples and statistics ------------------------------------------------------------------

/// Summary of time per call (back to back: the inverse of throughput).
struct Stats {
  int n = 0;
  double min_ns = 0, q1_ns = 0, median_ns = 0, q3_ns = 0, max_ns = 0;
  std::optional<Interval> ci_ns;   ///< 95 % interval of the median; absent under 6 samples
  int outliers = 0;                ///< beyond 1.5 interquartile ranges; tagged, never removed
  double noise = 0;                ///< interquartile range / median
  double correlation_samples = 1;  ///< measured integrated correlation time, in samples
  std::vector<std::string> flags;  ///< "noisy", "few_samples", "correlated", "external"
};

/// Summary of single calls, host launch to completion. A percentile is absent where there are too
/// few samples for it (p95 needs 59, p99 needs 299).
struct LatencyStats {
  int n = 0;
  std::optional<double> p50_ns, p90_ns, p95_ns, p99_ns;
};

// ---- quality ---------------------------------------------------------------------------------

/// The outcome of one check of a rung's output. `passed` is computed as !(error <= limit) fails.
/// Where an output that failed its check is wrong: the output as a matrix, and over it a grid of at most
/// kMostCells x kMostCells cells with the largest error in each.
struct ErrorMap {
  static constexpr int64_t kMostCells = 64;
  std::string row_name = "row", column_name = "column";  ///< what a row and a column of it are
  int64_t rows = 0, columns = 0;
  int64_t cell_rows = 0,
          cell_columns =
              0;  ///< of the grid; a cell has ceil(rows / cell_rows) rows, the last fewer
  /// Row by row: the largest |out - ref| of its wrong elements over the root mean square of the reference, to two
  /// digits; 0: none is wrong; -1: a NaN or Inf where the reference has none.
  std::vector<double> cells;
  int64_t wrong = 0;               ///< elements
  int64_t row = 0, column = 0;     ///< of the first one, row by row, from 0
  double value = 0, expected = 0;  ///< there
};

struct QualityCheck {
  std::string what;                 ///< "timed shape", "17x31x7, seed 2"
  double nmse = 0, nmse_limit = 0;  ///< ||out - ref||^2 / ||ref||^2
  double max_abs = 0, max_rel = 0;
  double worst_bound_share = 0;        ///< max |out - ref| / its elementwise bound; must be <= 1
  int64_t nan_count = 0;               ///< NaN or Inf where the reference has none
  int64_t unwritten_count = 0;         ///< elements still holding the poison
  bool guard_ok = true;                ///< guard words on both sides are intact
  int64_t checked = 0;                 ///< elements compared
  SharedMap<double> task;              ///< task metrics ("accuracy"), for labs that train or infer
  bool passed = false;
  std::string reason;  ///< why not, one sentence; empty when passed
  /// Which inputs of a labelled test set were answered right (common/stats/answers.h); empty: its answers were to no
  /// such set in its order.
  std::string right = {};
  Rare<ErrorMap> errors = {};  ///< of a failed check whose output has rows and columns
};

// ---- environment and ceilings ----------------------------------------------------------------

struct CpuInfo {
  std::string model, isa;  ///< isa: "portable", "avx2", "avx512", capped by RIDGE_MAX_ISA
  int cores = 0;           ///< logical cores this process may use
  int64_t l1d_bytes = 0, l2_bytes = 0, l3_bytes = 0, memory_bytes = 0;
  std::string governor;  ///< empty: not readable
};

struct GpuInfo {
  int index = 0;
  std::string name;
  int capability = 0;  ///< 90 for 9.0
  int sm_count = 0;
  int64_t l2_bytes = 0, memory_bytes = 0;
  double max_clock_hz = 0;
  std::string driver, runtime;
};

struct QuietState {
  bool quiet = true;
  std::vector<std::string> reasons;  ///< "load 3.1 on 2 cores", "governor powersave", "on battery"
  bool is_unknown = false;           ///< the program that measured does not say what else ran
};

struct Environment {
  std::string os, time_utc;  ///< "Debian GNU/Linux 12", "2026-11-20T18:00:00Z"
  CpuInfo cpu;
  std::vector<GpuInfo> gpus;
  std::string no_gpu_reason;                                ///< why gpus is empty
  std::string version, commit, compiler, build_type, cuda;  ///< of the worker
  std::map<std::string, std::string> libraries;             ///< "oneDNN": "2.6.3"
  std::string power_source;                                 ///< "mains", "battery", "" unknown
  QuietState quiet;

  /// "NVIDIA H200" when a GPU is there, else the CPU's model.
  std::string machine() const;
};

/// What this machine can do at most, for one resource.
struct Ceiling {
  std::string name;  ///< "FMA fp32, 1 thread", "DRAM read, 2 threads"
  OpenEnum<Backend> backend;
  std::string resource;  ///< "flop", "exp", "logic", "dram_read", "dram_copy", "l2_read" ...
  std::string dtype;     ///< for "flop"; may be empty
  int threads = 0;       ///< CPU only
  double value = 0;
  std::string unit;    ///< "FLOP/s", "B/s", "s"
  std::string source;  ///< "measured" or "datasheet"
  /// Why it cannot be right, given what others reached; empty: it agrees with them. No share is made of it.
  std::string doubt = {};
  int samples = 0;    ///< the value is that of the fastest of them; 0: not recorded
  double median = 0;  ///< of those samples, in `unit`; 0: not recorded
  /// CPUs that other processes used meanwhile, where so many disturb it; 0: the machine was quiet, or it is not recorded.
  double foreign_cpus = 0;
  /// When it was measured, where an earlier worker of this machine did that; empty: this run's own worker measured it.
  std::string kept_utc = {};
  double kept_s = 0;  ///< how old it was when this run took it
  double sm_clock_hz = 0;  ///< of the fastest sample, a GPU's; 0: not recorded
};

// ---- catalogue -------------------------------------------------------------------------------

/// A rung as a worker knows it.
struct KernelInfo {
  std::string id, family;
  OpenEnum<Backend> backend;
  OpenEnum<RungKind> kind;
  std::vector<std::string> dtypes;
  std::string needs;      ///< "avx512f", "sm_90", "" = any machine of that backend
  std::string library;    ///< peers only
  std::string path;       ///< "kernels/gemm/rungs/naive.cpp"
  std::string flags;      ///< from the build line: "-O1"
  std::string hash;       ///< of the source, its kernel headers and flags
  bool external = false;  ///< a library in a process of its own: NumPy, PyTorch
  std::string accuracy;   ///< "componentwise", "row_column", "max_norm"; empty: not known
  bool stamped = false;   ///< there is a copy of it with clock stamps (common/record/lanes.h)
  bool available = false;
  std::string reason;  ///< why not available
  std::vector<ParamSpec> params;
};

struct SourceText {
  std::string kernel, path, text, flags, hash;
};

/// What the compiler made of a rung, as a disassembler shows it, and the loop that does the work:
/// the one that computes most per instruction. Counts are of its instructions as written; one that
/// computes on memory counts as a load too.
struct AssemblyText {
  std::string kernel, tool, target;       ///< target: "x86-64", "sm_90a"
  std::string text;                       ///< at most 48 kB: the loop's surroundings are kept
  int64_t lines = 0;                      ///< of the whole
  int64_t loop_first = 0, loop_last = 0;  ///< lines of `text`, from 1; 0: no loop with arithmetic
  int64_t loop_instructions = 0, loop_fma = 0, loop_arithmetic = 0, loop_loads = 0, loop_stores = 0;
  /// For each line of `text` the line of the rung's file that it was made of, from 1; 0: of none. Empty: not known.
  /// They come from a second compilation with line numbers, whose instructions were compared with these.
  std::vector<int> origins = {};
};

// ---- results ---------------------------------------------------------------------------------

/// A share of a measured ceiling, always labelled with where it comes from.
struct Utilization {
  std::string name;    ///< name of the ceiling, or of the counter
  double value = 0;    ///< 0 to 1
  std::string source;  ///< "counters", "telemetry" or "derived"
  /// The SM clocks of both sides, 0 where not recorded: a share of a ceiling that ran at another clock mixes the two. Series
  /// and ceiling carry them in the transcript.
  double clock_hz = 0, ceiling_clock_hz = 0;
};

/// A kernel that one call launches on a GPU, as the driver tells it to anybody.
struct DeviceKernel {
  std::string name;   ///< demangled, without its parameters
  int launches = 1;   ///< in one call, with this grid and block
  int registers = 0;  ///< a thread
  int64_t shared_static_bytes = 0, shared_dynamic_bytes = 0;  ///< a block
  int64_t spill_bytes = 0;                                    ///< local memory, a thread
  std::vector<int64_t> grid, block;                           ///< x, y, z
  double occupancy = 0;  ///< theoretical: warps that fit on an SM at once over the most it holds
  double waves = 0;      ///< blocks of the grid over those that fit on the whole GPU at once
  bool operator==(const DeviceKernel&) const = default;
};

/// What a call takes of its device, known without any permission.
struct Resources {
  std::vector<DeviceKernel> kernels;   ///< in launch order, equal launches once
  double host_copy_bytes = 0;          ///< copied between host and device in one call
  std::optional<double> host_copy_ns;  ///< those copies alone, timed in a pass of their own
  bool operator==(const Resources&) const = default;
};

/// A hardware counter, read in a pass of its own.
struct Counter {
  std::string name;  ///< perf's or Nsight Compute's: "instructions", "lts__t_sector_hit_rate.pct"
  double value = 0;  ///< of one call; of a share, in per cent
  std::string unit;  ///< "", "%", "B"
  bool operator==(const Counter&) const = default;
};

struct CurvePoint {
  int64_t step = 0;
  double t_s = 0;                        ///< training time so far
  std::map<std::string, double> values;  ///< "loss", "accuracy", "grad_norm"
};

/// One stage of one item of a pipeline, on the run's clock.
struct Span {
  std::string stage;
  int worker = 0, buffer = 0;
  int64_t item = 0;
  int64_t items = 1;  ///< that it is for: a batch's copy is for all of it
  double start_ns = 0, end_ns = 0;
};

/// Slow readings of the machine at one moment. A name's last part is its unit; what could not be read
/// is not there.
struct TelemetryPoint {
  double t_s = 0;                        ///< on the worker's monotonic clock: one axis for all
  std::map<std::string, double> values;  ///< "process_cpus", "package_power_w", "sm_clock_hz" ...
  std::vector<double> core_busy;         ///< 0 to 1, one a logical core
  std::vector<std::string> throttle;     ///< why the GPU's clock is held down, in words
};

/// One of a trap's two figures: every reading in the order taken, their median and its interval.
struct TrapFigure {
  std::vector<double> readings;
  double median = 0;
  std::optional<Interval> ci;  ///< 95 %, of the median; absent under 6 readings
};

/// What a trap's run came to: one quantity, measured the wrong way and the harness's way in turns.
struct TrapOutcome {
  std::string victim, quantity;
  std::string unit;  ///< "s", or empty for a ratio
  TrapFigure lie, honest;
  int rounds = 0;              ///< palindromes of both: each has two readings a side
  double factor = 0;           ///< lie / honest: exp(median of the rounds' log ratios)
  std::optional<Interval> ci;  ///< sign-test interval of the factor
  double margin = 0;           ///< below which a bias does not count: 0.02 is 2 %
  std::string bias;            ///< "high", "low": the lie reads so; "none"; "unresolved"
  std::string guard;           ///< which guard of the harness prevents it
  bool caught = false;         ///< whether it did, in this run
  std::string guard_says;      ///< its evidence, one sentence
};

/// A stage of a pipeline measured alone, all others resting.
struct StageTime {
  std::string name;
  int threads = 1;
  double alone_ns = 0;                    ///< per item, by the clock; median of the rounds
  double cpu_ns = 0;                      ///< per item, of all cores; median
  std::optional<double> bus_bytes_per_s;  ///< what it moved across the bus
  /// Share of its time that grows in proportion to: "pixels" of an image, "layers".
  std::map<std::string, double> grows;
};

/// How near a pipeline came to what its parts allow: its slowest stage alone, or all its CPU work
/// shared by the cores, whichever is longer. Both sides are measured in turns.
struct PipelineOutcome {
  std::vector<StageTime> stages;
  int64_t items_per_step = 1;
  int cores = 0;
  std::string bound;           ///< "step alone", "CPU work / 2 cores"
  double bound_ns = 0;         ///< per item
  double ratio = 0;            ///< steady time / bound: median of the rounds
  std::optional<Interval> ci;  ///< 95 %, of the ratio; absent under 6 rounds
  int rounds = 0;
  std::optional<double>
      bus_ceiling_bytes_per_s;  ///< a copy of that size alone, measured in this run
};

/// A command as a side of a comparison: what was run, what judged it, and what a call took besides its time.
struct CommandFacts {
  std::string text;              ///< its words as a POSIX shell would take them
  std::string folder;            ///< where it ran; empty: not known
  std::string check;             ///< the command that judged its output, as `text`; empty: none did
  std::string reference;         ///< the file that its output had to equal; empty: none
  std::optional<double> cpu_ns;  ///< of all its cores, median over the calls
  bool operator==(const CommandFacts&) const = default;
};

/// What one rung at one set of parameters came to, but for its samples.
struct SeriesFacts {
  /// Counts the changes of all series of its run, and changes with this one alone: what is derived from a
  /// series is derived once for each of its versions. Not in the transcript.
  uint64_t version = 0;
  uint64_t order = 0;  ///< in its run: more than all that began before it. Not in the transcript.
  int64_t request = 0;
  int index = 0;  ///< position in the request's kernel list
  std::string lab, kernel, dtype, hash;
  OpenEnum<RungKind> kind;
  OpenEnum<CacheMode> cache;
  OpenEnum<RunMode> mode;
  Params params;
  std::string size_param;    ///< which of them is the problem's size; the catalogue says it
  std::string reduced_from;  ///< "n=4096": ran smaller, since one call would pass 5 s
  /// Saved, and its rung's code has changed since: Run::mark_stale() says so. Not in the transcript.
  bool stale = false;
  SeriesStatus status = SeriesStatus::pending;
  /// When its last result came, on the worker's clock; absent where lines carry no time. Not in the transcript.
  std::optional<double> result_s;
  std::string reason;  ///< why failed, skipped, cancelled or partial
  std::optional<Stats> stats;
  std::optional<LatencyStats> latency;
  std::vector<QualityCheck> checks;  ///< every check made, in order
  double flop = 0, bytes_min = 0;    ///< of one call; 0 = does not apply
  double bytes_written = 0;          ///< of bytes_min, those of the outputs; 0 = not known
  /// Of one call, by Ceiling::resource, where counted: "exp" exponentials, "logic" three-input
  /// instructions, "l2_read" bytes from the second-level cache.
  SharedMap<double> work;
  double memory_bytes = 0;  ///< buffers and workspace; of a command: its largest resident set
  /// What a reader has to know beside the figures: what its plan chose ("tile 128x256, 4 stages"),
  /// that its data are synthetic; or empty.
  std::string note;
  std::optional<double> sm_clock_hz;     ///< median over its samples; a GPU's
  std::optional<double> energy_j;        ///< per call
  std::optional<double> energy_error_j;  ///< what the counter's resolution leaves open, either way
  std::string energy_source;  ///< what was counted: "RAPL, whole package, others included ..."
  double items_per_s =
      0;  ///< pipelines: steady throughput; trainings: samples; kernels: images, if any
  std::vector<CurvePoint> curve;
  std::vector<Span> spans;
  Rare<Resources> resources;  ///< GPU kernels
  std::vector<Counter> counters;
  Rare<TrapOutcome> trap;          ///< traps: their figures, in place of samples and stats
  Rare<PipelineOutcome> pipeline;  ///< pipelines whose stages can be measured alone
  Rare<CommandFacts> command;      ///< commands
  SharedMap<std::string> unavailable;  ///< quantity: why

  bool is_under_way() const;    ///< waits for its turn, or runs: its outcome did not come yet
  bool quality_passed() const;  ///< at least one check, and all passed
  /// The same; or a command that the user gave no check for: its speed is shown, and no quality is claimed.
  bool may_show_speed() const;
  const QualityCheck* quality()
      const;  ///< the headline: the worst (first failed, else largest nmse)
};

/// Everything one rung at one set of parameters produced.
struct Series : SeriesFacts {
  Samples samples;  ///< time per call
  Samples latency_samples;
};

// ---- comparison ------------------------------------------------------------------------------

/// Sides of one comparison, as many as a round has marks for.
inline constexpr size_t kMostSides = 36;
/// The mark of a side in a round's order: a digit, from the tenth side on a small letter.
constexpr char side_mark(size_t side) {
  return static_cast<char>(side < 10 ? '0' + side : 'a' + (side - 10));
}
/// The side of a mark; -1: it is none.
constexpr int marked_side(char mark) {
  if (mark >= '0' && mark <= '9') return mark - '0';
  return mark >= 'a' && mark <= 'z' ? mark - 'a' + 10 : -1;
}

/// One round of a paired comparison: sides run in a palindrome, e.g. ABBA or, for two candidates,
/// ABCCBA. side 0 is the baseline, side i the i-th candidate.
struct Round {
  int index = 0;
  std::string order;                ///< "0110", a mark for each slot
  std::vector<double> t_ns;         ///< time per call, in that order
  std::vector<double> sm_clock_hz;  ///< of each slot, 0 where it is not known; empty: of none
  int side(size_t slot) const { return marked_side(order[slot]); }
};

/// Two sides of a comparison that are judged against each other.
struct SidePair {
  int baseline = 0, candidate = 1;
  bool operator==(const SidePair&) const = default;
};

/// What pairs of times came to. Speed-up is always t_baseline / t_candidate.
struct PairedVerdict {
  int rounds = 0;              ///< interleaved rounds, or pairs of sustained turns
  double ratio = 0;            ///< exp(median of their log ratios)
  std::optional<Interval> ci;  ///< sign-test interval of the ratio
  Verdict verdict = Verdict::unresolved;
  int rounds_needed = 0;  ///< unresolved: estimate for a fresh, longer comparison; 0: none
};

/// How one side ran alone in its sustained turns: medians over them.
struct SustainedSide {
  int turns = 0;
  double call_ns = 0;
  std::optional<double> sm_clock_hz, power_w, energy_j;  ///< energy of one call
  bool operator==(const SustainedSide&) const = default;
};

/// Paired seeds without which nothing is claimed of two trainings.
inline constexpr int kSeedsToClaim = 8;
/// Of the accuracy, where a request sets no other limit: 0.01 is one point.
inline constexpr double kMayLose = 0.01;

/// One side of a comparison of trainings. Times are of steps alone; a median is one over the seeds.
struct TrainedSide {
  double step_ns = 0;                      ///< median
  std::optional<double> epoch_s, total_s;  ///< medians; absent where a limit ended the trainings
  std::optional<double> accuracy;          ///< at the end, median
  std::optional<double> best_accuracy;     ///< the highest that was seen, of all seeds
  int reached = 0;                         ///< seeds whose training reached the target
  std::optional<double> to_target_s;  ///< median of the seeds that did, as Training::look() saw it
  double memory_bytes = 0;            ///< largest; 0: not known
  std::optional<double> epoch_energy_j;  ///< median
  bool operator==(const TrainedSide&) const = default;
};

/// What a comparison of trainings holds beside the ratio of their step times: each seed is a pair, of one
/// initialisation and order.
struct TrainedPairs {
  std::vector<int64_t> seeds;              ///< of the pairs that were timed, in their order
  int64_t steps = 0;                       ///< of each training that was made whole
  int judged = 0;                          ///< pairs with an accuracy at the end
  std::optional<double> accuracy_delta;    ///< candidate less baseline, mean of the judged pairs
  std::optional<Interval> accuracy_ci;     ///< 95 %, Student's t; absent under 2 pairs
  double may_lose = kMayLose;              ///< what the interval's lower end is held to
  std::optional<double> target;            ///< an accuracy, as the request set it
  std::optional<PairedVerdict> to_target;  ///< of the times to it; absent: no_to_target says why
  std::string no_to_target;                ///< one sentence
  std::string no_energy;                   ///< why no side has joules of an epoch
  std::vector<TrainedSide> sides;          ///< baseline and candidate
};

/// The verdict is what a user gets: of the sustained turns where these were taken, else of the interleaved rounds. Of
/// trainings a round is a seed.
struct Comparison : PairedVerdict {
  int64_t request = 0;
  int baseline_index = 0, candidate_index = 1;  ///< which sides of the request these are
  std::string lab, baseline, candidate;
  OpenEnum<CacheMode> cache;
  Params baseline_params, candidate_params;  ///< of trainings those of the first seed
  double margin = 0;                         ///< delta: 0.02 is 2 %
  /// Where the verdict is sustained: what the interleaved rounds say, whose sides share one clock.
  std::optional<PairedVerdict> equal_clock;
  std::vector<SustainedSide> sustained;  ///< baseline and candidate; empty: no sustained turns
  bool clock_held = false;               ///< on a GPU: the load held the clock down
  std::string clock;  ///< on a GPU: why there are sustained turns, or none; one sentence
  Rare<TrainedPairs> trained;  ///< where the sides are trainings
  std::vector<std::string> reasons;     ///< why invalid, unresolved or limited
  double rounds_s = 0;                  ///< that its rounds took; 0: not recorded
  Budget budget;                        ///< what its request demanded; the reducer fills it in
  std::string size_param;               ///< as of a series
  bool stale = false;  ///< as of a series: the code of either side has changed since
  SidePair pair() const { return {baseline_index, candidate_index}; }
};

}  // namespace ridge
