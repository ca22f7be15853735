#include "common/stats/answers.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace ridge::stats {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

/// P(Binomial(n, p) <= k).
double binomial_below(int64_t n, int64_t k, double p) {
  if (p <= 0) return 1;
  if (p >= 1) return k >= n ? 1 : 0;
  const auto count = static_cast<double>(n);
  double sum = 0;
  for (int64_t i = 0; i <= k; ++i) {
    const auto at = static_cast<double>(i);
    sum += std::exp(std::lgamma(count + 1) - std::lgamma(at + 1) - std::lgamma(count - at + 1) +
                    at * std::log(p) + (count - at) * std::log1p(-p));
  }
  return std::min(sum, 1.0);
}

/// The largest p at which k or fewer of n still come up with a chance of `tail`.
double highest_share(int64_t n, int64_t k, double tail) {
  if (k >= n) return 1;
  double low = static_cast<double>(k) / static_cast<double>(n), high = 1;
  for (int step = 0; step < 50; ++step) {
    const double middle = (low + high) / 2;
    (binomial_below(n, k, middle) > tail ? low : high) = middle;
  }
  return high;
}

}  // namespace

std::string pack_answers(const std::vector<bool>& right) {
  std::string text = std::to_string(right.size()) + " ";
  for (size_t first = 0; first < right.size(); first += 4) {
    size_t digit = 0;
    for (size_t i = first; i < std::min(first + 4, right.size()); ++i)
      digit |= size_t{right[i]} << (i - first);
    text += kDigits[digit];
  }
  return text;
}

std::vector<bool> unpack_answers(const std::string& text) {
  size_t count = 0;
  const char* end = text.data() + text.size();
  const auto [rest, failed] = std::from_chars(text.data(), end, count);
  if (failed != std::errc() || rest == end || *rest != ' ') return {};
  const std::string_view digits(rest + 1, static_cast<size_t>(end - rest - 1));
  if (digits.size() != (count + 3) / 4) return {};
  std::vector<bool> right;
  right.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const size_t digit = kDigits.find(digits[i / 4]);
    if (digit == std::string_view::npos) return {};
    right.push_back((digit >> (i % 4) & 1) != 0);
  }
  return right;
}

std::optional<PairedAnswers> compare_answers(const std::string& first, const std::string& second,
                                             int comparisons) {
  const std::vector<bool> a = unpack_answers(first), b = unpack_answers(second);
  if (a.empty() || a.size() != b.size()) return std::nullopt;
  PairedAnswers paired{.inputs = std::ssize(a), .ci = {}};
  for (size_t i = 0; i < a.size(); ++i) {
    paired.only_first += a[i] && !b[i] ? 1 : 0;
    paired.only_second += b[i] && !a[i] ? 1 : 0;
  }
  const auto n = static_cast<double>(paired.inputs);
  const int64_t apart = paired.only_first + paired.only_second;
  const double tail = 0.05 / 2 / std::max(1, comparisons);
  paired.difference = static_cast<double>(paired.only_first - paired.only_second) / n;
  if (apart == 0) {  // how often they may differ and still not have differed in n inputs
    const double most = 1 - std::pow(tail, 1 / n);
    paired.ci = {-most, most};
    return paired;
  }
  const double share = static_cast<double>(apart) / n;
  paired.ci = {(1 - 2 * highest_share(apart, paired.only_second, tail)) * share,
               (2 * highest_share(apart, paired.only_first, tail) - 1) * share};
  return paired;
}

}  // namespace ridge::stats
