#include "common/view/figure/unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "common/core/format.h"

namespace ridge::figure {
namespace {

struct Prefix {
  std::string_view symbol;
  double factor;
};

constexpr Prefix kPrefixes[] = {{"n", 1e-9}, {"µ", 1e-6}, {"u", 1e-6}, {"m", 1e-3}, {"", 1},
                                {"k", 1e3},  {"M", 1e6},  {"G", 1e9},  {"T", 1e12}, {"P", 1e15}};

/// What a value is divided by to be in `wanted`.
std::optional<double> factor_of(const std::string& unit, const std::string& wanted) {
  if (wanted == "number") return unit == "%" ? 0.01 : 1;
  if (unit == "%") return wanted == "%" ? std::optional(0.01) : std::nullopt;
  if (unit.empty() || unit == "×" || unit == "count") return std::nullopt;
  for (const Prefix& prefix : kPrefixes) {
    if (wanted == std::string(prefix.symbol) + unit) return prefix.factor;
  }
  return std::nullopt;
}

}  // namespace

bool fits(const std::string& unit, const std::string& wanted) {
  return wanted.empty() || factor_of(unit, wanted).has_value();
}

std::string text_in(double value, const std::string& unit, const std::string& wanted) {
  if (!wanted.empty()) return format_number(value / factor_of(unit, wanted).value_or(1));
  if (unit == "×") return format_ratio(value);
  if (unit == "%") return format_share(value);
  if (unit == "s") return format_time_ns(value * 1e9);
  if (unit == "B") return format_bytes(value);
  if (unit == "count") return format_count(value);
  if (unit.empty()) return format_scientific(value);
  return unit == "J" ? format_quantity(value, unit) : format_rate(value, unit);
}

std::string interval_in(const Interval& interval, const std::string& unit,
                        const std::string& wanted) {
  if (wanted.empty() && unit == "s")
    return format_time_interval(Interval{interval.low * 1e9, interval.high * 1e9});
  if (wanted.empty() && unit != "%") return format_rate_interval(interval, unit);
  const double factor = wanted.empty() ? 0.01 : factor_of(unit, wanted).value_or(1);
  return format_ratio_interval(Interval{interval.low / factor, interval.high / factor});
}

std::string interval_like(const Interval& interval, double value, const std::string& printed) {
  const double number = std::strtod(printed.c_str(), nullptr);
  if (!(number > 0) || !(value > 0)) return format_ratio_interval(interval);
  const double prefix = std::pow(1000, std::round(std::log10(value / number) / 3));
  return format_ratio_interval(Interval{interval.low / prefix, interval.high / prefix});
}

std::string within(const std::string& printed_interval, const Interval& interval, double value,
                   const std::string& printed) {
  const size_t comma = printed_interval.find(", "), end = printed_interval.find(']');
  if (comma == std::string::npos || end == std::string::npos) return printed;
  const std::string low = printed_interval.substr(1, comma - 1);
  const double least = std::strtod(low.c_str(), nullptr);
  const double most = std::strtod(printed_interval.c_str() + comma + 2, nullptr);
  char* rest = nullptr;
  const double number = std::strtod(printed.c_str(), &rest);
  if (rest == printed.c_str() || (number >= least && number <= most) || !(most > 0)) return printed;
  const double unit = std::pow(10, std::round(std::log10(interval.high / most)));
  const size_t point = low.find('.');
  const size_t decimals = point == std::string::npos ? 0 : low.size() - point - 1;
  return fmt::format("{:.{}f}{}", value / unit, decimals, rest);
}

RatioTexts ratio_texts(double ratio, const std::optional<Interval>& interval) {
  if (!interval) return {format_number(ratio), ""};
  int decimals = std::fabs(ratio - 1) < 0.1
                     ? 3
                     : std::max(0, 2 - static_cast<int>(std::floor(std::log10(ratio))));
  const auto fixed = [&](double value) { return fmt::format("{:.{}f}", value, decimals); };
  for (const int most = decimals + 3; decimals < most; ++decimals) {
    if (fixed(interval->low) != fixed(interval->high)) break;
  }
  return {fixed(ratio), "[" + fixed(interval->low) + ", " + fixed(interval->high) + "]"};
}

}  // namespace ridge::figure
