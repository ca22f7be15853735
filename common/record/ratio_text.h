// What pairs came to as people read it: the ratio's interval beside 1 and the margin, whose sides decide the verdict, and
// how many more rounds would settle what is unresolved.
#pragma once

#include <optional>
#include <string>

#include "common/core/interval.h"
#include "common/core/result.h"
#include "common/record/types.h"

namespace ridge {

/// "[1.021, 1.034]": both ends with as many decimals as it takes to tell them apart, and for both to stand where they do:
/// below, on or above 1, 1 + margin and 1 / (1 + margin), and not to be read as one of them. `margin`: 0.02 is 2 %. Three digits at least, of the end that is
/// larger and of what is above 1, and six at most; an end far below 1 keeps two.
std::string ratio_interval_text(const std::optional<Interval>& ratio, double margin);
/// "the interval [0.940, 1.021] crosses a limit of "same", 0.9804 to 1.0200".
std::string crossing_text(const Interval& ratio, double margin);
/// Whether a comparison's reason says that: one that was recorded may have other digits.
bool is_of_crossing(const std::string& reason);

/// A paired ratio wherever it stands, so that one screen never has it twice with other digits. It has the decimals of its
/// interval, which are the same for both usual margins ("2.71×" beside "[2.40, 3.00]", "0.997×" beside "[0.940, 1.021]"),
/// and more (six digits at most) where it takes more to stand within it. Without an interval as format_ratio.
std::string ratio_text(double ratio, const std::optional<Interval>& interval);

/// Of how many times as long: the interval of 1 / ratio.
std::optional<Interval> inverse(const std::optional<Interval>& ratio);

/// With so many digits, no larger and no smaller than it is: what is said to be at least or at most.
/// 0 digits: as many as format_ratio() prints.
double rounded_down(double value, int digits = 0);
double rounded_up(double value, int digits = 0);

/// Its upper end is over 1.5 times its lower: that a figure lies inside it says little.
bool is_wide(const std::optional<Interval>& interval);

/// The same as a headline, whose interval does not stand beside it: "between 4.9× and 47×" where it is_wide(); both rounded
/// outward.
std::string supported_ratio_text(double ratio, const std::optional<Interval>& interval);

/// The ratio of two medians, each timed alone, with the digits that it bears: "≈ 71×".
std::string alone_ratio_text(double ratio);
/// The same as a headline; of single calls, of times that scatter or of a busy machine "about 70×".
std::string alone_ratio_text(double ratio, const Stats& a, const Stats& b);
/// What two times that were each taken alone leave of their ratio where one of them is not steady (is_steady()): from the
/// lower to the upper end of what their intervals, of too few samples their extremes, allow. None where both are steady,
/// where one is a single call, or where an interval reaches down to 0.
std::optional<Interval> alone_range(const Stats& from, const Stats& to);
/// "1.2–1.9×"; empty where both ends read alike.
std::string alone_range_text(const Interval& range);
/// How many times as fast a climb became, and what that rests on.
struct GainText {
  std::string ratio;     ///< "75×", "≈ 71×", "about 70×", "between 63.0× and 118×"
  std::string rests_on;  ///< "in turns, 95 % interval [74, 76]", "each timed alone"
  bool is_rough = false;
  std::string middle =
      {};  ///< of a range above 1 what was measured: "about 92×", as the bars have it
};
/// `pair`: of just these two, else null: then it is `alone`, the ratio of two medians; both have stats. A range where other
/// programs took more of one's time than of the other's (processor_share.h).
GainText gain_text(const Comparison* pair, double alone, const Series& from, const Series& to);
/// As a headline has it, the same in the lab, on the card and on Home: of a range above 1 its middle, which is what the bars
/// beside it show: "about 92×".
std::string gain_headline(const GainText& gain);
/// What stands small beside the headline: the range, and what the figure rests on.
std::string gain_small_print(const GainText& gain);
/// "about 92×" of a ratio whose range `text` is, where that is above 1; else empty.
std::string middle_text(double ratio, const Interval& range, const std::string& text);
/// "; the bars say ≈ 92×: each rung was timed alone", where a reader sees that `alone`, the ratio of the two bars, is another
/// one than `said`, whose interval this is; else empty.
std::string bars_words(double said, const Interval& interval, double alone, bool at_equal_clock);
/// A rough ratio as a number, one digit, two behind a leading 1: "70", "600", "16", "1.3".
std::string rough_number(double ratio);
/// Whether other programs ran meanwhile, or the times scatter more than they should.
bool was_disturbed(const Stats& stats);
/// Whether a ratio with this time, taken alone, has one digit at most: it was_disturbed(), or is not steady (is_steady()).
bool is_rough(const Stats& stats);
/// Whether the ratio of two times, each taken alone, is rough: one judgement for the report, the terminal, Gains and the card.
bool is_rough_ratio(const Stats& a, const Stats& b);
/// What beside the spread of its times makes such a ratio rough: "other programs took processor time meanwhile", "the times
/// scatter"; empty: nothing.
std::string disturbance_words(const Stats& a, const Stats& b);
/// What makes a median rough: "timed once", "its times differ by up to 3×"; empty: it is steady.
std::string rough_words(const Stats& stats);

/// Of an unresolved pair: "no difference shown" where its interval holds 1 or there is none, else "there is a difference,
/// perhaps smaller than the margin of 2 %".
std::string unresolved_words(const std::optional<Interval>& ratio, double margin);

/// Whether an unresolved interval is narrow beside the margin (under a quarter of it) and holds a limit of "same" all the
/// same: more rounds will hardly settle it.
bool lies_at_margin(const Comparison& comparison);
/// Whether an unresolved pair with an interval would take more than kMostTimesAsMany times the rounds it had: an estimate
/// that far off is one of noise.
bool is_out_of_reach(const Comparison& comparison);
inline constexpr int kMostTimesAsMany = 10;
/// Why trainings take no number of rounds.
Error rounds_of_trainings();
/// A new comparison of so many rounds that should settle an unresolved one.
struct MoreRounds {
  int rounds = 0;                       ///< rounded up to two digits
  double seconds = 0;                   ///< that they take; 0: not known
  /// What it settles as, if the ratio stays where it is; unresolved where the interval holds 1: the direction is not known.
  Verdict shows = Verdict::unresolved;
};
/// None where the comparison is settled, is of trainings or sustained turns, lies at the limit of "same" or is_out_of_reach().
std::optional<MoreRounds> more_rounds(const Comparison& comparison);
/// "about 2000 rounds (about 14.0 min)".
std::string more_rounds_text(const MoreRounds& more);

}  // namespace ridge
