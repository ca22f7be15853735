// A comparison of trainings in words, and what its accuracy allows to be decided.
#pragma once

#include <string>
#include <vector>

#include "common/record/types.h"

namespace ridge {

/// Where the interval of the accuracy's difference lies. Nothing is said of fewer than kSeedsToClaim pairs.
enum class AccuracyStand {
  unknown,  ///< no pair was judged, or the difference is no number
  few,      ///< too few pairs
  kept,     ///< it loses at most what it may: the interval's lower end says so
  lost,     ///< it loses more: the upper end says so
  open      ///< the interval reaches over the limit
};
AccuracyStand accuracy_stand(const TrainedPairs& pairs, double may_lose);
inline AccuracyStand accuracy_stand(const TrainedPairs& pairs) {
  return accuracy_stand(pairs, pairs.may_lose);
}

/// "seeds 1 to 8", "seeds 1, 3 and 7", "seed 4".
std::string seeds_text(const std::vector<int64_t>& seeds);
/// "1..8", "1,3,7": as --set takes them.
std::string seeds_argument(const std::vector<int64_t>& seeds);
/// "−0.12 points [−0.40, +0.16], 8 paired seeds"; "not known" where no pair was judged.
std::string accuracy_delta_text(const TrainedPairs& pairs);
/// Of an accuracy: "1 point", "0.5 points".
std::string points_text(double share);
/// "at most 1 point lost".
std::string may_lose_text(const TrainedPairs& pairs);
/// The accuracy in the card's one line: "accuracy −0.12 points [−0.40, +0.16]".
std::string accuracy_line(const TrainedPairs& pairs);
/// The times, the accuracy, the time to the target, why there are no joules: old → new, one sentence each; `brief` leaves
/// out the accuracy and the joules. Empty where the sides are no trainings.
std::vector<std::string> trained_sentences(const Comparison& comparison, bool brief = false);
/// What a verdict of the comparison rests on, one and several: "round", "rounds", or of trainings "seed", "seeds".
std::string pairs_text(const Comparison& comparison, int count);

}  // namespace ridge
