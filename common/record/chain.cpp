#include "common/record/chain.h"

#include <fmt/format.h>

#include <cmath>

#include "common/record/clocks.h"

namespace ridge {

std::optional<Chain> chain_of(std::span<const Comparison> steps) {
  double ratio = 0, below = 0, above = 0;  // logarithms; the two widths squared
  for (const Comparison& step : steps) {
    const Comparison c = at_equal_clock(step);
    const bool is_valid = c.verdict != Verdict::invalid && !c.stale && c.ratio > 0;
    if (!is_valid || !c.ci || !(c.ci->low > 0)) return std::nullopt;
    ratio += std::log(c.ratio);
    below += std::pow(std::log(c.ratio / c.ci->low), 2);
    above += std::pow(std::log(c.ci->high / c.ratio), 2);
  }
  if (steps.size() < 2 || !std::isfinite(ratio)) return std::nullopt;
  const Interval interval{std::exp(ratio - std::sqrt(below)), std::exp(ratio + std::sqrt(above))};
  return Chain{std::exp(ratio), interval, steps.size()};
}

GainText gain_text(const Chain& chain) {
  return {supported_ratio_text(chain.ratio, chain.interval), chain_words(chain.pairs)};
}

std::string chain_words(size_t pairs) {
  return fmt::format("the product of {} steps in pairs", pairs);
}

}  // namespace ridge
