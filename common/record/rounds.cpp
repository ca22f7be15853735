#include "common/record/rounds.h"

#include <algorithm>
#include <cmath>

namespace ridge {

Round Rounds::operator[](size_t i) const {
  const auto first = static_cast<std::ptrdiff_t>(rows_[i].first);
  const size_t end = i + 1 < rows_.size() ? rows_[i + 1].first : t_ns_.size();
  const auto last = static_cast<std::ptrdiff_t>(end);
  Round round{rows_[i].index,
              order_.substr(rows_[i].first, end - rows_[i].first),
              {t_ns_.begin() + first, t_ns_.begin() + last},
              {}};
  const bool has_clocks =
      !sm_clock_hz_.empty() && first < last && !std::isnan(sm_clock_hz_[rows_[i].first]);
  if (has_clocks) round.sm_clock_hz = {sm_clock_hz_.begin() + first, sm_clock_hz_.begin() + last};
  return round;
}

void Rounds::push_back(const Round& round) {
  rows_.push_back({round.index, static_cast<uint32_t>(t_ns_.size())});
  if (!round.sm_clock_hz.empty()) sm_clock_hz_.resize(t_ns_.size(), NAN);
  order_ += round.order;
  t_ns_.insert(t_ns_.end(), round.t_ns.begin(), round.t_ns.end());
  sm_clock_hz_.insert(sm_clock_hz_.end(), round.sm_clock_hz.begin(), round.sm_clock_hz.end());
  if (!sm_clock_hz_.empty()) sm_clock_hz_.resize(t_ns_.size(), NAN);
}

void Rounds::shrink() {
  rows_.shrink_to_fit();
  order_.shrink_to_fit();
  t_ns_.shrink_to_fit();
  sm_clock_hz_.shrink_to_fit();
}

}  // namespace ridge
