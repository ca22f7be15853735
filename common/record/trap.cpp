#include "common/record/trap.h"

#include <fmt/format.h>

#include "common/core/format.h"
#include "common/record/ratio_text.h"

namespace ridge {

std::string reading_text(const TrapOutcome& trap, const TrapFigure& figure) {
  return trap.unit == "s" ? format_time_ns(figure.median * 1e9)
                          : ratio_text(figure.median, figure.ci);
}

std::string reading_interval_text(const TrapOutcome& trap, const TrapFigure& figure) {
  if (trap.unit != "s" || !figure.ci) return format_ratio_interval(figure.ci);
  return format_time_interval(Interval{figure.ci->low * 1e9, figure.ci->high * 1e9});
}

std::string bias_text(const TrapOutcome& trap) {
  if (trap.bias == "high") return ratio_text(trap.factor, trap.ci) + " too high";
  if (trap.bias == "low") return ratio_text(1 / trap.factor, inverse(trap.ci)) + " too low";
  if (trap.bias == "none") return "no bias on this machine";
  return trap.ci ? "unresolved" : fmt::format("unresolved, {} rounds", trap.rounds);
}

std::string guard_text(const TrapOutcome& trap) {
  return (trap.caught ? "caught: " : "not caught: ") + trap.guard_says;
}

}  // namespace ridge
