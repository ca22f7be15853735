// Tidy: one observation a line, every line complete in itself, so that any tool can group and filter
// without knowing the project.
#include <fmt/format.h>

#include <cmath>

#include "common/record/params.h"
#include "common/view/report/content.h"
#include "common/view/report/format.h"

namespace ridge::report {
namespace {

constexpr const char* kHeader =
    "file,lab,kernel,params,dtype,cache,request,status,check_passed,phase,index,time_ns,calls,"
    "cpu_ns,sm_clock_hz,temp_c,power_w,flags,reason\n";

/// Quoted where it must be. A text that a spreadsheet would run as a formula gets an apostrophe.
std::string text(const std::string& value) {
  std::string safe = value;
  if (!safe.empty() && std::string("=+-@\t\r").find(safe[0]) != std::string::npos)
    safe.insert(0, "'");
  if (safe.find_first_of(",\"\n\r") == std::string::npos) return safe;
  std::string quoted = "\"";
  for (const char sign : safe) quoted += sign == '"' ? std::string("\"\"") : std::string(1, sign);
  return quoted + "\"";
}

/// Shortest text that reads back as the same number; nothing where there is none.
std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "";
}
std::string number(const std::optional<double>& value) {
  return value ? number(*value) : "";
}

std::string joined(const std::vector<std::string>& flags) {
  std::string all;
  for (const std::string& flag : flags) all += (all.empty() ? "" : " ") + flag;
  return all;
}

std::string check_text(const Series& series) {
  if (series.checks.empty()) return "";
  return quality_problem(series).empty() && series.quality_passed() ? "true" : "false";
}

std::string prefix(const Input& input, const Series& series) {
  return fmt::format("{},{},{},{},{},{},{},{},{},", text(input.name), text(series.lab),
                     text(series.kernel), text(to_string(series.params)), text(series.dtype),
                     text(series.cache.text()), series.request, to_string(series.status),
                     check_text(series));
}

void write_samples(const std::string& head, const char* phase, const Samples& samples,
                   std::string* out) {
  for (const Sample& sample : samples) {
    *out += fmt::format("{}{},{},{},{},{},{},{},{},{},\n", head, phase, sample.index,
                        number(sample.t_ns), sample.calls,
                        sample.cpu_ns > 0 ? number(sample.cpu_ns) : "", number(sample.sm_clock_hz),
                        number(sample.temp_c), number(sample.power_w), text(joined(sample.flags)));
  }
}

/// The slots of a comparison's rounds that this series ran.
bool write_rounds(const Run& run, const std::string& head, const Series& series, std::string* out) {
  bool any = false;
  for (const Round& round : run.rounds(series.request)) {
    for (size_t slot = 0; slot < round.order.size() && slot < round.t_ns.size(); ++slot) {
      if (round.side(slot) != series.index) continue;
      *out += fmt::format("{}round,{},{},,,,,,slot {} of {},\n", head, round.index,
                          number(round.t_ns[slot]), slot + 1, round.order.size());
      any = true;
    }
  }
  return any;
}

/// A recording keeps summaries alone: the median stands in its phase "median", which no filter takes for a sample, or why
/// there is none.
void write_summary(const std::string& head, const Series& series, std::string* out) {
  const std::string problem = problem_of(series), kept = "the run keeps no samples of it";
  if (!problem.empty() || !series.stats) {
    *out += head + "none,,,,,,,,," + text(problem.empty() ? kept : problem) + "\n";
    return;
  }
  *out += fmt::format("{}median,,{},,,{},,,{},{}\n", head, number(series.stats->median_ns),
                      number(series.sm_clock_hz), text(joined(series.stats->flags)),
                      text(fmt::format("{}: median of {}", kept, series.stats->n)));
}

/// One line per sample (phase call, latency or round), one line per series without samples.
std::string to_csv(const Report& report) {
  std::string out = kHeader;
  for (const Input& input : report.inputs) {
    for (const Series& series : input.run->series()) {
      const std::string head = prefix(input, series);
      const bool rounds = write_rounds(*input.run, head, series, &out);
      write_samples(head, "call", series.samples, &out);
      write_samples(head, "latency", series.latency_samples, &out);
      if (rounds || !series.samples.empty() || !series.latency_samples.empty()) continue;
      write_summary(head, series, &out);
    }
  }
  return out;
}

RIDGE_FORMAT(csv, .ending = ".csv", .name = "CSV",
             .about = "one line a sample, for statistics programs", .place = 40,
             .level = Level::kLab, .print = to_csv);

}  // namespace
}  // namespace ridge::report
