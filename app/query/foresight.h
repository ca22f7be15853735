// How good somebody's predictions are: each held against its outcome, over time. Home and the class page read this one;
// what an outcome is, common/view/report/predictions.h says.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/record/run.h"

namespace ridge::app {

/// A prediction and what became of it.
struct Foretold {
  std::string kernel, said;  ///< "8×", "12.0 ms"
  double utc_s = 0;          ///< of its outcome, else of its run: seconds since 1970; 0: not known
  /// Above 1: it was slower than was said, in the unit in which it was said; 1: the interval of what was measured holds it.
  /// Of its nearer end, as a tour says it (report::miss_factor). Absent: no result answers it.
  std::optional<double> factor;
  bool after_the_fact = false;  ///< a result was there already: it counts for nothing
};

/// When a run was made: of its first result, else of its look at the machine. 0: it does not say.
double made_utc_s(const Run& run);

/// All of a run, in the order they were made.
std::vector<Foretold> foretold_in(const Run& run);
/// The earliest first; those of one time stay in their order.
void sort_by_time(std::vector<Foretold>* all);

/// What those before the fact come to.
struct Foresight {
  int judged = 0;          ///< made before their result, which came
  int after_the_fact = 0;  ///< left out
  int open = 0;            ///< no result answers them
  int slower = 0, right = 0;  ///< of those judged: it was slower than was said, or just that
  double off = 1;  ///< half of those judged are off by at most this factor, in either direction
  /// The same of the earlier and of the later half; absent under kFewestForHalves predictions.
  std::optional<double> first_half, second_half;
  /// Of the halves: whether the intervals of their medians lie apart (95 %, from six predictions each on).
  enum class Change { unknown, unsettled, closer, farther } change = Change::unknown;
};
inline constexpr int kFewestForHalves = 4;

/// `all` in the order of time.
Foresight foresight(std::span<const Foretold> all);

/// "closer"; "too few to say" where the halves are small, "not settled" where their intervals overlap.
std::string change_text(Foresight::Change change);
/// "Your 12 predictions with a number: half of them within 2.10× of the outcome; 8 were slower than you said, 3 faster,
/// 1 right. ..."; empty: none was judged.
std::string own_sentence(const Foresight& sight);

}  // namespace ridge::app
