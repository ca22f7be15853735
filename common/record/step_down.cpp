#include "common/record/step_down.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/core/format.h"
#include "common/record/diagnosis.h"

namespace ridge {
namespace {

/// The share of the lost time that a quantity's growth has to explain before it is called the cause.
constexpr double kMostOfIt = 0.7;

std::optional<double> counted(const Series& series, const char* name) {
  for (const Counter& counter : series.counters) {
    if (counter.name == name && counter.value > 0) return counter.value;
  }
  return std::nullopt;
}

std::optional<double> growth(const std::optional<double>& before,
                             const std::optional<double>& after) {
  if (!before || !after || !(*before > 0) || !(*after > 0)) return std::nullopt;
  return *after / *before;
}

/// Of a CPU from its cycles, of a GPU as it was read.
std::optional<double> clock_of(const Series& series) {
  if (series.sm_clock_hz) return series.sm_clock_hz;
  const auto cycles = counted(series, "cycles");
  if (!cycles || !series.stats || !(series.stats->median_ns > 0)) return std::nullopt;
  return *cycles / (series.stats->median_ns * 1e-9);
}

struct Clocks {
  std::optional<double> before, after;
};

/// The clocks that may explain the difference. The sides of a pair share a GPU's clock in their turns: then only sustained
/// turns, in which each side runs alone, have clocks that tell them apart.
Clocks clocks_of(const Series& before, const Series& after, const Comparison* pair) {
  if (pair && pair->sustained.size() == 2)
    return {pair->sustained[0].sm_clock_hz, pair->sustained[1].sm_clock_hz};
  if (pair && (before.sm_clock_hz || after.sm_clock_hz)) return {};
  return {clock_of(before), clock_of(after)};
}

/// How much slower it is, as the step that is explained has it; 1: not known.
double slowdown_of(const Series& before, const Series& after, const Comparison* pair) {
  if (pair && pair->ratio > 0) return 1 / pair->ratio;
  const bool timed = before.stats && after.stats && before.stats->median_ns > 0;
  return timed ? after.stats->median_ns / before.stats->median_ns : 1;
}

std::optional<StepCause> counted_cause(const Series& before, const Series& after,
                                       const Clocks& clocks, double slowdown) {
  const double enough = 1 + kMostOfIt * (slowdown - 1);
  struct Quantity {
    const char *counter, *words;
  };
  constexpr Quantity kQuantities[] = {{"instructions", "instructions"},
                                      {"cache_misses", "cache misses"}};
  for (const auto& [counter, words] : kQuantities) {
    const auto more = growth(counted(before, counter), counted(after, counter));
    if (more && *more >= enough)
      return StepCause{fmt::format("{} the {}", format_ratio(*more), words),
                       fmt::format("a call has {} the {} (counted)", format_ratio(*more), words)};
  }
  const auto fall = growth(clocks.after, clocks.before);
  if (fall && *fall >= enough)
    return StepCause{"a lower clock", fmt::format("its clock is lower: {} → {}",
                                                  format_quantity(*clocks.before, "Hz"),
                                                  format_quantity(*clocks.after, "Hz"))};
  return std::nullopt;
}

std::optional<StepCause> limit_cause(const std::optional<Diagnosis>& before,
                                     const std::optional<Diagnosis>& after) {
  if (!after || after->bottleneck == Bottleneck::not_sure) return std::nullopt;
  const std::string limit = bottleneck_text(*after);
  const bool was_known = before && before->bottleneck != Bottleneck::not_sure;
  if (!was_known || bottleneck_text(*before) == limit) return std::nullopt;
  return StepCause{"limited by " + limit,
                   fmt::format("it is limited by {} ({}), the rung before by {}", limit,
                               evidence_text(*after, 1), bottleneck_text(*before))};
}

/// What would settle it, and why that is not known here.
std::string not_known(const Series& before, const Series& after) {
  std::string text = "not known why: ";
  if (!before.counters.empty() && !after.counters.empty())
    return text +
           "a profiler would settle it; the counters that were read explain too little of it";
  text += "hardware counters of both rungs would settle it";
  const auto why = after.unavailable.find("counters");
  return why == after.unavailable.end() || why->second.empty()
             ? text
             : text + "; they were not read: " + why->second;
}

}  // namespace

StepCause why_slower(const Series& before, const Series& after,
                     const std::vector<Ceiling>& ceilings,
                     const std::optional<Environment>& environment, const Comparison* pair) {
  const double slowdown = slowdown_of(before, after, pair);
  if (slowdown > 1) {
    if (auto cause = counted_cause(before, after, clocks_of(before, after, pair), slowdown))
      return *cause;
  }
  if (auto cause = limit_cause(diagnose(before, ceilings, environment),
                               diagnose(after, ceilings, environment)))
    return *cause;
  return {"not known why", not_known(before, after)};
}

}  // namespace ridge
