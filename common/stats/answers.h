// Two classifiers that answered the same labelled inputs: which of them is right more often, and by how much.
//
// Only inputs that one got right and the other wrong tell the two apart. Of m such inputs the first is right on k; had
// both the same chance of being right, k would be binomial with 1/2 (McNemar, Psychometrika 12, 1947; the exact form).
// The interval of k / m is that of Clopper and Pearson (Biometrika 26, 1934), and the difference of the two accuracies
// is (2 k / m - 1) m / n.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/core/interval.h"

namespace ridge::stats {

/// Whether each of n inputs was answered right, in the test set's order, as text: "n " and a hexadecimal digit for each
/// four, of which the first is the digit's lowest bit.
std::string pack_answers(const std::vector<bool>& right);
/// Empty: the text is not one of pack_answers().
std::vector<bool> unpack_answers(const std::string& text);

struct PairedAnswers {
  int64_t inputs = 0;
  int64_t only_first = 0, only_second = 0;  ///< right where the other is wrong
  double difference = 0;  ///< accuracy of the first less that of the second, a share
  Interval ci;            ///< of it
  bool told_apart() const { return ci.low > 0 || ci.high < 0; }
};

/// Null: one of them lacks its answers, or they are to different numbers of inputs. `comparisons` divides the error of
/// 5 % (Bonferroni).
std::optional<PairedAnswers> compare_answers(const std::string& first, const std::string& second,
                                             int comparisons = 1);

}  // namespace ridge::stats
