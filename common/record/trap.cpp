#include "common/record/trap.h"

#include <fmt/format.h>

#include <cmath>

#include "common/core/format.h"
#include "common/record/ratio_text.h"

namespace ridge {

std::string reading_text(const TrapOutcome& trap, const TrapFigure& figure) {
  return trap.unit == "s" ? format_time_ns(figure.median * 1e9)
                          : ratio_text(figure.median, figure.ci);
}

std::string reading_interval_text(const TrapOutcome& trap, const TrapFigure& figure) {
  if (trap.unit != "s" || !figure.ci) return ratio_interval_text(figure.ci, trap.margin);
  return format_time_interval(Interval{figure.ci->low * 1e9, figure.ci->high * 1e9});
}

std::string bias_text(const TrapOutcome& trap) {
  if (trap.bias == "high") return ratio_text(trap.factor, trap.ci) + " too high";
  if (trap.bias == "low") return ratio_text(1 / trap.factor, inverse(trap.ci)) + " too low";
  if (trap.bias == "none") return "no bias on this machine";
  if (!(trap.factor > 0) || !std::isfinite(trap.factor))
    return fmt::format("unresolved, {} rounds", trap.rounds);
  const bool is_high = trap.factor >= 1;
  const double off = is_high ? trap.factor : 1 / trap.factor;
  const auto interval = is_high ? trap.ci : inverse(trap.ci);
  return fmt::format("unresolved, {} too {} in {} round{}", ratio_text(off, interval),
                     is_high ? "high" : "low", trap.rounds, trap.rounds == 1 ? "" : "s") +
         (interval ? " " + ratio_interval_text(interval, trap.margin)
                   : ": too few for an interval");
}

std::string guard_text(const TrapOutcome& trap) {
  return (trap.caught ? "caught: " : "not caught: ") + trap.guard_says;
}

}  // namespace ridge
