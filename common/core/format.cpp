#include "common/core/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace ridge {
namespace {

constexpr const char* kThin = "\u202f";  // narrow no-break space

std::string grouped(const std::string& digits) {
  const size_t sign = !digits.empty() && digits[0] == '-' ? 1 : 0;
  std::string out;
  for (size_t i = 0; i < digits.size(); ++i) {
    const size_t left = digits.size() - i;
    if (i > sign && left % 3 == 0) out += kThin;
    out += digits[i];
  }
  return out;
}

/// Rounded to `digits` significant digits, so that a prefix is chosen for what will be printed
/// (999.6 ns is "1.00 µs").
double rounded(double value, int digits) {
  return std::strtod(fmt::format("{:.{}e}", value, digits - 1).c_str(), nullptr);
}

/// "1.5e-09" -> "1.5e-9", "2.0e+07" -> "2.0e7"
std::string short_exponent(const std::string& text) {
  const size_t e = text.find('e');
  const size_t first = std::min(text.find_first_not_of("+-0", e + 1), text.size() - 1);
  return text.substr(0, e + 1) + (text[e + 1] == '-' ? "-" : "") + text.substr(first);
}

/// Both ends at one scale, with as many digits as it takes to tell them apart (at most 6).
std::string interval_text(double low, double high) {
  int digits = 3;
  while (digits < 6 && low != high && rounded(low, digits) == rounded(high, digits)) ++digits;
  return fmt::format("[{}, {}]", format_number(low, digits), format_number(high, digits));
}

bool is_interval(const std::optional<Interval>& interval) {
  return interval && std::isfinite(interval->low) && std::isfinite(interval->high);
}

/// "exp" and "ms" are symbols, "images" and "bus bytes" are words.
bool is_word(const std::string& unit) {
  constexpr size_t kWord = 4;  // letters
  const auto is_small = [](char letter) { return letter >= 'a' && letter <= 'z'; };
  return unit.find(' ') != std::string::npos ||
         (unit.size() >= kWord && std::all_of(unit.begin(), unit.begin() + kWord, is_small));
}

/// As si_prefix(), but no thousandths of what is counted: "0.196 tokens/s".
SiPrefix si_prefix_of(double typical, const std::string& unit) {
  const SiPrefix prefix = si_prefix(typical);
  return prefix.factor < 1 && is_word(unit) ? SiPrefix{} : prefix;
}

}  // namespace

SiPrefix si_prefix(double typical) {
  static constexpr SiPrefix kPrefixes[] = {{1e-12, "p"}, {1e-9, "n"}, {1e-6, "µ"}, {1e-3, "m"},
                                           {1, ""},      {1e3, "k"},  {1e6, "M"},  {1e9, "G"},
                                           {1e12, "T"},  {1e15, "P"}};
  const double size = std::abs(typical);
  if (!(size > 0) || !std::isfinite(size)) return {};
  SiPrefix best = kPrefixes[0];
  for (const SiPrefix& prefix : kPrefixes) {
    if (size >= prefix.factor * (1 - 1e-9)) best = prefix;
  }
  return best;
}

std::string prefixed(const SiPrefix& prefix, const std::string& unit) {
  return prefix.symbol + (*prefix.symbol != 0 && is_word(unit) ? " " + unit : unit);
}

std::string format_number(double value, int digits) {
  if (!std::isfinite(value)) return kNone;
  if (value == 0) return "0";
  const double shown = rounded(value, digits);
  const double size = std::abs(shown);
  if (size < 1e-3 || size >= 1e7) return short_exponent(fmt::format("{:.{}e}", value, digits - 1));
  const int exponent = static_cast<int>(std::floor(std::log10(size) + 1e-12));
  const int decimals = digits - 1 - exponent;
  if (decimals <= 0) return grouped(fmt::format("{:.0f}", value));
  return fmt::format("{:.{}f}", value, decimals);
}

std::string format_scientific(double value) {
  if (!std::isfinite(value)) return kNone;
  return value == 0 ? "0" : short_exponent(fmt::format("{:.1e}", value));
}

std::string format_tick(double value, int digits) {
  std::string text = format_number(value, digits);
  const size_t point = text.find('.');
  if (point == std::string::npos) return text;
  const size_t end = std::min(text.find('e'), text.size());
  size_t last = text.find_last_not_of('0', end - 1);
  if (last == point) --last;
  return text.erase(last + 1, end - last - 1);
}

std::string name_in_words(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

std::string format_count(double value) {
  return std::isfinite(value) ? grouped(fmt::format("{:.0f}", value)) : kNone;
}

std::string format_quantity(double value, const std::string& unit) {
  if (!std::isfinite(value)) return kNone;
  const SiPrefix prefix = si_prefix_of(rounded(value, 3), unit);
  const std::string number = format_number(value / prefix.factor);
  return unit.empty() && *prefix.symbol == 0 ? number : number + " " + prefixed(prefix, unit);
}

std::string format_time_ns(double ns) {
  constexpr double kMinute_ns = 60e9, kHour_ns = 3600e9;
  if (std::isfinite(ns) && ns >= 2 * kHour_ns) return format_number(ns / kHour_ns) + " h";
  if (std::isfinite(ns) && ns >= 10 * kMinute_ns) return format_number(ns / kMinute_ns) + " min";
  return format_quantity(ns * 1e-9, "s");
}

std::string format_rate(double value, const std::string& unit) {
  return format_quantity(value, unit);
}

std::string format_bytes(double bytes) {
  if (!std::isfinite(bytes)) return kNone;
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  while (unit + 1 < std::size(kUnits) && std::abs(bytes) >= 1024) {
    bytes /= 1024;
    ++unit;
  }
  return (unit == 0 ? format_count(bytes) : format_number(bytes)) + " " + kUnits[unit];
}

std::string format_share(double share) {
  return std::isfinite(share) ? format_number(share * 100) + " %" : kNone;
}

std::string format_percent_width(double share) {
  if (!std::isfinite(share)) return kNone;
  return fmt::format("±{} %", format_number(share * 100, 2));
}

std::string format_ratio(double ratio) {
  if (!std::isfinite(ratio)) return kNone;
  const int digits = ratio >= 1 && ratio < 1.1 ? 4 : 3;  // the third decimal decides near 1
  return format_number(ratio, digits) + "×";
}

std::string format_time_interval(const std::optional<Interval>& ns) {
  if (!is_interval(ns)) return kNone;
  return format_rate_interval(Interval{ns->low * 1e-9, ns->high * 1e-9}, "s");
}

std::string format_rate_interval(const std::optional<Interval>& rate, const std::string& unit) {
  if (!is_interval(rate)) return kNone;
  const SiPrefix prefix =
      si_prefix_of(rounded(std::max(std::abs(rate->low), std::abs(rate->high)), 3), unit);
  return interval_text(rate->low / prefix.factor, rate->high / prefix.factor) + " " +
         prefixed(prefix, unit);
}

std::string format_ratio_interval(const std::optional<Interval>& ratio) {
  return is_interval(ratio) ? interval_text(ratio->low, ratio->high) : kNone;
}

}  // namespace ridge
