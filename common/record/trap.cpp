#include "common/record/trap.h"

#include <fmt/format.h>

#include "common/core/format.h"

namespace ridge {

std::string reading_text(const TrapOutcome& trap, double reading) {
  return trap.unit == "s" ? format_time_ns(reading * 1e9) : format_ratio(reading);
}

std::string reading_interval_text(const TrapOutcome& trap, const TrapFigure& figure) {
  if (trap.unit != "s" || !figure.ci) return format_ratio_interval(figure.ci);
  return format_time_interval(Interval{figure.ci->low * 1e9, figure.ci->high * 1e9});
}

std::string bias_text(const TrapOutcome& trap) {
  if (trap.bias == "high") return format_ratio(trap.factor) + " too high";
  if (trap.bias == "low") return format_ratio(1 / trap.factor) + " too low";
  if (trap.bias == "none") return "no bias on this machine";
  return trap.ci ? "unresolved" : fmt::format("unresolved, {} rounds", trap.rounds);
}

std::string guard_text(const TrapOutcome& trap) {
  return (trap.caught ? "caught: " : "not caught: ") + trap.guard_says;
}

}  // namespace ridge
