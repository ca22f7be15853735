#include "common/view/chart/ticks.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

namespace ridge::chart {
namespace {

// A tick that lies on the range's end must survive the rounding of its own computation.
constexpr double kEdge = 1e-9;

bool is_range(double low, double high) {
  return std::isfinite(low) && std::isfinite(high) && low < high;
}

/// The least of 1, 2, 5 x 10^k that is at least `value` (> 0).
double step_at_least(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (value <= factor * power * (1 + kEdge)) return factor * power;
  }
  return 10 * power;
}

}  // namespace

std::vector<Tick> linear_ticks(double low, double high, int target) {
  std::vector<Tick> ticks;
  if (!is_range(low, high) || target < 1) return ticks;
  const double span = high - low;
  const double step = step_at_least(span / target);
  const double slack = span * kEdge;
  const double first = std::ceil((low - slack) / step);
  const double last = std::floor((high + slack) / step);
  for (double i = first; i <= last; ++i) ticks.push_back({i * step, true});
  return ticks;
}

namespace {

/// Under a decade: even steps, which stand closer together to the right. A gap that has room gets the tick in its middle,
/// so that the low end, where most of a time's samples lie, has some too.
std::vector<Tick> even_ticks(double low, double high, int target) {
  constexpr double kLeast = 1;  // of the room that a tick has on average
  constexpr double kWider =
      1.4;  // than the last gap: where all are alike, half steps would stand in some of them
  std::vector<Tick> ticks = linear_ticks(low, high, target);
  if (ticks.size() < 2) return ticks;
  const double half = (ticks[1].value - ticks[0].value) / 2;
  const double last = std::log(ticks.back().value / ticks[ticks.size() - 2].value);
  const double room = kLeast * std::log(high / low) / target;
  std::vector<Tick> all;
  for (const Tick& tick : ticks) {
    const double middle = tick.value - half;
    const bool is_inside = middle >= low * (1 - kEdge) && middle > 0;
    const double before = middle - half;
    const bool is_wide =
        is_inside && (before <= 0 || std::log(tick.value / before) >= kWider * last);
    const bool has_room = is_wide && std::log(tick.value / middle) >= room &&
                          (all.empty() || std::log(middle / all.back().value) >= room);
    if (has_room) all.push_back({middle, true});
    all.push_back(tick);
  }
  return all;
}

}  // namespace

namespace {

std::vector<Tick> decade_ticks(double low, double high, int target) {
  std::vector<Tick> ticks;
  const double first = std::floor(std::log10(low) + kEdge);
  const double last = std::ceil(std::log10(high) - kEdge);
  const double decades = std::log10(high / low);
  if (decades < 1) return even_ticks(low, high, target);
  const int stride = std::max(1, static_cast<int>(std::ceil((last - first) / target)));
  const bool all_subs = decades * 9 <= 2.0 * target;
  for (double decade = first; decade <= last; ++decade) {
    const double base = std::pow(10.0, decade);
    const bool major = std::fmod(decade - first, stride) == 0;
    if (!major && stride > 2) continue;  // so many decades that their lines would only be noise
    for (int factor = 1; factor <= 9; ++factor) {
      if (factor > 1 && (stride > 1 || (!all_subs && factor != 2 && factor != 5))) continue;
      const double value = factor * base;
      if (value < low * (1 - kEdge) || value > high * (1 + kEdge)) continue;
      ticks.push_back({value, factor == 1 && major});
    }
  }
  return ticks;
}

int labelled(const std::vector<Tick>& ticks) {
  return static_cast<int>(
      std::count_if(ticks.begin(), ticks.end(), [](const Tick& tick) { return tick.major; }));
}

/// Labels at fewer than `least` of them are given to the 2s and 5s too.
void label_more(std::vector<Tick>* ticks, int least) {
  if (labelled(*ticks) >= least) return;
  for (Tick& tick : *ticks) {
    const double lead = tick.value / std::pow(10, std::floor(std::log10(tick.value) + kEdge));
    tick.major = tick.major || std::abs(lead - 2) < 1e-6 || std::abs(lead - 5) < 1e-6;
  }
}

}  // namespace

std::vector<Tick> log_ticks(double low, double high, int target) {
  // One number does not show how fast the axis grows: rather more of them than asked for.
  constexpr int kLeast = 2, kTries = 5;
  if (!is_range(low, high) || !(low > 0) || target < 1) return {};
  std::vector<Tick> ticks;
  for (int i = 0; i < kTries && labelled(ticks) < kLeast; ++i) {
    ticks = decade_ticks(low, high, target << i);
    label_more(&ticks, kLeast);
    // So many lines are not what was asked for.
    if (i > 0) std::erase_if(ticks, [](const Tick& tick) { return !tick.major; });
  }
  return ticks;
}

SiPrefix axis_prefix(double low, double high, bool log) {
  if (!log || !(low > 0)) return si_prefix(std::max(std::abs(low), std::abs(high)));
  return si_prefix(std::sqrt(low) * std::sqrt(high));
}

SiPrefix axis_prefix(double low, double high, bool log, const std::string& unit) {
  if (unit != "B") return axis_prefix(low, high, log);
  static constexpr SiPrefix kBinary[] = {
      {1, ""}, {0x1p10, "Ki"}, {0x1p20, "Mi"}, {0x1p30, "Gi"}, {0x1p40, "Ti"}};
  const double typical =
      log && low > 0 ? std::sqrt(low) * std::sqrt(high) : std::max(std::abs(low), std::abs(high));
  SiPrefix best = kBinary[0];
  for (const SiPrefix& prefix : kBinary) {
    if (typical >= prefix.factor) best = prefix;
  }
  return best;
}

std::vector<Tick> axis_ticks(double low, double high, bool log, int target,
                             const SiPrefix& prefix) {
  const bool is_binary = std::string_view(prefix.symbol).ends_with('i');
  const double unit = is_binary ? prefix.factor : 1;  // a power of ten moves no tick
  std::vector<Tick> ticks = log ? log_ticks(low / unit, high / unit, target)
                                : linear_ticks(low / unit, high / unit, target);
  if (log) label_more(&ticks, 3);
  for (Tick& tick : ticks) tick.value *= unit;
  return ticks;
}

double nice_floor(double value) {
  if (!(value > 0) || !std::isfinite(value)) return value;
  const double power = std::pow(10.0, std::floor(std::log10(value) + kEdge));
  for (const double factor : {5.0, 2.0}) {
    if (value >= factor * power * (1 - kEdge)) return factor * power;
  }
  return power;
}

}  // namespace ridge::chart
