#include "common/record/far_rounds.h"

#include <fmt/format.h>

namespace ridge {

std::string few_rounds_text(const Comparison& comparison) {
  constexpr double kNearly = 0.8;  // the warm-up decided, whose ratio was another
  const bool is_far = comparison.ratio >= kFarApart * kNearly ||
                      (comparison.ratio > 0 && comparison.ratio <= 1 / (kFarApart * kNearly));
  const bool is_of_rounds = comparison.sustained.empty() && !comparison.trained;
  if (!is_far || !is_of_rounds || comparison.rounds != kFarRounds) return "";
  return fmt::format("{} rounds are enough where one side is about {:g}× as fast or more",
                     kFarRounds, kFarApart);
}

}  // namespace ridge
