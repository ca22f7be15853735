// Tidy: one observation a line, every line complete in itself, so that any tool can group and filter
// without knowing the project.
#include <fmt/format.h>

#include <cmath>
#include <vector>

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

/// "1,254982,,,": what is known of a sample besides its time.
std::string beside_time(const Sample& sample) {
  return fmt::format("{},{},{},{},{}", sample.calls, sample.cpu_ns > 0 ? number(sample.cpu_ns) : "",
                     number(sample.sm_clock_hz), number(sample.temp_c), number(sample.power_w));
}

void write_samples(const std::string& head, const char* phase, const Samples& samples,
                   std::string* out) {
  for (const Sample& sample : samples) {
    *out += fmt::format("{}{},{},{},{},{},\n", head, phase, sample.index, number(sample.t_ns),
                        beside_time(sample), text(joined(sample.flags)));
  }
}

/// A slot of a comparison's rounds that this series ran.
struct Slot {
  int64_t round = 0;
  size_t at = 0, of = 0;
  double t_ns = 0;
};

std::vector<Slot> slots_of(const Run& run, const Series& series) {
  std::vector<Slot> slots;
  for (const Round& round : run.rounds(series.request)) {
    for (size_t at = 0; at < round.order.size() && at < round.t_ns.size(); ++at) {
      if (round.side(at) == series.index)
        slots.push_back({round.index, at, round.order.size(), round.t_ns[at]});
    }
  }
  return slots;
}

/// The samples of a comparison are the slots of its rounds, in their order: then a measurement has one line, with what
/// both say of it. Returns whether it has.
bool write_rounds(const std::string& head, const Series& series, const std::vector<Slot>& slots,
                  std::string* out) {
  bool are_same = series.samples.size() == slots.size();
  for (size_t i = 0; are_same && i < slots.size(); ++i)
    are_same = series.samples.t_ns(i) == slots[i].t_ns;
  for (size_t i = 0; i < slots.size(); ++i) {
    const auto& [round, at, of, t_ns] = slots[i];
    std::string flags = fmt::format("slot {} of {}", at + 1, of);
    const Sample sample = are_same ? series.samples[i] : Sample();
    if (!sample.flags.empty()) flags += " " + joined(sample.flags);
    *out += fmt::format("{}round,{},{},{},{},\n", head, round, number(t_ns),
                        are_same ? beside_time(sample) : ",,,,", text(flags));
  }
  return are_same;
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
      const std::vector<Slot> slots = slots_of(*input.run, series);
      if (!write_rounds(head, series, slots, &out))
        write_samples(head, "call", series.samples, &out);
      write_samples(head, "latency", series.latency_samples, &out);
      if (!slots.empty() || !series.samples.empty() || !series.latency_samples.empty()) continue;
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
