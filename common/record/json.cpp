#include "common/record/json.h"

#include "common/record/json_io.h"
#include "common/record/serving.h"

namespace ridge {

using record::Reader;
using record::Writer;

namespace {

// One list of fields per type serves both directions, so that what is written is what is read.

/// The object a Writer reads from or a Reader fills.
template <class Io, class T>
using Of = std::conditional_t<Io::kWrites, const T, T>;

template <class Io>
void fields(Io& io, Of<Io, ParamSpec>& v) {
  io("name", v.name), io("help", v.help), io("is_choice", v.is_choice), io("choices", v.choices);
  io("min", v.min), io("max", v.max), io("fallback", v.fallback), io("same_as", v.same_as);
  io.brief("is_size", v.is_size);
}

template <class Io>
void fields(Io& io, Of<Io, Sample>& v) {
  io("index", v.index), io("t_ns", v.t_ns), io.brief("cpu_ns", v.cpu_ns);
  io.brief("calls", v.calls, int64_t{1}), io.brief("sm_clock_hz", v.sm_clock_hz);
  io.brief("temp_c", v.temp_c), io.brief("power_w", v.power_w), io.brief("flags", v.flags);
}

template <class Io>
void fields(Io& io, Of<Io, Interval>& v) {
  io("low", v.low), io("high", v.high);
}

template <class Io>
void fields(Io& io, Of<Io, Stats>& v) {
  io("n", v.n), io("min_ns", v.min_ns), io("q1_ns", v.q1_ns), io("median_ns", v.median_ns);
  io("q3_ns", v.q3_ns), io("max_ns", v.max_ns), io("ci_ns", v.ci_ns), io("outliers", v.outliers);
  io("noise", v.noise), io("correlation_samples", v.correlation_samples), io("flags", v.flags);
}

template <class Io>
void fields(Io& io, Of<Io, LatencyStats>& v) {
  io("n", v.n), io("p50_ns", v.p50_ns), io("p90_ns", v.p90_ns), io("p95_ns", v.p95_ns);
  io("p99_ns", v.p99_ns);
}

template <class Io>
void fields(Io& io, Of<Io, ErrorMap>& v) {
  io("row_name", v.row_name), io("column_name", v.column_name);
  io("rows", v.rows), io("columns", v.columns);
  io("cell_rows", v.cell_rows), io("cell_columns", v.cell_columns), io("cells", v.cells);
  io("wrong", v.wrong), io("row", v.row), io("column", v.column);
  io("value", v.value), io("expected", v.expected);
}

template <class Io>
void fields(Io& io, Of<Io, QualityCheck>& v) {
  io("what", v.what), io("nmse", v.nmse), io("nmse_limit", v.nmse_limit);
  io("max_abs", v.max_abs), io("max_rel", v.max_rel), io("worst_bound_share", v.worst_bound_share);
  io("nan_count", v.nan_count), io("unwritten_count", v.unwritten_count);
  io("guard_ok", v.guard_ok), io("checked", v.checked), io("task", v.task);
  io("passed", v.passed), io("reason", v.reason), io.brief("errors", v.errors);
  io.brief("right", v.right);
}

template <class Io>
void fields(Io& io, Of<Io, CpuInfo>& v) {
  io("model", v.model), io("isa", v.isa), io("cores", v.cores), io("l1d_bytes", v.l1d_bytes);
  io("l2_bytes", v.l2_bytes), io("l3_bytes", v.l3_bytes), io("memory_bytes", v.memory_bytes);
  io("governor", v.governor);
}

template <class Io>
void fields(Io& io, Of<Io, GpuInfo>& v) {
  io("index", v.index), io("name", v.name), io("capability", v.capability);
  io("sm_count", v.sm_count), io("l2_bytes", v.l2_bytes), io("memory_bytes", v.memory_bytes);
  io("max_clock_hz", v.max_clock_hz), io("driver", v.driver), io("runtime", v.runtime);
}

template <class Io>
void fields(Io& io, Of<Io, QuietState>& v) {
  io("quiet", v.quiet), io("reasons", v.reasons), io.brief("is_unknown", v.is_unknown);
}

template <class Io>
void fields(Io& io, Of<Io, Environment>& v) {
  io("os", v.os), io("time_utc", v.time_utc), io("cpu", v.cpu), io("gpus", v.gpus);
  io("no_gpu_reason", v.no_gpu_reason), io("version", v.version), io("commit", v.commit);
  io("compiler", v.compiler), io("build_type", v.build_type), io("cuda", v.cuda);
  io("libraries", v.libraries), io("power_source", v.power_source), io("quiet", v.quiet);
}

template <class Io>
void fields(Io& io, Of<Io, Ceiling>& v) {
  io("name", v.name), io("backend", v.backend), io("resource", v.resource), io("dtype", v.dtype);
  io("threads", v.threads), io("value", v.value), io("unit", v.unit), io("source", v.source);
  io.brief("doubt", v.doubt), io.brief("samples", v.samples), io.brief("median", v.median);
  io.brief("foreign_cpus", v.foreign_cpus);
  io.brief("kept_utc", v.kept_utc), io.brief("kept_s", v.kept_s);
  io.brief("sm_clock_hz", v.sm_clock_hz);
}

template <class Io>
void fields(Io& io, Of<Io, KernelInfo>& v) {
  io("id", v.id), io("family", v.family), io("backend", v.backend), io("kind", v.kind);
  io("dtypes", v.dtypes), io("needs", v.needs), io("library", v.library), io("path", v.path);
  io("flags", v.flags), io("hash", v.hash), io("external", v.external),
      io("available", v.available);
  io("reason", v.reason), io("params", v.params);
  io.brief("accuracy", v.accuracy), io.brief("stamped", v.stamped);
}

template <class Io>
void fields(Io& io, Of<Io, SourceText>& v) {
  io("kernel", v.kernel), io("path", v.path), io("text", v.text), io("flags", v.flags);
  io("hash", v.hash);
}

template <class Io>
void fields(Io& io, Of<Io, AssemblyText>& v) {
  io("kernel", v.kernel), io("tool", v.tool), io("target", v.target), io("text", v.text);
  io("lines", v.lines), io("loop_first", v.loop_first), io("loop_last", v.loop_last);
  io("loop_instructions", v.loop_instructions), io("loop_fma", v.loop_fma);
  io("loop_arithmetic", v.loop_arithmetic), io("loop_loads", v.loop_loads);
  io("loop_stores", v.loop_stores), io.brief("origins", v.origins);
}

// A line of a rung has one or two kinds of traffic; a result of many lines has to fit 64 KiB.

template <class Io>
void fields(Io& io, Of<Io, MemoryTraffic>& v) {
  io("requests", v.requests), io("lanes", v.lanes), io("bytes", v.bytes);
  io.brief("sectors", v.sectors), io.brief("wavefronts", v.wavefronts);
  io.brief("conflicts", v.conflicts), io.brief("l1_passes", v.l1_passes);
  io.brief("l2_sectors", v.l2_sectors), io.brief("dram_sectors", v.dram_sectors);
}

template <class Io>
void fields(Io& io, Of<Io, SiteCounts>& v) {
  io.brief("global_reads", v.global_reads), io.brief("global_writes", v.global_writes);
  io.brief("global_atomics", v.global_atomics), io.brief("shared_reads", v.shared_reads);
  io.brief("shared_writes", v.shared_writes), io.brief("shared_atomics", v.shared_atomics);
  io.brief("barriers", v.barriers), io.brief("copies", v.copies);
  io.brief("branches", v.branches), io.brief("split_branches", v.split_branches);
}

template <class Io>
void fields(Io& io, Of<Io, LineCounts>& v) {
  io("line", v.line), io("counts", v.counts), io.brief("flop", v.flop);
  io.brief("tensor_flop", v.tensor_flop);
}

template <class Io>
void fields(Io& io, Of<Io, CountedFault>& v) {
  io("kind", v.kind), io("line", v.line), io.brief("other_line", v.other_line);
  io("detail", v.detail);
}

template <class Io>
void fields(Io& io, Of<Io, CountedLaunch>& v) {
  io("blocks", v.blocks), io("threads", v.threads);
  io("static_shared_bytes", v.static_shared_bytes);
  io("dynamic_shared_bytes", v.dynamic_shared_bytes);
}

// Of up to 256 requests: whatever most of them share is left out.

template <class Io>
void fields(Io& io, Of<Io, WarpRequest>& v) {
  io("line", v.line), io.brief("access", v.access, OpenEnum(WarpAccess::read));
  io.brief("shared", v.is_shared), io("bytes", v.lane_bytes), io("of", v.buffer);
  io("at", v.offsets), io("cost", v.cost), io.brief("conflicts", v.conflicts);
}

template <class Io>
void fields(Io& io, Of<Io, WarpSteps>& v) {
  io("made", v.made), io("requests", v.requests);
}

template <class Io>
void fields(Io& io, Of<Io, KernelCounts>& v) {
  io("kernel", v.kernel), io("path", v.path), io("hash", v.hash), io("params", v.params);
  io("check", v.check), io.brief("stopped", v.stopped), io("launches", v.launches);
  io("lines", v.lines), io("faults", v.faults), io.brief("steps", v.steps);
  io.brief("problem_flop", v.problem_flop), io.brief("problem_bytes", v.problem_bytes);
}

template <class Io>
void fields(Io& io, Of<Io, CompileMessage>& v) {
  io("line", v.line), io("column", v.column), io("kind", v.kind), io("text", v.text);
}

template <class Io>
void fields(Io& io, Of<Io, EditBuild>& v) {
  io("kernel", v.kernel), io("built", v.built), io("reason", v.reason);
  io("messages", v.messages), io("hash", v.hash);
  io("compile_s", v.compile_s), io("load_s", v.load_s), io.brief("ended_at", v.ended_at);
}

template <class Io>
void fields(Io& io, Of<Io, Utilization>& v) {
  io("name", v.name), io("value", v.value), io("source", v.source);
}

template <class Io>
void fields(Io& io, Of<Io, DeviceKernel>& v) {
  io("name", v.name), io("launches", v.launches), io("registers", v.registers);
  io("shared_static_bytes", v.shared_static_bytes);
  io("shared_dynamic_bytes", v.shared_dynamic_bytes), io("spill_bytes", v.spill_bytes);
  io("grid", v.grid), io("block", v.block), io("occupancy", v.occupancy);
  io("waves", v.waves);
}

template <class Io>
void fields(Io& io, Of<Io, Resources>& v) {
  io("kernels", v.kernels), io("host_copy_bytes", v.host_copy_bytes);
  io("host_copy_ns", v.host_copy_ns);
}

template <class Io>
void fields(Io& io, Of<Io, Counter>& v) {
  io("name", v.name), io("value", v.value), io("unit", v.unit);
}

template <class Io>
void fields(Io& io, Of<Io, CurvePoint>& v) {
  io("step", v.step), io("t_s", v.t_s), io("values", v.values);
}

template <class Io>
void fields(Io& io, Of<Io, TelemetryPoint>& v) {
  io("t_s", v.t_s), io("values", v.values);
  io.brief("core_busy", v.core_busy), io.brief("throttle", v.throttle);
}

template <class Io>
void fields(Io& io, Of<Io, Span>& v) {
  io("stage", v.stage), io("worker", v.worker), io("buffer", v.buffer), io("item", v.item);
  io.brief("items", v.items, int64_t{1}), io("start_ns", v.start_ns), io("end_ns", v.end_ns);
}

template <class Io>
void fields(Io& io, Of<Io, TrapFigure>& v) {
  io("median", v.median), io("ci", v.ci), io("readings", v.readings);
}

template <class Io>
void fields(Io& io, Of<Io, TrapOutcome>& v) {
  io("victim", v.victim), io("quantity", v.quantity), io("unit", v.unit), io("lie", v.lie);
  io("honest", v.honest), io("rounds", v.rounds), io("factor", v.factor), io("ci", v.ci);
  io("margin", v.margin), io("bias", v.bias), io("guard", v.guard), io("caught", v.caught);
  io("guard_says", v.guard_says);
}

template <class Io>
void fields(Io& io, Of<Io, StageTime>& v) {
  io("name", v.name), io("threads", v.threads), io("alone_ns", v.alone_ns);
  io("cpu_ns", v.cpu_ns), io.brief("bus_bytes_per_s", v.bus_bytes_per_s);
  io("grows", v.grows);
}

template <class Io>
void fields(Io& io, Of<Io, PipelineOutcome>& v) {
  io("stages", v.stages), io("items_per_step", v.items_per_step), io("cores", v.cores);
  io("bound", v.bound), io("bound_ns", v.bound_ns), io("ratio", v.ratio), io("ci", v.ci);
  io("rounds", v.rounds), io.brief("bus_ceiling_bytes_per_s", v.bus_ceiling_bytes_per_s);
}

template <class Io>
void fields(Io& io, Of<Io, CommandFacts>& v) {
  io("text", v.text), io("folder", v.folder), io("check", v.check), io("reference", v.reference);
  io("cpu_ns", v.cpu_ns);
}

template <class Io>
void fields(Io& io, Of<Io, Series>& v) {
  io("request", v.request), io("index", v.index), io("lab", v.lab), io("kernel", v.kernel);
  io("kind", v.kind), io("dtype", v.dtype), io("cache", v.cache), io("mode", v.mode);
  io("hash", v.hash), io("params", v.params), io("reduced_from", v.reduced_from);
  io("status", v.status), io("reason", v.reason), io("stats", v.stats), io("latency", v.latency);
  io("checks", v.checks), io("flop", v.flop), io("bytes_min", v.bytes_min);
  io("memory_bytes", v.memory_bytes), io("energy_j", v.energy_j);
  io("energy_error_j", v.energy_error_j), io("energy_source", v.energy_source);
  io("items_per_s", v.items_per_s), io("note", v.note), io("unavailable", v.unavailable);
  io.brief("resources", v.resources), io.brief("counters", v.counters), io.brief("trap", v.trap);
  io.brief("pipeline", v.pipeline);
  io.brief("work", v.work), io.brief("bytes_written", v.bytes_written);
  io.brief("sm_clock_hz", v.sm_clock_hz), io.brief("command", v.command);
}

template <class Io>
void fields(Io& io, Of<Io, PairedVerdict>& v) {
  io("rounds", v.rounds), io("ratio", v.ratio), io("ci", v.ci), io("verdict", v.verdict);
  io("rounds_needed", v.rounds_needed);
}

template <class Io>
void fields(Io& io, Of<Io, SustainedSide>& v) {
  io("turns", v.turns), io("call_ns", v.call_ns), io("sm_clock_hz", v.sm_clock_hz);
  io("power_w", v.power_w), io("energy_j", v.energy_j);
}

template <class Io>
void fields(Io& io, Of<Io, TrainedSide>& v) {
  io("step_ns", v.step_ns), io("epoch_s", v.epoch_s), io("total_s", v.total_s);
  io("accuracy", v.accuracy), io("best_accuracy", v.best_accuracy), io("reached", v.reached);
  io("to_target_s", v.to_target_s), io("memory_bytes", v.memory_bytes);
  io("epoch_energy_j", v.epoch_energy_j);
}

template <class Io>
void fields(Io& io, Of<Io, TrainedPairs>& v) {
  io("seeds", v.seeds), io("steps", v.steps), io("judged", v.judged);
  io("accuracy_delta", v.accuracy_delta), io("accuracy_ci", v.accuracy_ci);
  io("may_lose", v.may_lose), io("target", v.target), io("to_target", v.to_target);
  io("no_to_target", v.no_to_target), io("no_energy", v.no_energy), io("sides", v.sides);
}

template <class Io>
void fields(Io& io, Of<Io, Comparison>& v) {
  io("request", v.request), io("candidate_index", v.candidate_index), io("lab", v.lab);
  io("baseline", v.baseline), io("candidate", v.candidate), io("cache", v.cache);
  io("baseline_params", v.baseline_params), io("candidate_params", v.candidate_params);
  io("rounds", v.rounds), io("ratio", v.ratio), io("ci", v.ci), io("margin", v.margin);
  io("verdict", v.verdict), io("rounds_needed", v.rounds_needed), io("reasons", v.reasons);
  io.brief("equal_clock", v.equal_clock), io.brief("sustained", v.sustained);
  io.brief("clock_held", v.clock_held), io.brief("clock", v.clock);
  io.brief("trained", v.trained), io.brief("rounds_s", v.rounds_s);
  io.brief("baseline_index", v.baseline_index);
}

template <class Io>
void fields(Io& io, Of<Io, PlaneMark>& v) {
  io("cell", v.cell), io("value", v.value), io("label", v.label);
}

template <class Io>
void fields(Io& io, Of<Io, InspectionPlane>& v) {
  io("name", v.name), io("group", v.group), io("unit", v.unit), io("rows", v.rows);
  io("columns", v.columns), io("step", v.step), io("low", v.low), io("high", v.high);
  io("values", v.values);
  io("marks", v.marks);
}

template <class Io>
void fields(Io& io, Of<Io, WalkCache>& v) {
  io("name", v.name), io("bytes", v.bytes), io("ways", v.ways), io("missed", v.missed);
}

template <class Io>
void fields(Io& io, Of<Io, WalkPlane>& v) {
  io("name", v.name), io("rows", v.rows), io("columns", v.columns), io("lines", v.lines);
  io("elements", v.elements), io("is_copy", v.is_copy);
}

template <class Io>
void fields(Io& io, Of<Io, WalkFrame>& v) {
  io("lines", v.lines), io("missed", v.missed), io("plane", v.plane), io("element", v.element);
}

template <class Io>
void fields(Io& io, Of<Io, Walk>& v) {
  io("reads", v.reads), io("writes", v.writes), io("bytes", v.bytes), io("elsewhere", v.elsewhere),
      io("first", v.first);
  io("count", v.count), io("flop", v.flop), io("line_bytes", v.line_bytes);
  io("caches_are", v.caches_are), io("caches", v.caches), io("planes", v.planes);
  io("frames", v.frames);
}

template <class Io>
void fields(Io& io, Of<Io, KernelLane>& v) {
  io("name", v.name), io("spans", v.spans), io("dropped", v.dropped);
}

template <class Io>
void fields(Io& io, Of<Io, KernelLanes>& v) {
  io("hash", v.hash), io("sm", v.sm), io("clock_hz", v.clock_hz), io("blocks", v.blocks);
  io("blocks_left", v.blocks_left), io("block_ids", v.block_ids), io("call_ns", v.call_ns);
  io("stamped_call_ns", v.stamped_call_ns), io("cost", v.cost), io("cost_ci", v.cost_ci);
  io("lanes", v.lanes);
  io.brief("cut", v.cut);
}

template <class Io>
void fields(Io& io, Of<Io, ModelAnswer>& v) {
  io("kernel", v.kernel), io("params", v.params), io("prediction", v.prediction);
  io("runner_up", v.runner_up), io("score", v.score), io("margin", v.margin), io("unit", v.unit);
  io("start", v.start), io("call_ns", v.call_ns), io("calls", v.calls), io("why", v.why);
  io("needs_training", v.needs_training);
}

template <class Io>
void fields(Io& io, Of<Io, Inspection>& v) {
  io("request", v.request), io("kernel", v.kernel), io("params", v.params), io("of", v.of);
  io("data", v.data), io("note", v.note), io("inputs", v.inputs), io("input", v.input);
  io("label", v.label), io("prediction", v.prediction), io("classes", v.classes);
  io("scores", v.scores), io("score", v.score), io("score_most", v.score_most);
  io("call_ns", v.call_ns), io("unit_name", v.unit_name), io("units", v.units);
  io("unit", v.unit), io("place", v.place), io("lookers", v.lookers), io("planes", v.planes);
  io("unavailable", v.unavailable);
  io.brief("input_name", v.input_name, Inspection().input_name);
  io.brief("walk", v.walk), io.brief("lanes", v.lanes);
  if (Io::kWrites ? !v.answers.empty() : true) io("answers", v.answers), io("bytes", v.bytes);
}

template <class Io>
void fields(Io& io, Of<Io, ServeAsked>& v) {
  io("batch_limit", v.batch_limit), io("wait_s", v.wait_s), io("requests", v.requests);
  io("prompt", v.prompt), io("tokens", v.tokens), io("limit_s", v.limit_s), io("seed", v.seed);
  io("loads", v.loads);
}

template <class Io>
void fields(Io& io, Of<Io, ServeTimes>& v) {
  io("mean_s", v.mean_s), io("p50_s", v.p50_s), io("p95_s", v.p95_s), io("p99_s", v.p99_s);
}

template <class Io>
void fields(Io& io, Of<Io, ServePoint>& v) {
  io("load_per_s", v.load_per_s), io("throughput_per_s", v.throughput_per_s);
  io("tokens_per_s", v.tokens_per_s), io("mean_batch", v.mean_batch), io("busy", v.busy);
  io("steps", v.steps), io("step_s", v.step_s), io("wait", v.wait);
  io("first_token", v.first_token), io("latency", v.latency);
  io("sustained", v.sustained), io("meets", v.meets);
}

template <class Io>
void fields(Io& io, Of<Io, Serving>& v) {
  io("request", v.request), io("kernel", v.kernel), io("params", v.params), io("asked", v.asked);
  io("offline", v.offline), io("points", v.points), io("server_per_s", v.server_per_s);
  io("checked", v.checked), io("unavailable", v.unavailable);
}

template <class Io>
void fields(Io& io, Of<Io, Error>& v) {
  io("code", v.code), io("what", v.what), io("where", v.where), io("hint", v.hint);
}

template <class Io>
void fields(Io& io, Of<Io, Round>& v) {
  io("index", v.index), io("order", v.order), io("t_ns", v.t_ns);
  io.brief("sm_clock_hz", v.sm_clock_hz);
}

}  // namespace

#define RIDGE_JSON_PAIR(type)                 \
  void to_json(Json& json, const type& v) {   \
    json = Json::object();                    \
    Writer io{json};                          \
    fields(io, v);                            \
  }                                           \
  void from_json(const Json& json, type& v) { \
    if (!json.is_object()) return;            \
    Reader io{json};                          \
    fields(io, v);                            \
  }

RIDGE_JSON_PAIR(ParamSpec)
RIDGE_JSON_PAIR(Sample)
RIDGE_JSON_PAIR(Interval)
RIDGE_JSON_PAIR(Stats)
RIDGE_JSON_PAIR(LatencyStats)
RIDGE_JSON_PAIR(ErrorMap)
RIDGE_JSON_PAIR(QualityCheck)
RIDGE_JSON_PAIR(CpuInfo)
RIDGE_JSON_PAIR(GpuInfo)
RIDGE_JSON_PAIR(QuietState)
RIDGE_JSON_PAIR(Environment)
RIDGE_JSON_PAIR(Ceiling)
RIDGE_JSON_PAIR(KernelInfo)
RIDGE_JSON_PAIR(SourceText)
RIDGE_JSON_PAIR(AssemblyText)
RIDGE_JSON_PAIR(Utilization)
RIDGE_JSON_PAIR(DeviceKernel)
RIDGE_JSON_PAIR(Resources)
RIDGE_JSON_PAIR(Counter)
RIDGE_JSON_PAIR(CurvePoint)
RIDGE_JSON_PAIR(TelemetryPoint)
RIDGE_JSON_PAIR(Span)
RIDGE_JSON_PAIR(TrapFigure)
RIDGE_JSON_PAIR(TrapOutcome)
RIDGE_JSON_PAIR(StageTime)
RIDGE_JSON_PAIR(PipelineOutcome)
RIDGE_JSON_PAIR(CommandFacts)
RIDGE_JSON_PAIR(Series)
RIDGE_JSON_PAIR(Round)
RIDGE_JSON_PAIR(PairedVerdict)
RIDGE_JSON_PAIR(SustainedSide)
RIDGE_JSON_PAIR(TrainedSide)
RIDGE_JSON_PAIR(TrainedPairs)
RIDGE_JSON_PAIR(Comparison)
RIDGE_JSON_PAIR(PlaneMark)
RIDGE_JSON_PAIR(WalkCache)
RIDGE_JSON_PAIR(WalkPlane)
RIDGE_JSON_PAIR(WalkFrame)
RIDGE_JSON_PAIR(Walk)
RIDGE_JSON_PAIR(KernelLane)
RIDGE_JSON_PAIR(KernelLanes)
RIDGE_JSON_PAIR(InspectionPlane)
RIDGE_JSON_PAIR(ModelAnswer)
RIDGE_JSON_PAIR(Inspection)
RIDGE_JSON_PAIR(ServeAsked)
RIDGE_JSON_PAIR(ServeTimes)
RIDGE_JSON_PAIR(ServePoint)
RIDGE_JSON_PAIR(Serving)
RIDGE_JSON_PAIR(MemoryTraffic)
RIDGE_JSON_PAIR(SiteCounts)
RIDGE_JSON_PAIR(LineCounts)
RIDGE_JSON_PAIR(CountedFault)
RIDGE_JSON_PAIR(CountedLaunch)
RIDGE_JSON_PAIR(WarpRequest)
RIDGE_JSON_PAIR(WarpSteps)
RIDGE_JSON_PAIR(KernelCounts)
RIDGE_JSON_PAIR(CompileMessage)
RIDGE_JSON_PAIR(EditBuild)
RIDGE_JSON_PAIR(Error)
#undef RIDGE_JSON_PAIR

std::string text_field(const Json& object, const char* name, const std::string& fallback) {
  std::string value = fallback;
  if (object.is_object()) Reader{object}(name, value);
  return value;
}

int64_t whole_field(const Json& object, const char* name, int64_t fallback) {
  int64_t value = fallback;
  if (object.is_object()) Reader{object}(name, value);
  return value;
}

std::optional<double> number_field(const Json& object, const char* name) {
  std::optional<double> value;
  if (object.is_object()) Reader{object}(name, value);
  return value;
}

Json params_to_json(const Params& params) {
  return Writer::form(params);
}

Params params_from_json(const Json& json) {
  Params params;
  Reader::read(json, params);
  return params;
}

}  // namespace ridge
