#include "kernels/runtime/traps/pairs.h"

#include <cmath>

#include "common/stats/stats.h"

namespace ridge::traps {

Result<std::vector<Round>> rounds_of(Victim* a, Victim* b, int count) {
  RIDGE_TRY(measure::Side * first, a->side());
  RIDGE_TRY(measure::Side * second, b->side());
  measure::Side* sides[] = {first, second};
  std::vector<Round> rounds;
  for (int i = 0; i < count; ++i) {
    const auto outer = static_cast<uint8_t>(i % 2), inner = static_cast<uint8_t>(1 - outer);
    RIDGE_TRY(const auto slots,
              a->rung.device->time(sides, std::vector<uint8_t>{outer, inner, inner, outer}));
    Round round;
    round.order = outer == 0 ? "0110" : "1001";
    for (const Sample& slot : slots) round.t_ns.push_back(slot.t_ns);
    rounds.push_back(std::move(round));
  }
  return rounds;
}

Result<double> speed_up(Victim* a, Victim* b) {
  RIDGE_TRY(const auto one, rounds_of(a, b, 1));
  return std::exp(stats::round_log_ratio(one.front(), 1));
}

}  // namespace ridge::traps
