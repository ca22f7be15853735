// How much of its wall time a rung had the processor, and what two such shares leave of the ratio of two times. Other
// programs do not take the same part of every rung: a short sample that lost its processor is taken again, one of a call
// of 700 ms is not (common/harness/measure/cpu_device.cpp), and what is longer meets more of them. Taking turns does not
// cancel that. This is the one rule about it: a card, a verdict and a grade all ask here.
#pragma once

#include <optional>
#include <string>

#include "common/core/interval.h"
#include "common/record/types.h"

namespace ridge {

/// Processor time over wall time, the median of its samples, in (0, 1]: of a CPU rung with one thread. A GPU's calls wait
/// for no processor: 1. Absent: without samples that have both times; of several threads, whose waiting for each other
/// looks the same; of trainings, pipelines, traps and commands, which may rest.
std::optional<double> processor_share(const Series& series);

/// Two sides with so different shares that the ratio of their times lies somewhere between two.
struct UnevenShares {
  double first = 1, second = 1;  ///< shares of the two

  /// Of `ratio`, the time of the first over that of the second: from the ratio of processor times to that of wall times,
  /// the smaller end first.
  Interval range(double ratio) const;
  /// "between 26.9× and 70.0×"
  std::string range_text(double ratio) const;
  /// One sentence with its full stop: what each of them lost, and the range.
  std::string sentence(const std::string& first_name, const std::string& second_name,
                       double ratio) const;
};

/// "between 26.9× and 70.0×", the ends rounded outward.
std::string between(const Interval& ends);
/// The median's interval, of samples too few for one their extremes; none of a single call.
std::optional<Interval> reach_of(const Stats& stats);
/// A range of t_first / t_second that holds what both medians may be too (reach_of()): what is said to be at least then is.
Interval with_medians(Interval ratio, const Stats& first, const Stats& second);

/// None where either share is not known, or one of them is at most kUnevenShares times the other.
std::optional<UnevenShares> uneven_shares(const Series& first, const Series& second);
/// Above what the harness lets pass of a single sample (0.98 of one thread).
inline constexpr double kUnevenShares = 1.05;

/// A comparison whose sides have uneven shares: its interval is widened to hold both ratios, a verdict that this does not
/// leave standing is unresolved, and its reasons say why. More rounds would not settle it. Twice is once.
void hold_to_shares(const Series& baseline, const Series& candidate, Comparison* comparison);
/// The reason that it was given then; empty: its sides lost the same, or it is not known.
std::string uneven_reason(const Comparison& comparison);
/// The same as a sentence of its own.
std::string uneven_sentence(const Comparison& comparison);
/// Its ratio as a headline: supported_ratio_text(), or of uneven shares "between 26.9× and 70.0×", however narrow.
std::string headline_ratio_text(const Comparison& comparison);

}  // namespace ridge
