#include "common/record/import.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/core/files.h"
#include "common/core/number_text.h"
#include "common/record/command.h"
#include "common/record/json_io.h"
#include "common/stats/stats.h"

namespace ridge {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kMostFile_bytes = uintmax_t{256} << 20;
constexpr size_t kMostSamples = 1'000'000;  // of one series
constexpr size_t kText = 200;               // code points of what a file says

struct Benchmark {
  std::string name;
  Backend backend = Backend::cpu;
  std::vector<Sample> samples;
  std::string failed;  ///< why it has no time; empty: it has
  std::string note;
};

struct Imported {
  std::string program;  ///< "Google Benchmark"
  std::string command;  ///< what timed them: "./sorts"; empty: not said
  Environment environment;
  CacheMode cache = CacheMode::hot;
  std::vector<Benchmark> benchmarks;
};

std::string line_field(const Json& object, const char* name) {
  return one_line(text_field(object, name), kText);
}

/// A time that can be one: above 0.
void add_sample(double t_ns, double cpu_ns, int64_t calls, Benchmark* benchmark) {
  if (!std::isfinite(t_ns) || !(t_ns > 0) || benchmark->samples.size() >= kMostSamples) return;
  Sample sample;
  sample.index = static_cast<int64_t>(benchmark->samples.size());
  sample.t_ns = t_ns;
  sample.cpu_ns = std::isfinite(cpu_ns) && cpu_ns > 0 ? cpu_ns : 0;
  sample.calls = std::max<int64_t>(1, calls);
  benchmark->samples.push_back(std::move(sample));
}

// ---- Google Benchmark ----------------------------------------------------------------------------

/// "2026-11-25T22:51:38+01:00" as "2026-11-25T21:51:38Z"; without an offset as it stands.
std::string utc_of(const std::string& date) {
  std::tm t = {};
  char sign = 0;
  int hours = 0, minutes = 0;
  const int read =
      std::sscanf(date.c_str(), "%d-%d-%dT%d:%d:%d%c%d:%d", &t.tm_year, &t.tm_mon, &t.tm_mday,
                  &t.tm_hour, &t.tm_min, &t.tm_sec, &sign, &hours, &minutes);
  if (read != 9 || (sign != '+' && sign != '-')) return one_line(date, 40);
  t.tm_year -= 1900;
  t.tm_mon -= 1;
  const int offset_s = 60 * (60 * hours + minutes);
  const std::time_t utc = timegm(&t) - (sign == '+' ? offset_s : -offset_s);
  char text[32];
  if (gmtime_r(&utc, &t) == nullptr || std::strftime(text, sizeof text, "%FT%TZ", &t) == 0)
    return one_line(date, 40);
  return text;
}

void read_caches(const Json& context, CpuInfo* cpu) {
  const Json* caches = list_field(context, "caches");
  if (caches == nullptr) return;
  for (const Json& cache : *caches) {
    if (!cache.is_object() || text_field(cache, "type") == "Instruction") continue;
    const int64_t level = whole_field(cache, "level"), bytes = whole_field(cache, "size");
    if (level == 1) cpu->l1d_bytes = bytes;
    if (level == 2) cpu->l2_bytes = bytes;
    if (level == 3) cpu->l3_bytes = bytes;
  }
}

Environment google_environment(const Json& context) {
  Environment environment;
  environment.quiet.is_unknown = true;
  environment.time_utc = utc_of(text_field(context, "date"));
  const std::string build = line_field(context, "library_build_type");
  const std::string version = line_field(context, "library_version");
  environment.libraries["Google Benchmark"] = (version.empty() ? "version not said" : version) +
                                              (build.empty() ? "" : ", " + build + " build");
  CpuInfo& cpu = environment.cpu;
  cpu.cores = static_cast<int>(std::clamp<int64_t>(whole_field(context, "num_cpus"), 0, 1 << 20));
  std::string host = line_field(context, "host_name");
  if (host.empty()) host = line_field(context, "cpu_model");
  cpu.model = (host.empty() ? "host not named" : host) + " (" + std::to_string(cpu.cores) +
              " CPUs at " + std::to_string(whole_field(context, "mhz_per_cpu")) + " MHz)";
  read_caches(context, &cpu);
  environment.no_gpu_reason = "Google Benchmark does not say";
  auto& reasons = environment.quiet.reasons;
  if (build == "debug") reasons.emplace_back("Google Benchmark's library was a debug build");
  if (const auto scaling = context.find("cpu_scaling_enabled");
      scaling != context.end() && *scaling == true)
    reasons.emplace_back("the CPU's clock was scaled");
  environment.quiet.quiet = reasons.empty();
  return environment;
}

double unit_ns(const std::string& unit) {
  return unit == "us" ? 1e3 : unit == "ms" ? 1e6 : unit == "s" ? 1e9 : 1;
}

void add_google_sample(const Json& entry, Benchmark* benchmark) {
  if (const auto error = entry.find("error_occurred"); error != entry.end() && *error == true) {
    benchmark->failed = line_field(entry, "error_message");
    if (benchmark->failed.empty()) benchmark->failed = "it reported an error";
    return;
  }
  const double ns = unit_ns(text_field(entry, "time_unit"));
  add_sample(ns * number_field(entry, "real_time").value_or(0),
             ns * number_field(entry, "cpu_time").value_or(0), whole_field(entry, "iterations", 1),
             benchmark);
}

/// Repetitions follow each other, or are interleaved with others: those of one run_name are one benchmark.
Imported import_google(const Json& document, const Json& list) {
  Imported all{.program = "Google Benchmark",
               .command = line_field(*object_field(document, "context"), "executable"),
               .environment = google_environment(*object_field(document, "context"))};
  const auto named = [&](const std::string& name) {
    auto found = std::find_if(all.benchmarks.begin(), all.benchmarks.end(),
                              [&](const Benchmark& one) { return one.name == name; });
    if (found == all.benchmarks.end()) {
      all.benchmarks.push_back({.name = name});
      found = all.benchmarks.end() - 1;
    }
    return found;
  };
  for (const Json& entry : list) {
    if (!entry.is_object()) continue;
    const std::string name = line_field(entry, "name");
    const std::string run_name = line_field(entry, "run_name");
    if (text_field(entry, "run_type") != "aggregate") {
      add_google_sample(entry, &*named(run_name.empty() ? name : run_name));
    } else if (text_field(entry, "aggregate_name") == "median") {
      const auto benchmark = named(run_name);
      if (!benchmark->samples.empty() || !benchmark->failed.empty()) continue;
      add_google_sample(entry, &*benchmark);
      benchmark->note = "only the median of its repetitions was saved";
    }
  }
  return all;
}

// ---- nvbench -------------------------------------------------------------------------------------

/// nvbench writes numbers as texts, so that no digit is lost.
double number_of(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return NAN;
  const std::string& text = value.get_ref<const std::string&>();
  double number = NAN;
  const auto read = number_from(text.data(), text.data() + text.size(), &number);
  return read.ec == std::errc() ? number : NAN;
}

/// An entry of {"summaries": [{"tag": ..., "data": [{"name": ..., "value": ...}]}]}; null where there is none.
const Json* summary_value(const Json& state, std::string_view tag, std::string_view name) {
  const Json* summaries = list_field(state, "summaries");
  if (summaries == nullptr) return nullptr;
  for (const Json& summary : *summaries) {
    if (!summary.is_object() || text_field(summary, "tag") != tag) continue;
    const Json* data = list_field(summary, "data");
    if (data == nullptr) continue;
    for (const Json& entry : *data) {
      if (entry.is_object() && text_field(entry, "name") == name && entry.contains("value"))
        return &entry["value"];
    }
  }
  return nullptr;
}

/// The samples that --jsonbin wrote: seconds as little-endian floats, in FILE.json-bin/ beside FILE.json. Of the path
/// that the JSON holds only its last two parts are followed.
bool read_samples(const fs::path& path, const Json& state, Benchmark* benchmark) {
  const Json* named = summary_value(state, "nv/json/bin:nv/cold/sample_times", "filename");
  if (named == nullptr || !named->is_string()) return false;
  const fs::path given(named->get<std::string>());
  const auto bytes =
      read_whole((path.parent_path() / given.parent_path().filename() / given.filename()).string());
  if (!bytes) return false;
  for (size_t at = 0; at + 4 <= bytes->size(); at += 4) {
    const auto byte = [&](size_t i) {
      return uint32_t(static_cast<unsigned char>((*bytes)[at + i]));
    };
    const uint32_t bits = byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24;
    float seconds = 0;
    std::memcpy(&seconds, &bits, sizeof seconds);
    add_sample(1e9 * double(seconds), 0, 1, benchmark);
  }
  return !benchmark->samples.empty();
}

Benchmark nvbench_state(const fs::path& path, const std::string& bench, const Json& state) {
  Benchmark benchmark{.backend = Backend::cuda};
  const std::string axes = line_field(state, "name");
  benchmark.name = bench + (axes.empty() ? "" : " " + axes);
  if (const auto skipped = state.find("is_skipped"); skipped != state.end() && *skipped == true) {
    benchmark.failed = line_field(state, "skip_reason");
    if (benchmark.failed.empty()) benchmark.failed = "nvbench skipped it";
    return benchmark;
  }
  if (read_samples(path, state, &benchmark)) return benchmark;
  const Json* mean = summary_value(state, "nv/cold/time/gpu/mean", "value");
  const Json* size = summary_value(state, "nv/cold/sample_size", "value");
  if (mean == nullptr) {
    benchmark.failed = "it holds no cold GPU time";
    return benchmark;
  }
  const double calls = size != nullptr ? number_of(*size) : 1;
  add_sample(1e9 * number_of(*mean), 0, calls >= 1 && calls < 1e15 ? int64_t(calls) : 1,
             &benchmark);
  benchmark.note =
      "only the mean of its samples is here: --jsonbin saves them in files beside the JSON";
  return benchmark;
}

Environment nvbench_environment(const Json& document) {
  Environment environment;
  environment.quiet.is_unknown = true;
  environment.libraries["nvbench"] = "version not said";
  if (const Json* meta = object_field(document, "meta")) {
    const Json* version = object_field(*meta, "version");
    const Json* own = version != nullptr ? object_field(*version, "nvbench") : nullptr;
    if (own != nullptr) environment.libraries["nvbench"] = line_field(*own, "string");
  }
  for (const Json& device : *list_field(document, "devices")) {
    if (!device.is_object()) continue;
    GpuInfo gpu;
    gpu.index = static_cast<int>(std::clamp<int64_t>(whole_field(device, "id"), 0, 1 << 20));
    gpu.name = line_field(device, "name");
    gpu.capability =
        static_cast<int>(std::clamp<int64_t>(whole_field(device, "sm_version") / 10, 0, 9999));
    gpu.sm_count =
        static_cast<int>(std::clamp<int64_t>(whole_field(device, "number_of_sms"), 0, 1 << 20));
    gpu.l2_bytes = whole_field(device, "l2_cache_size");
    gpu.memory_bytes = whole_field(device, "global_memory_size");
    gpu.max_clock_hz = number_field(device, "sm_default_clock_rate").value_or(0);
    environment.gpus.push_back(std::move(gpu));
  }
  return environment;
}

std::string nvbench_command(const Json& document) {
  const Json* meta = object_field(document, "meta");
  const Json* words = meta != nullptr ? list_field(*meta, "argv") : nullptr;
  std::string text;
  for (size_t i = 0; words != nullptr && i < words->size(); ++i) {
    if ((*words)[i].is_string())
      text += (i > 0 ? " " : "") + shell_word((*words)[i].get<std::string>());
  }
  return one_line(text, kText);
}

Imported import_nvbench(const fs::path& path, const Json& document, const Json& list) {
  // Its isolated times: the L2 cache is flushed before each.
  Imported all{.program = "nvbench",
               .command = nvbench_command(document),
               .environment = nvbench_environment(document),
               .cache = CacheMode::cold};
  for (const Json& bench : list) {
    const Json* states = bench.is_object() ? list_field(bench, "states") : nullptr;
    if (states == nullptr) continue;
    for (const Json& state : *states) {
      if (state.is_object())
        all.benchmarks.push_back(nvbench_state(path, line_field(bench, "name"), state));
    }
  }
  return all;
}

// ---- the lines -----------------------------------------------------------------------------------

Json worker_line(const char* type) {
  return {{"ridgepoint", 1}, {"type", type}, {"request", 1}};
}

Series imported_series(const Benchmark& benchmark, const Imported& all, int index) {
  Series series;
  series.request = 1;
  series.index = index;
  series.lab = kImportedLab;
  series.kernel = command_id(benchmark.name, benchmark.backend);
  series.kind = RungKind::command;
  series.cache = all.cache;
  series.mode = RunMode::measure;
  const bool has_time = benchmark.failed.empty() && !benchmark.samples.empty();
  series.status = has_time ? SeriesStatus::ok : SeriesStatus::failed;
  series.reason = has_time                   ? ""
                  : benchmark.failed.empty() ? "the file holds no time of it"
                                             : benchmark.failed;
  series.note = "timed by " + all.program + ", apart from the others" +
                (benchmark.note.empty() ? "" : "; " + benchmark.note);
  CommandFacts& facts = series.command.emplace();
  facts.text = all.command.empty() ? all.program : all.command;
  std::vector<double> cpu_ns;
  for (const Sample& sample : benchmark.samples) {
    if (sample.cpu_ns > 0) cpu_ns.push_back(sample.cpu_ns);
  }
  if (!cpu_ns.empty()) facts.cpu_ns = stats::median(cpu_ns);
  for (const char* quantity : {"p90_ns", "p95_ns", "p99_ns", "energy_j"})
    series.unavailable[quantity] = all.program + " does not measure it";
  return series;
}

std::vector<Json> transcript_of(const Imported& all) {
  Json request = {{"ridgepoint", 1},
                  {"from", "app"},
                  {"type", "run"},
                  {"id", 1},
                  {"lab", kImportedLab},
                  {"mode", "measure"},
                  {"cache", to_string(all.cache)},
                  {"kernels", Json::array()}};
  for (const Benchmark& one : all.benchmarks)
    request["kernels"].push_back({{"kernel", command_id(one.name, one.backend)}});
  Json environment = worker_line("env");
  environment["when"] = "before";
  environment["environment"] = all.environment;
  std::vector<Json> lines = {std::move(request), std::move(environment)};
  int index = 0;
  for (const Benchmark& one : all.benchmarks) {
    if (!one.samples.empty()) {
      Json samples = worker_line("samples");
      samples["series"] = index, samples["phase"] = "call", samples["samples"] = one.samples;
      lines.push_back(std::move(samples));
    }
    Json result = worker_line("result");
    result["series"] = index;
    result["outcome"] = imported_series(one, all, index);
    result["outcome"].erase("stats");  // of the samples
    lines.push_back(std::move(result));
    ++index;
  }
  Json done = worker_line("done");
  done["status"] = "ok";
  lines.push_back(std::move(done));
  return lines;
}

}  // namespace

Result<std::vector<Json>> import_benchmarks(const std::string& path) {
  const Error foreign{
      ErrorCode::bad_input, "this is JSON of another program", path,
      "give a run as saved by 'ridgepoint run --out RUN.jsonl', or the JSON of Google "
      "Benchmark or nvbench"};
  std::error_code unknown;
  if (fs::file_size(path, unknown) > kMostFile_bytes || unknown) return foreign;
  RIDGE_TRY(const std::string text, read_whole(path));
  const auto document = parse_json(text, path);
  if (!document) return document.error();
  if (!document->is_object()) return foreign;
  const Json* list = list_field(*document, "benchmarks");
  const bool is_google = list != nullptr && object_field(*document, "context") != nullptr;
  const bool is_nvbench = list != nullptr && list_field(*document, "devices") != nullptr;
  if (!is_google && !is_nvbench) return foreign;
  const Imported all =
      is_google ? import_google(*document, *list) : import_nvbench(path, *document, *list);
  if (all.benchmarks.empty()) {
    return Error{ErrorCode::bad_input, "this JSON of " + all.program + " holds no benchmark", path,
                 "let it run to its end"};
  }
  return transcript_of(all);
}

}  // namespace ridge
