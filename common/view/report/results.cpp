// The measured figures, one table each. A figure that is not there says why in its place.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <optional>
#include <set>

#include "common/core/format.h"
#include "common/record/caution.h"
#include "common/record/clocks.h"
#include "common/record/command.h"
#include "common/record/note_text.h"
#include "common/record/one_run.h"
#include "common/record/params.h"
#include "common/record/stale_words.h"
#include "common/view/report/climb.h"
#include "common/view/report/content.h"
#include "common/view/report/fold_rows.h"

namespace ridge::report {
namespace {

using namespace chart;

/// The series' own word on a quantity, else `fallback`.
std::string reason_for(const Series& series, const std::string& quantity,
                       const std::string& fallback) {
  const auto known = series.unavailable.find(quantity);
  return unavailable(known == series.unavailable.end() ? fallback : known->second);
}

bool usable(const std::optional<double>& value) {
  return value && std::isfinite(*value);
}

std::string interval_or_reason(const std::string& text, int n) {
  return text == kNone ? unavailable(fmt::format("n = {}, needs 6", n)) : text;
}

/// One row per line: the label, then what `cells` makes of it; a line with a problem says it once.
/// Traps have a section of their own.
template <class Cells>
Table table_of(const Material& material, std::vector<std::string> columns, Cells cells) {
  Table table{.columns = std::move(columns)};
  for (const Line& line : material.lines) {
    if (is_trap(line)) continue;
    std::vector<std::string> row = {line.label};
    if (line.problem.empty()) {
      for (std::string& cell : cells(line)) row.push_back(std::move(cell));
    } else {
      row.push_back(unavailable(line.problem));
    }
    row.resize(table.columns.size());
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string or_unknown(const std::string& text) {
  return text.empty() ? "not recorded" : text;
}

std::string quiet_text(const QuietState& quiet) {
  if (quiet.quiet) return quiet.is_unknown ? "not known: what else ran is not recorded" : "quiet";
  std::string text = "not quiet";
  for (const std::string& reason : quiet.reasons) {
    text += (reason == quiet.reasons.front() ? ": " : ", ") + reason;
  }
  return text;
}

std::string gpu_text(const Environment& env) {
  if (env.gpus.empty()) return unavailable(env.no_gpu_reason);
  std::string text;
  for (const GpuInfo& gpu : env.gpus) {
    if (!text.empty()) text += "; ";
    text +=
        fmt::format("{}, compute capability {}.{}, {} SMs, {}, driver {}", gpu.name,
                    gpu.capability / 10, gpu.capability % 10, gpu.sm_count,
                    format_bytes(static_cast<double>(gpu.memory_bytes)), or_unknown(gpu.driver));
  }
  return text;
}

std::string cpu_text(const CpuInfo& cpu) {
  std::string text = fmt::format("{}, {} logical cores used, {}", or_unknown(cpu.model), cpu.cores,
                                 or_unknown(cpu.isa));
  if (cpu.l3_bytes > 0) {
    text += ", L2 " + format_bytes(static_cast<double>(cpu.l2_bytes)) + ", L3 " +
            format_bytes(static_cast<double>(cpu.l3_bytes));
  }
  return text;
}

std::string joined(const std::map<std::string, std::string>& entries) {
  std::string text;
  for (const auto& [name, value] : entries) text += (text.empty() ? "" : ", ") + name + " " + value;
  return text;
}

std::string build_text(const Environment& env, bool with_cuda = true) {
  return or_unknown(env.compiler) + ", " + or_unknown(env.build_type) +
         (env.cuda.empty() || !with_cuda ? "" : ", CUDA " + env.cuda);
}

std::vector<std::string> environment_facts(const Material& material, const Input& input) {
  const Run& run = *input.run;
  if (!run.environment()) {
    std::vector<std::string> unknown(11, unavailable("the run holds no environment"));
    return unknown;
  }
  const Environment& env = *run.environment();
  const std::string memory = env.cpu.memory_bytes > 0
                                 ? format_bytes(static_cast<double>(env.cpu.memory_bytes))
                                 : unavailable("not reported");
  return {or_unknown(measured_when(material, input)),
          or_unknown(env.os),
          cpu_text(env.cpu),
          memory,
          gpu_text(env),
          build_text(env),
          or_unknown(env.version) + (env.commit.empty() ? "" : ", commit " + env.commit),
          env.libraries.empty() ? "none recorded" : joined(env.libraries),
          or_unknown(env.power_source) + ", governor " + or_unknown(env.cpu.governor),
          quiet_text(env.quiet),
          run.quiet_after() ? quiet_text(*run.quiet_after()) : "not recorded"};
}

}  // namespace

std::string measured_when(const Material& material, const Input& input) {
  const Run& run = *input.run;
  std::optional<double> first, last;
  for (const Line& line : material.lines) {
    if (line.input != &input) continue;
    const auto time = ended_utc_s(run, *line.series);
    if (!time) continue;
    first = std::min(first.value_or(*time), *time);
    last = std::max(last.value_or(*time), *time);
  }
  if (!first) {  // no times in the transcript: when the machine was looked at
    const std::string time = run.environment() ? run.environment()->time_utc : "";
    constexpr size_t kMinutes = 16;  // letters of "2026-11-26T02:51"
    return time.size() < kMinutes ? time : time.substr(0, 10) + " " + time.substr(11, 5) + " UTC";
  }
  const auto begin = fmt::gmtime(static_cast<std::time_t>(*first)),
             end = fmt::gmtime(static_cast<std::time_t>(*last));
  const std::string from = fmt::format("{:%Y-%m-%d %H:%M}", begin),
                    to = fmt::format("{:%Y-%m-%d %H:%M}", end);
  if (from == to) return from + " UTC";
  const bool same_day = from.substr(0, 10) == to.substr(0, 10);
  return from + " to " + (same_day ? fmt::format("{:%H:%M}", end) : to) + " UTC";
}

namespace {

/// Of a run that began on a quiet machine: whether it stayed so.
std::string quiet_clause(const Material& material, const Input& input) {
  const QuietState& before = input.run->environment()->quiet;
  if (!before.quiet) return ".";
  if (before.is_unknown) return "; what else the machine did meanwhile is not known.";
  const auto& after = input.run->quiet_after();
  const bool is_busy_later =
      (after && !after->quiet) ||
      std::any_of(material.lines.begin(), material.lines.end(),
                  [&](const Line& line) { return line.input == &input && was_busy(line); });
  return is_busy_later ? "; when it began the machine was quiet, later it was busy."
                       : "; when it began the machine was quiet.";
}

}  // namespace

std::vector<std::string> machine_lines(const Material& material, const Input& input, bool on_gpu) {
  if (!input.run->environment()) return {unavailable("the run holds no environment")};
  const Environment& env = *input.run->environment();
  std::string what = on_gpu ? gpu_text(env) : cpu_text(env.cpu);
  if (!on_gpu && env.cpu.memory_bytes > 0)
    what += ", memory " + format_bytes(static_cast<double>(env.cpu.memory_bytes));
  return {what + "; " + or_unknown(env.os) + ".",
          "Measured " + or_unknown(measured_when(material, input)) +
              (env.compiler.empty() ? "" : " with rungs built by " + build_text(env, on_gpu)) +
              quiet_clause(material, input)};
}

Section environment_section(const Material& material) {
  Section section{.id = "environment", .title = "Environment"};
  Table table{.columns = {"What"}};
  const char* names[] = {"Measured", "System",         "CPU",          "Memory",
                         "GPU",      "Built with",     "Program",      "Libraries",
                         "Power",    "Machine before", "Machine after"};
  for (const char* name : names) table.rows.push_back({name});
  for (const Input& input : material.inputs) {
    table.columns.push_back(input.name);
    const std::vector<std::string> facts = environment_facts(material, input);
    for (size_t i = 0; i < facts.size(); ++i) table.rows[i].push_back(facts[i]);
  }
  table.prose = true;
  section.table = std::move(table);
  for (const Input& input : material.inputs) {
    const std::string from = material.inputs.size() > 1 ? input.name + ": " : "";
    for (const Ceiling& ceiling : input.run->ceilings()) {
      section.bullets.push_back(fmt::format("{}ceiling, {}: {} {}{}", from, ceiling_source(ceiling),
                                            ceiling.name, ceiling_text(ceiling, ceiling.value),
                                            ceiling.doubt.empty() ? "" : ". " + ceiling.doubt));
    }
    if (input.run->ceilings().empty()) {
      section.bullets.push_back("ceilings " + unavailable("none were measured in " + input.name));
    }
  }
  return section;
}

namespace {

/// What several rungs say is said once, with the names of the first few.
std::vector<std::string> shared_notes(const Material& material) {
  constexpr size_t kNamed = 3;
  std::vector<std::pair<std::string, std::vector<std::string>>> notes;
  for (const Line& line : material.lines) {
    std::string note = note_text(line.series->note);
    if (line.series->stale) note = without_stale_word(std::move(note));  // the label says it
    if (note.empty() || is_trap(line)) continue;
    auto known = std::find_if(notes.begin(), notes.end(),
                              [&](const auto& one) { return one.first == note; });
    if (known == notes.end()) known = notes.insert(known, {note, {}});
    known->second.push_back(line.label);
  }
  std::vector<std::string> texts;
  for (const auto& [note, names] : notes) {
    std::string text;
    for (size_t i = 0; i < names.size() && i < kNamed; ++i) text += (i == 0 ? "" : "; ") + names[i];
    if (names.size() > kNamed) text += fmt::format("; {} more", names.size() - kNamed);
    texts.push_back(text + ": " + note);
  }
  return texts;
}

}  // namespace

std::string later_words(const Line& line, const Options& options) {
  const std::string time = time_of_day(*line.input->run, *line.later);
  const auto rate = throughput_of(*line.later);
  return "timed again" + (time.empty() ? "" : " at " + time) + ": " +
         (rate ? format_rate(rate->value, unit_in_words(line, rate->unit, options))
               : unavailable("no usable time per call"));
}

namespace {

/// What the words behind a count of samples mean, for those that stand there.
void explain_flags(const Material& material, Section* section) {
  std::set<std::string> flags;
  for (const Line& line : material.lines) {
    if (line.problem.empty() && !is_trap(line) && line.series->stats)
      flags.insert(line.series->stats->flags.begin(), line.series->stats->flags.end());
  }
  for (const std::string& flag : flags) {
    if (const std::string meaning = flag_meaning(flag); !meaning.empty())
      section->bullets.push_back(capitalised(name_in_words(flag)) + ": " + meaning + ".");
  }
}

}  // namespace

Section throughput_section(const Material& material) {
  Section section{.id = "throughput", .title = "Throughput"};
  section.paragraphs = {
      std::string(own_sides_of(material).one == "command"
                      ? "Time per call is that of a process, from its start to its end."
                      : "Time per call is measured back to back: it is the inverse of throughput, "
                        "not a latency.") +
      " Median and its 95 % interval."};
  section.table = table_of(
      material,
      {"Rung", "Time per call", "95 % interval", "Throughput", "95 % interval", "Samples"},
      [&](const Line& line) -> std::vector<std::string> {
        const Series& series = *line.series;
        const auto rate = throughput_of(series);
        const std::string unit = rate ? unit_in_words(line, rate->unit, *material.options) : "";
        const std::string throughput = rate && std::isfinite(rate->value)
                                           ? format_rate(rate->value, unit)
                                           : unavailable("no usable time per call");
        if (!series.stats) {
          return {reason_for(series, "stats", "no time per call was measured"), "", throughput};
        }
        const Stats& stats = *series.stats;
        std::string samples = format_count(stats.n);
        for (const std::string& flag : stats.flags) samples += ", " + name_in_words(flag);
        const auto& ci =
            line.derived.flop_per_s_ci ? line.derived.flop_per_s_ci : line.derived.bytes_per_s_ci;
        const bool has_ci = rate && ci && (rate->unit == "FLOP/s" || rate->unit == "B/s");
        return {usable(stats.median_ns) ? format_time_ns(stats.median_ns)
                                        : unavailable("the median is not a number"),
                interval_or_reason(format_time_interval(stats.ci_ns), stats.n), throughput,
                has_ci ? format_rate_interval(ci, unit) : unavailable("no interval"), samples};
      });
  explain_flags(material, &section);
  for (std::string& note : shared_notes(material)) section.bullets.push_back(std::move(note));
  for (const Line& line : material.lines) {
    if (line.later)
      section.bullets.push_back(line.label + ": " + later_words(line, *material.options));
  }
  return section;
}

Section latency_section(const Material& material) {
  Section section{.id = "latency", .title = "Latency"};
  section.paragraphs = {
      std::string(own_sides_of(material).one == "command"
                      ? "Each call alone, from the start of its process to its end: the calls of "
                        "the rounds."
                      : "One call at a time, from launch to completion, in a pass of its own.") +
      " A percentile is given only where enough samples hold it up: p90 needs 29, p95 59, p99 "
      "299."};
  section.table = table_of(
      material, {"Rung", "p50", "p90", "p95", "p99", "Samples"},
      [](const Line& line) -> std::vector<std::string> {
        const Series& series = *line.series;
        if (!series.latency) return {reason_for(series, "latency", "single calls were not timed")};
        const LatencyStats& latency = *series.latency;
        auto cell = [&](const std::optional<double>& ns, int needed) {
          if (usable(ns)) return format_time_ns(*ns);
          return unavailable(fmt::format("n = {}, needs {}", latency.n, needed));
        };
        return {cell(latency.p50_ns, 2), cell(latency.p90_ns, 29), cell(latency.p95_ns, 59),
                cell(latency.p99_ns, 299), format_count(latency.n)};
      });
  return section;
}

Section utilization_section(const Material& material) {
  Section section{.id = "utilization", .title = "Utilization"};
  section.paragraphs = {
      "Source of every share: derived, that is achieved rate over the ceiling measured on the same "
      "machine with the same number of threads."};
  const bool is_over = std::any_of(
      material.lines.begin(), material.lines.end(),
      [](const Line& line) { return line.problem.empty() && is_over_ceiling(line.derived); });
  if (is_over) section.paragraphs.front() += " " + capitalised(kOverCeiling) + ".";
  auto share = [](const std::optional<Utilization>& use, const std::string& reason) {
    if (!use || !std::isfinite(use->value)) return unavailable(reason);
    return format_share(use->value) + " of " + use->name + clocks_text(*use) + " (" + use->source +
           ")";
  };
  section.table =
      table_of(material, {"Rung", "Compute", "Memory bandwidth"},
               [&](const Line& line) -> std::vector<std::string> {
                 return {share(line.derived.compute, line.derived.no_compute_reason),
                         share(line.derived.bandwidth, line.derived.no_bandwidth_reason)};
               });
  for (const Line& line : material.lines) {
    const WorkRate* exp = line.derived.rate_of("exp");
    if (exp == nullptr || !line.problem.empty()) continue;
    section.bullets.push_back(line.label + ": exponentials " + format_rate(exp->per_s, "exp/s") +
                              ", " + share(exp->share, exp->no_share_reason));
  }
  return section;
}

Section memory_section(const Material& material) {
  Section section{.id = "memory", .title = "Memory and energy"};
  section.table =
      table_of(material,
               {"Rung", material.lab == kCommandLab ? "Peak memory" : "Buffers and workspace",
                "Least traffic a call", "Energy a call"},
               [&](const Line& line) -> std::vector<std::string> {
                 const Series& series = *line.series;
                 auto bytes = [&](double value, const char* name, const char* why) {
                   return value > 0 && std::isfinite(value) ? format_bytes(value)
                                                            : reason_for(series, name, why);
                 };
                 return {bytes(series.memory_bytes, "memory_bytes", "not reported"),
                         bytes(series.bytes_min, "bytes_per_s", "its bytes are not counted"),
                         usable(series.energy_j)
                             ? energy_text(series, line.derived) + "; " + series.energy_source
                             : reason_for(series, "energy_j", "not measured")};
               });
  return section;
}

Section bandwidth_section(const Material& material) {
  Section section{.id = "bandwidth", .title = "Memory bandwidth"};
  section.paragraphs = {
      "A lower bound: every input read once and every output written once, over the median time. "
      "What really moved needs hardware counters."};
  section.table = table_of(
      material, {"Rung", "Bandwidth", "95 % interval"},
      [](const Line& line) -> std::vector<std::string> {
        if (!usable(line.derived.bytes_per_s)) {
          return {unavailable(line.derived.no_bandwidth_reason)};
        }
        return {format_rate(*line.derived.bytes_per_s, "B/s"),
                interval_or_reason(format_rate_interval(line.derived.bytes_per_s_ci, "B/s"),
                                   line.series->stats ? line.series->stats->n : 0)};
      });
  return section;
}

namespace {

/// Of the types that were checked alone: what limits the error of one type says nothing of another.
void add_limit(const Material& material, Section* section) {
  const Options& options = *material.options;
  if (options.quality_limit.empty()) return;
  std::map<std::string, std::string> of_type;
  for (const Line& line : material.lines) {
    const auto limit = options.type_limits.find(dtype_of(*line.series));
    if (line.series->quality() && limit != options.type_limits.end()) of_type.insert(*limit);
  }
  std::string text = "Limit of this lab: " + options.quality_limit;
  for (const auto& [dtype, words] : of_type)
    text += (dtype == of_type.begin()->first ? ", in " : "; in ") + dtype + " " + words;
  section->paragraphs.push_back(text + ".");
}

/// A network that is judged by its answers says beside them how far its scores are from float64's. None: the check has no
/// error of its own.
std::optional<double> own_nmse(const QualityCheck& check) {
  const auto scores = check.task.find("scores_nmse");
  if (scores != check.task.end()) return scores->second;
  return check.nmse_limit > 0 ? std::optional(check.nmse) : std::nullopt;
}

/// What the error norm is to a product, the share of right answers is to a classifier.
Section task_section(const Material& material, const std::string& metric) {
  const std::string title = task_title(metric);
  Section section{.id = "error", .title = title};
  section.paragraphs = {"Of the problem that was timed. A rung that fails any check has no speed."};
  add_limit(material, &section);
  const bool has_nmse =
      std::any_of(material.lines.begin(), material.lines.end(), [](const Line& line) {
        const QualityCheck* check = line.series->quality();
        return check && own_nmse(*check);
      });
  Table table{.columns = {"Rung", title, "Judged on", "Checks", "Result"}};
  if (has_nmse) table.columns.insert(table.columns.begin() + 3, "NMSE");
  for (const Line& line : material.lines) {
    const QualityCheck* check = line.series->quality();
    if (!check) {
      table.rows.push_back({line.label, unavailable("no check in this run")});
      table.rows.back().resize(table.columns.size());
      continue;
    }
    const std::string problem = quality_problem(*line.series);
    table.rows.push_back({line.label, task_text(*check, metric), check->what,
                          format_count(static_cast<double>(line.series->checks.size())),
                          problem.empty() ? "passed" : problem});
    if (!has_nmse) continue;
    const auto nmse = own_nmse(*check);
    table.rows.back().insert(table.rows.back().begin() + 3,
                             nmse ? format_scientific(*nmse) : "exact");
  }
  section.table = std::move(table);
  return section;
}

}  // namespace

Section error_section(const Material& material) {
  if (const std::string metric = task_metric_of(material); !metric.empty())
    return task_section(material, metric);
  Section section{.id = "error", .title = "Error"};
  section.paragraphs = {
      "NMSE is the sum of (out − ref)² over the sum of ref², against float64 on the inputs as "
      "rounded to the rung's type; the worst of all checks is shown. A rung over its limit has no "
      "speed."};
  add_limit(material, &section);
  Table table{.columns = {"Rung", "NMSE", "Limit", "Largest error", "Checks", "Result"}};
  for (const Line& line : material.lines) {
    const QualityCheck* check = line.series->quality();
    if (!check) {
      table.rows.push_back({line.label, unavailable("no check in this run"), "", "", "", ""});
      continue;
    }
    auto number = [](double value) {
      return std::isfinite(value) ? format_scientific(value) : unavailable("not a number");
    };
    const std::string problem = quality_problem(*line.series);
    if (line.series->kind == RungKind::command) {
      const bool is_library = own_sides(*line.series).one == "library";
      table.rows.push_back({line.label, kNone,
                            is_library ? judge_of(*check) : "exit code 0, or the same bytes", kNone,
                            format_count(static_cast<double>(line.series->checks.size())),
                            problem.empty() ? "passed" : problem});
      continue;
    }
    table.rows.push_back({line.label, number(check->nan_count > 0 ? NAN : check->nmse),
                          check->nmse_limit > 0 ? number(check->nmse_limit) : "exact",
                          number(check->max_abs),
                          format_count(static_cast<double>(line.series->checks.size())),
                          problem.empty() ? "passed" : problem});
  }
  fold_repeated(material, &table);
  section.table = std::move(table);
  return section;
}

}  // namespace ridge::report
