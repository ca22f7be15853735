#include "common/view/report/document.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "common/record/derive.h"
#include "common/view/report/predictions.h"

namespace ridge {
namespace {

constexpr int kDocumentVersion = 1;

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}
Json number(const std::optional<double>& value) {
  return value ? number(*value) : Json(nullptr);
}

/// One result under construction: a null goes in together with its reason.
class Entry {
 public:
  explicit Entry(const Series& series) : series_(series) { json_["unavailable"] = Json::object(); }

  void set(const char* name, Json value) { json_[name] = std::move(value); }
  /// The series' own reason for a missing quantity comes first.
  void set(const char* name, Json value, const std::string& why_not) {
    if (value.is_null()) explain(name, why_not);
    json_[name] = std::move(value);
  }
  void explain(const char* name, const std::string& why_not) {
    const auto known = series_.unavailable.find(name);
    json_["unavailable"][name] = known == series_.unavailable.end() ? why_not : known->second;
  }
  Json take() { return std::move(json_); }

 private:
  const Series& series_;
  Json json_ = Json::object();
};

struct Standing {
  const char* status;
  std::string reason;
};

/// Seven states of a series become the three that a reader of results can act on. Only `ok` may be
/// used: what was cut short was not checked again after its timing.
Standing standing(const Series& series) {
  const std::string samples = std::to_string(series.samples.size()) + " samples in the transcript";
  const QualityCheck* worst = series.quality();
  if (worst != nullptr && !worst->passed) {
    return {"failed",
            worst->reason.empty() ? "the check " + worst->what + " failed" : worst->reason};
  }
  switch (series.status) {
    case SeriesStatus::ok:
      if (!series.may_show_speed()) return {"failed", "its output was not checked"};
      return {"ok", series.reason};
    case SeriesStatus::failed:
      return {"failed", series.reason};
    case SeriesStatus::partial:
      return {"failed", "cut short: " + series.reason + " (" + samples + ")"};
    case SeriesStatus::cancelled:
      return {"skipped", series.reason + " (" + samples + ")"};
    case SeriesStatus::pending:
    case SeriesStatus::running:
      return {"skipped", "it was not finished"};
    case SeriesStatus::skipped:
      break;
  }
  return {"skipped", series.reason};
}

Json stats_json(const std::optional<Stats>& stats) {
  if (!stats) return nullptr;
  const std::optional<Interval>& ci = stats->ci_ns;
  return {{"n", stats->n},
          {"min_ns", number(stats->min_ns)},
          {"median_ns", number(stats->median_ns)},
          {"ci_low_ns", ci ? number(ci->low) : Json(nullptr)},
          {"ci_high_ns", ci ? number(ci->high) : Json(nullptr)},
          {"flags", stats->flags}};
}

void add_latency(const Series& series, const std::string& no_speed, Entry* entry) {
  if (!no_speed.empty() || !series.latency) {
    entry->set("latency", nullptr, no_speed.empty() ? "single calls were not timed" : no_speed);
    return;
  }
  const LatencyStats& latency = *series.latency;
  const std::string few = "too few samples (" + std::to_string(latency.n) + ")";
  Json json = {{"n", latency.n}};
  const auto percentile = [&](const char* name, const std::optional<double>& value) {
    json[name] = number(value);
    if (json[name].is_null()) entry->explain(name, few);
  };
  percentile("p50_ns", latency.p50_ns);
  percentile("p90_ns", latency.p90_ns);
  percentile("p95_ns", latency.p95_ns);
  percentile("p99_ns", latency.p99_ns);
  entry->set("latency", std::move(json));
}

Json quality_json(const Series& series) {
  const QualityCheck* quality = series.quality();
  if (quality == nullptr) return nullptr;
  Json task = Json::object();
  for (const auto& [name, value] : quality->task) task[name] = number(value);
  return {{"nmse", number(quality->nmse)},       {"nmse_limit", number(quality->nmse_limit)},
          {"max_abs", number(quality->max_abs)}, {"nan_count", quality->nan_count},
          {"passed", quality->passed},           {"task", task}};
}

void add_derived(const Series& series, const Run& run, const std::string& no_speed, Entry* entry) {
  const Derived derived = no_speed.empty() ? derive(series, run) : Derived{};
  const auto reason = [&](const std::string& own) { return no_speed.empty() ? own : no_speed; };
  entry->set("flop_per_s", number(derived.flop_per_s), reason(derived.no_compute_reason));
  entry->set("bytes_per_s", number(derived.bytes_per_s), reason(derived.no_bandwidth_reason));
  if (!derived.work.empty()) {
    Json work = Json::object();
    for (const WorkRate& one : derived.work) work[one.resource] = number(one.per_s);
    entry->set("work_per_s", std::move(work));
  }

  Json shares = Json::array();
  const WorkRate* exp = derived.rate_of("exp");
  const std::optional<Utilization> none;
  for (const auto* share : {&derived.compute, &derived.bandwidth, exp ? &exp->share : &none}) {
    if (!*share) continue;
    shares.push_back(Json(**share));
  }
  for (const Counter& counter : series.counters) {
    const bool share = no_speed.empty() && counter.unit == "%" && counter.value >= 0;
    if (share) shares.push_back(Json(Utilization{counter.name, counter.value / 100, "counters"}));
  }
  const std::string why = reason(derived.no_compute_reason + "; " + derived.no_bandwidth_reason);
  if (shares.empty()) entry->explain("utilization", why);
  entry->set("utilization", std::move(shares));
  const Utilization* nearest = nearest_ceiling(derived);
  entry->set(
      "of_ceiling",
      nearest == nullptr ? Json(nullptr) : Json{{"name", nearest->name}, {"value", nearest->value}},
      why);
}

/// The error and the energy of a FLOP are null for the reason of the energy, or for their own.
void add_energy(const Run& run, const Series& series, const std::string& no_speed, Entry* entry) {
  const bool known = no_speed.empty() && series.energy_j;
  const std::string why = no_speed.empty() ? "not measured" : no_speed;
  const auto value = [&](const std::optional<double>& held) {
    return known ? number(held) : Json(nullptr);
  };
  entry->set("energy_j", value(series.energy_j), why);
  entry->set("energy_error_j", value(series.energy_error_j), known ? why : "see energy_j");
  entry->set("energy_per_flop_j", value(derive(series, run).energy_per_flop_j),
             known ? "its FLOP are not counted" : "see energy_j");
  entry->set("energy_source", known ? series.energy_source : "");
}

void add_cause(const Run& run, const Series& series, const Levers& levers,
               const std::string& no_speed, Entry* entry) {
  const std::string none = backend_of(series.kernel) == Backend::cuda
                               ? "not read in this run"
                               : "it launches no device kernels";
  entry->set("resources", series.resources ? Json(*series.resources) : Json(nullptr),
             no_speed.empty() ? none : no_speed);
  if (series.counters.empty()) entry->explain("counters", "none were read");
  entry->set("counters", series.counters);
  const auto diagnosis = no_speed.empty() ? diagnose(series, run) : std::nullopt;
  if (!diagnosis) {
    return entry->set("diagnosis", nullptr,
                      series.command ? "nothing is counted in a command" : no_speed);
  }
  entry->set("diagnosis", {{"bottleneck", to_string(diagnosis->bottleneck)},
                           {"reason", diagnosis->reason},
                           {"evidence", diagnosis->evidence},
                           {"lever", lever_of(*diagnosis, backend_of(series.kernel))},
                           {"lever_rung", lever_rung(levers, series.kernel, *diagnosis)}});
}

std::string flags_of(const Run& run, const std::string& kernel) {
  if (const SourceText* source = run.source(kernel)) return source->flags;
  const KernelInfo* info = run.kernel(kernel);
  return info == nullptr ? "" : info->flags;
}

Json result_json(const Run& run, const Series& series, const Levers& levers) {
  const auto [status, reason] = standing(series);
  const std::string no_speed = std::string(status) == "ok"
                                   ? ""
                                   : std::string(status) + (reason.empty() ? "" : ": ") + reason;
  Entry entry(series);
  entry.set("lab", series.lab);
  entry.set("kernel", series.kernel);
  entry.set("params", params_to_json(series.params));
  entry.set("reduced_from", series.reduced_from);
  entry.set("dtype", series.dtype);
  entry.set("flags", flags_of(run, series.kernel));
  entry.set("cache", series.cache);
  entry.set("mode", series.mode);
  entry.set("status", status);
  entry.set("reason", reason);
  entry.set("note", series.note);
  entry.set("stats", no_speed.empty() ? stats_json(series.stats) : Json(nullptr),
            no_speed.empty() ? "no time per call was measured" : no_speed);
  if (series.stats && no_speed.empty() && !series.stats->ci_ns) {
    entry.explain("ci_ns", "too few samples (" + std::to_string(series.stats->n) + ")");
  }
  add_latency(series, no_speed, &entry);
  entry.set("quality", quality_json(series), "its output was not checked");
  add_derived(series, run, no_speed, &entry);
  add_cause(run, series, levers, no_speed, &entry);
  entry.set("memory_bytes", series.memory_bytes > 0 ? number(series.memory_bytes) : Json(nullptr),
            no_speed.empty() ? "not reported" : no_speed);
  add_energy(run, series, no_speed, &entry);
  entry.set("curves", series.curve);
  if (series.trap && no_speed.empty()) entry.set("trap", Json(*series.trap));
  if (series.command) entry.set("command", Json(*series.command));
  if (series.pipeline && no_speed.empty()) entry.set("pipeline", Json(*series.pipeline));
  return entry.take();
}

Json comparison_json(const Run& run, const Comparison& comparison, const Titles& titles) {
  const Decision decision = decide(run, comparison, titles);
  const bool valid = decision.verdict != Verdict::invalid;
  const Interval ci = valid && comparison.ci ? *comparison.ci : Interval{NAN, NAN};
  Json throughput = nullptr;
  if (decision.throughput && std::isfinite(decision.throughput->value)) {
    throughput = {{"value", decision.throughput->value}, {"unit", decision.throughput->unit}};
  }
  Json entry = {{"lab", comparison.lab},
                {"baseline", comparison.baseline},
                {"baseline_params", params_to_json(comparison.baseline_params)},
                {"candidate", comparison.candidate},
                {"candidate_params", params_to_json(comparison.candidate_params)},
                {"cache", comparison.cache},
                {"ratio", valid && comparison.ratio > 0 ? number(comparison.ratio) : Json(nullptr)},
                {"ci_low", number(ci.low)},
                {"ci_high", number(ci.high)},
                {"margin", number(comparison.margin)},
                {"rounds", comparison.rounds},
                {"rounds_needed", comparison.rounds_needed},
                {"verdict", to_string(decision.verdict)},
                {"reasons", comparison.reasons},
                {"clock", comparison.clock},
                {"equal_clock",
                 valid && comparison.equal_clock ? Json(*comparison.equal_clock) : Json(nullptr)},
                {"sustained", valid ? Json(comparison.sustained) : Json::array()},
                {"change", decision.change},
                {"throughput", std::move(throughput)},
                {"p95_latency_ns", number(decision.p95_latency_ns)},
                {"quality_delta", number(decision.quality_delta)},
                {"quality_limit", decision.quality_limit},
                {"division", decision.division},
                {"division_reason", decision.division_reason},
                {"budget", budget_json(decision.budget)},
                {"decision", decision.decision},
                {"decision_reason", decision.reason},
                {"not_tested", decision.not_tested}};
  if (comparison.trained) entry["trained"] = *comparison.trained;
  if (decision.quality_ci) entry["quality_ci"] = *decision.quality_ci;
  return entry;
}

/// Of one request: those that it answered.
Json predictions_json(const Run& run, const DocumentOptions& options) {
  Json list = Json::array();
  for (const report::Revealed& one : report::reveal(run)) {
    const bool is_other =
        options.request && (!one.series || one.series->request != *options.request);
    if (!is_other) list.push_back(report::prediction_json(one));
  }
  return list;
}

/// An empty object where the run says nothing of its machine.
Json environment_json(const Run& run) {
  return run.environment() ? Json(*run.environment()) : Json::object();
}

Json ceilings_json(const Run& run) {
  Json list = Json::array();
  for (const Ceiling& ceiling : run.ceilings()) {
    if (!std::isfinite(ceiling.value)) continue;
    list.push_back({{"name", ceiling.name},
                    {"value", ceiling.value},
                    {"unit", ceiling.unit},
                    {"source", ceiling.source}});
    if (!ceiling.doubt.empty()) list.back()["doubt"] = ceiling.doubt;
    if (ceiling.samples > 0) {
      list.back()["samples"] = ceiling.samples;
      list.back()["median"] = number(ceiling.median);
    }
    if (ceiling.foreign_cpus > 0) list.back()["foreign_cpus"] = number(ceiling.foreign_cpus);
    if (ceiling.kept_utc.empty()) continue;
    list.back()["kept_utc"] = ceiling.kept_utc;
    list.back()["kept_s"] = number(ceiling.kept_s);
  }
  return list;
}

Json rung_json(const ListedRung& rung, const Run& run) {
  const KernelInfo* known = run.kernel(rung.kernel);
  KernelInfo info = known == nullptr ? KernelInfo{} : *known;
  if (known == nullptr) {
    info.reason = run.catalogue_complete() ? "the worker does not know this rung"
                                           : "the worker gave no complete catalogue";
  }
  return {{"kernel", rung.kernel},     {"title", rung.title},       {"change", rung.change},
          {"peer", rung.peer},         {"expert", rung.expert},     {"backend", info.backend},
          {"kind", info.kind},         {"dtypes", info.dtypes},     {"needs", info.needs},
          {"library", info.library},   {"flags", info.flags},       {"hash", info.hash},
          {"external", info.external}, {"accuracy", info.accuracy}, {"available", info.available},
          {"reason", info.reason}};
}

}  // namespace

Json budget_json(const std::vector<BudgetRow>& rows) {
  Json list = Json::array();
  for (const BudgetRow& row : rows) {
    list.push_back({{"line", row.title},
                    {"field", row.field},
                    {"demand", row.demand},
                    {"limit", number(row.limit)},
                    {"measured", row.measured},
                    {"value", number(row.value)},
                    {"result", met_text(row.met)},
                    {"reason", row.why}});
  }
  return list;
}

Json document(const Run& run, const DocumentOptions& options) {
  const auto wanted = [&](int64_t request) {
    return !options.request || *options.request == request;
  };
  Json results = Json::array();
  for (const Series& series : run.series()) {
    if (wanted(series.request)) results.push_back(result_json(run, series, options.levers));
  }
  for (const Series& series : options.left_out) {
    results.push_back(result_json(run, series, options.levers));
  }
  Json comparisons = Json::array();
  for (const Comparison& comparison : run.comparisons()) {
    if (wanted(comparison.request)) {
      comparisons.push_back(comparison_json(run, comparison, options.titles));
    }
  }
  return {{"ridgepoint", kDocumentVersion},
          {"environment", environment_json(run)},
          {"ceilings", ceilings_json(run)},
          {"results", std::move(results)},
          {"comparisons", std::move(comparisons)},
          {"predictions", predictions_json(run, options)},
          {"notes", options.notes.value_or(run.notes())}};
}

Json list_document(const std::vector<ListedLab>& labs, const Run& run) {
  Json list = Json::array();
  for (const ListedLab& lab : labs) {
    Json rungs = Json::array();
    Json params = Json::array();  // of the family: the same for every rung of the lab
    for (const ListedRung& rung : lab.rungs) {
      rungs.push_back(rung_json(rung, run));
      const KernelInfo* info = run.kernel(rung.kernel);
      if (params.empty() && info != nullptr) params = info->params;
    }
    list.push_back({{"id", lab.id},
                    {"title", lab.title},
                    {"goal", lab.goal},
                    {"params", std::move(params)},
                    {"rungs", std::move(rungs)}});
  }
  return {{"ridgepoint", kDocumentVersion}, {"labs", std::move(list)}};
}

Json machine_document(const Run& run) {
  Json ceilings = ceilings_json(run);
  Json unavailable = Json::object();
  if (!run.environment()) unavailable["environment"] = "the worker did not describe its machine";
  if (ceilings.empty()) unavailable["ceilings"] = "no ceiling was measured";
  for (const Request& request : run.requests()) {
    if (request.error && ceilings.empty()) unavailable["ceilings"] = request.error->sentence();
  }
  return {{"ridgepoint", kDocumentVersion},
          {"environment", environment_json(run)},
          {"ceilings", std::move(ceilings)},
          {"unavailable", std::move(unavailable)}};
}

}  // namespace ridge
