#include "common/record/chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/record/clocks.h"

namespace ridge {

std::optional<Chain> chain_of(std::span<const Comparison> steps) {
  double ratio = 0, below = 0, above = 0;  // logarithms; the two widths squared
  Chain chain;
  for (const Comparison& step : steps) {
    const Comparison c = at_equal_clock(step);
    const bool is_valid = c.verdict != Verdict::invalid && !c.stale && c.ratio > 0;
    if (!is_valid || !c.ci || !(c.ci->low > 0)) return std::nullopt;
    chain.at_equal_clock = chain.at_equal_clock || step.clock_held;
    if (supported_verdict(c) == Verdict::unresolved) {
      ++chain.unsettled;
      below += std::pow(std::min(0.0, std::log(c.ci->low)), 2);
      above += std::pow(std::max(0.0, std::log(c.ci->high)), 2);
      continue;
    }
    ++chain.pairs;
    ratio += std::log(c.ratio);
    below += std::pow(std::log(c.ratio / c.ci->low), 2);
    above += std::pow(std::log(c.ci->high / c.ratio), 2);
  }
  if (steps.size() < 2 || chain.pairs == 0 || !std::isfinite(ratio)) return std::nullopt;
  chain.ratio = std::exp(ratio);
  chain.interval = {std::exp(ratio - std::sqrt(below)), std::exp(ratio + std::sqrt(above))};
  return chain;
}

GainText gain_text(const Chain& chain, double alone) {
  const std::string ratio = supported_ratio_text(chain.ratio, chain.interval);
  return {ratio,
          chain_words(chain) + bars_words(chain.ratio, chain.interval, alone, chain.at_equal_clock),
          false, middle_text(chain.ratio, chain.interval, ratio)};
}

std::string chain_words(const Chain& chain) {
  std::string text =
      fmt::format("the product of {} step{} in pairs", chain.pairs, chain.pairs == 1 ? "" : "s") +
      unsettled_words(chain);
  if (!is_wide(chain.interval)) text += ", 95 % interval " + ratio_interval_text(chain.interval, 0);
  return text;
}

std::string unsettled_words(const Chain& chain) {
  if (chain.unsettled == 0) return "";
  return fmt::format(", and {} unresolved step{} as 1×", chain.unsettled,
                     chain.unsettled == 1 ? "" : "s");
}

}  // namespace ridge
