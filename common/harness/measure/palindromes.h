// The orders of a comparison's rounds: a palindrome of all sides each, drawn from a balanced set.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "common/stats/stats.h"

namespace ridge::measure {

class Palindromes {
 public:
  Palindromes(size_t sides, uint64_t seed) : sides_(static_cast<int>(sides)), random_(seed) {}

  /// "0110": an order of the balanced set and back again. Over the set each side follows each other equally often.
  std::string draw() {
    if (orders_.empty()) {
      orders_ = stats::balanced_orders(sides_);
      std::shuffle(orders_.begin(), orders_.end(), random_);
    }
    std::string half;
    for (const int side : orders_.back()) half += side_mark(static_cast<size_t>(side));
    orders_.pop_back();
    return half + std::string(half.rbegin(), half.rend());
  }
  /// Any side, for a slot that is thrown away.
  uint8_t draw_side() { return static_cast<uint8_t>(random_() % static_cast<uint64_t>(sides_)); }

 private:
  int sides_;
  std::mt19937_64 random_;
  std::vector<std::vector<int>> orders_;  ///< that are still to come of a balanced set
};

}  // namespace ridge::measure
