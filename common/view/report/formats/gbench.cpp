// Google Benchmark's JSON, as its compare.py reads it: every sample is a repetition ("run_type":
// "iteration") of one benchmark, so that the U test of two files has the samples themselves.
// Source of the format: docs/user_guide.md and src/json_reporter.cc of google/benchmark 1.7.
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "common/record/params.h"
#include "common/stats/stats.h"
#include "common/view/report/content.h"
#include "common/view/report/format.h"

namespace ridge::report {
namespace {

/// "gemm.cpu.packed/dtype:fp32/n:512", the way Google Benchmark names arguments: the same in two
/// files of the same rung, which is what compare.py joins them by.
std::string name_of(const Series& series) {
  std::string name = series.kernel;
  for (const auto& [param, value] : series.params) {
    name += "/" + param + ":" + to_string(Params{{param, value}}).substr(param.size() + 1);
  }
  return series.cache == CacheMode::cold ? name + "/cold" : name;
}

Json context_of(const Run& run) {
  Json context = {{"executable", "ridgepoint-worker"}, {"json_schema_version", 1}};
  if (!run.environment()) return context;
  const Environment& environment = *run.environment();
  context["date"] = environment.time_utc;
  // A run does not record its host's name, and the processor is none.
  context["cpu_model"] = environment.cpu.model;
  if (!environment.gpus.empty()) context["gpu_model"] = environment.gpus.front().name;
  context["num_cpus"] = environment.cpu.cores;
  context["cpu_scaling_enabled"] =
      !environment.cpu.governor.empty() && environment.cpu.governor != "performance";
  context["library_version"] = environment.version;
  context["library_build_type"] = environment.build_type.starts_with("Debug") ? "debug" : "release";
  context["caches"] = Json::array();
  const auto cache = [&](const char* type, int level, int64_t bytes) {
    if (bytes > 0) {
      context["caches"].push_back({{"type", type}, {"level", level}, {"size", bytes}});
    }
  };
  cache("Data", 1, environment.cpu.l1d_bytes);
  cache("Unified", 2, environment.cpu.l2_bytes);
  cache("Unified", 3, environment.cpu.l3_bytes);
  return context;
}

/// What every entry of a series says. `cpu_time` has to be there and above zero for compare.py: a
/// GPU's call uses no CPU time of its own, so that its time stands there again, and the label says so.
Json entry_of(const Series& series, const std::string& name, int family, double time_ns,
              double cpu_ns) {
  const bool has_cpu_time = cpu_ns > 0;
  Json entry = {{"name", name},
                {"run_name", name},
                {"family_index", family},
                {"per_family_instance_index", 0},
                {"repetitions", series.samples.size()},
                {"threads", 1},
                {"real_time", time_ns},
                {"cpu_time", has_cpu_time ? cpu_ns : time_ns},
                {"time_unit", "ns"}};
  if (!has_cpu_time) entry["label"] = "cpu_time unavailable: real_time again";
  if (series.flop > 0) entry["flop_per_s"] = series.flop / (time_ns * 1e-9);
  return entry;
}

void add_series(const Series& series, int family, Json* benchmarks) {
  const std::string name = name_of(series);
  for (size_t i = 0; i < series.samples.size(); ++i) {
    const Sample sample = series.samples[i];
    Json entry = entry_of(series, name, family, sample.t_ns, sample.cpu_ns);
    entry["run_type"] = "iteration";
    entry["repetition_index"] = i;
    entry["iterations"] = sample.calls;
    benchmarks->push_back(std::move(entry));
  }
  // A recording may have kept its results only.
  std::vector<double> cpu_ns;
  for (const Sample& sample : series.samples) {
    if (sample.cpu_ns > 0) cpu_ns.push_back(sample.cpu_ns);
  }
  const double cpu_median_ns = cpu_ns.empty() ? 0 : stats::median(cpu_ns);
  Json median = entry_of(series, name, family, series.stats->median_ns, cpu_median_ns);
  median["name"] = name + "_median";
  median["run_type"] = "aggregate";
  median["aggregate_name"] = "median";
  median["aggregate_unit"] = "time";
  median["iterations"] = series.stats->n;
  benchmarks->push_back(std::move(median));
}

/// Every sample a repetition of the benchmark "gemm.cpu.naive/dtype:fp32/n:512", of the candidate's run as in
/// to_json(). A rung without a speed is left out, and the context says why.
std::string to_gbench(const Report& report) {
  const Run& run = *report.inputs.back().run;
  // The latest of each name: two series under one would be taken for repetitions of one.
  std::map<std::string, const Series*> latest;
  for (const Series& series : run.series()) latest[name_of(series)] = &series;
  Json benchmarks = Json::array(), left_out = Json::array();
  int family = 0;
  for (const Series& series : run.series()) {
    if (latest[name_of(series)] != &series) continue;
    const std::string problem = problem_of(series);
    if (problem.empty() && series.stats) {
      add_series(series, family++, &benchmarks);
    } else {
      left_out.push_back({{"name", name_of(series)}, {"reason", problem}});
    }
  }
  Json context = context_of(run);
  context["left_out"] = std::move(left_out);
  return dump_json({{"context", std::move(context)}, {"benchmarks", std::move(benchmarks)}}) + "\n";
}

RIDGE_FORMAT(gbench, .ending = ".gbench.json", .name = "Google Benchmark",
             .about = "every sample a repetition, for Google Benchmark's compare.py", .place = 50,
             .level = Level::kBench, .print = to_gbench);

}  // namespace
}  // namespace ridge::report
