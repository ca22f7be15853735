#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/query/results.h"
#include "common/core/format.h"
#include "common/record/derive.h"
#include "common/record/diagnosis.h"

namespace ridge::app {
namespace {

std::string title_of(const Lab& lab, const std::string& kernel) {
  const auto rung = find_rung(lab, kernel);
  return rung ? (*rung)->title : kernel;
}

std::string cause_text(const Series& series, const Diagnosis& diagnosis, const Lab& lab,
                       const Levers& levers) {
  std::string text =
      fmt::format("  {}: {}", short_name(series.kernel), to_string(diagnosis.bottleneck));
  if (!diagnosis.reason.empty()) text += ", " + diagnosis.reason;
  if (!diagnosis.evidence.empty()) text += "\n    " + evidence_text(diagnosis);
  const std::string lever = lever_of(diagnosis.bottleneck);
  const std::string rung = lever_rung(levers, series.kernel, diagnosis);
  if (!lever.empty()) {
    text += "\n    lever: " + lever;
    if (!rung.empty()) text += fmt::format(" ({}: {})", title_of(lab, rung), rung);
  }
  return text + "\n";
}

std::string resources_text(const Resources& resources) {
  std::string text;
  for (const DeviceKernel& kernel : resources.kernels) {
    text += "    " + describe(kernel) + "\n";
  }
  return text;
}

std::string counters_text(const std::vector<Counter>& counters) {
  std::string text;
  for (const Counter& counter : counters) {
    text += fmt::format("    {} {}\n", counter.name, format_counter(counter));
  }
  return text;
}

}  // namespace

std::string diagnoses_text(const Run& run, int64_t request, const Lab& lab) {
  const Levers levers = levers_of(lab);
  std::string text, last_reason;
  for (const Series& series : run.series()) {
    const bool wanted = request == 0 || series.request == request;
    const auto diagnosis =
        wanted ? diagnose(series, run.ceilings(), run.environment()) : std::nullopt;
    if (!diagnosis) continue;
    text += cause_text(series, *diagnosis, lab, levers);
    if (series.resources) text += resources_text(*series.resources);
    text += counters_text(series.counters);
    // The same for every rung of a backend: once is enough.
    const auto why = series.unavailable.find("counters");
    if (why == series.unavailable.end() || why->second == last_reason) continue;
    last_reason = why->second;
    text += "    counters unavailable: " + why->second + "\n";
  }
  return text.empty() ? "" : "\nbottlenecks\n" + text;
}

}  // namespace ridge::app
