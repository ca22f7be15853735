#include "common/record/trained.h"

#include <fmt/format.h>

#include <cmath>

#include "common/core/format.h"
#include "common/record/ratio_text.h"
#include "common/record/seed_delta.h"

namespace ridge {
namespace {

std::string change(const std::optional<double>& before_s, const std::optional<double>& after_s) {
  if (!before_s || !after_s) return "";
  return format_time_ns(*before_s * 1e9) + " → " + format_time_ns(*after_s * 1e9);
}

std::string times_sentence(const TrainedSide& theirs, const TrainedSide& ours) {
  std::string text = "a step " + change(theirs.step_ns * 1e-9, ours.step_ns * 1e-9);
  if (const std::string epoch = change(theirs.epoch_s, ours.epoch_s); !epoch.empty())
    text += ", an epoch " + epoch;
  if (const std::string total = change(theirs.total_s, ours.total_s); !total.empty())
    text += ", a training " + total;
  if (theirs.memory_bytes > 0 && ours.memory_bytes > 0) {
    text +=
        ", memory " + format_bytes(theirs.memory_bytes) + " → " + format_bytes(ours.memory_bytes);
  }
  if (theirs.epoch_energy_j && ours.epoch_energy_j) {
    text += ", energy of an epoch " + format_quantity(*theirs.epoch_energy_j, "J") + " → " +
            format_quantity(*ours.epoch_energy_j, "J");
  }
  return text;
}

std::string target_sentence(const TrainedPairs& pairs, const TrainedSide& theirs,
                            const TrainedSide& ours) {
  if (!pairs.to_target) return pairs.no_to_target;
  const PairedVerdict& judged = *pairs.to_target;
  return fmt::format("time to an accuracy of {:.4g}: {}, {} {}, {}", *pairs.target,
                     change(theirs.to_target_s, ours.to_target_s),
                     ratio_text(judged.ratio, judged.ci), ratio_interval_text(judged.ci, 0),
                     to_string(judged.verdict));
}

}  // namespace

std::string points_text(double share) {
  return fmt::format("{:.3g} {}", share * 100, share == 0.01 ? "point" : "points");
}

AccuracyStand accuracy_stand(const TrainedPairs& pairs, double may_lose) {
  if (!pairs.accuracy_delta || !std::isfinite(*pairs.accuracy_delta)) return AccuracyStand::unknown;
  if (pairs.judged < kSeedsToClaim) return AccuracyStand::few;
  if (!pairs.accuracy_ci) return AccuracyStand::unknown;
  if (pairs.accuracy_ci->low >= -may_lose) return AccuracyStand::kept;
  if (pairs.accuracy_ci->high < -may_lose) return AccuracyStand::lost;
  return AccuracyStand::open;
}

std::string seeds_text(const std::vector<int64_t>& seeds) {
  if (seeds.empty()) return "no seed";
  if (seeds.size() == 1) return fmt::format("seed {}", seeds.front());
  const auto count = static_cast<int64_t>(seeds.size());
  if (count > 2 && seeds.back() - seeds.front() == count - 1 &&
      seeds_argument(seeds).find(',') == std::string::npos)
    return fmt::format("seeds {} to {}", seeds.front(), seeds.back());
  std::string text = "seeds ";
  for (size_t i = 0; i < seeds.size(); ++i)
    text += (i == 0 ? "" : i + 1 == seeds.size() ? " and " : ", ") + std::to_string(seeds[i]);
  return text;
}

std::string seeds_argument(const std::vector<int64_t>& seeds) {
  bool is_range = seeds.size() > 1;
  std::string list;
  for (size_t i = 0; i < seeds.size(); ++i) {
    list += (i == 0 ? "" : ",") + std::to_string(seeds[i]);
    is_range = is_range && seeds[i] == seeds.front() + static_cast<int64_t>(i);
  }
  return is_range ? fmt::format("{}..{}", seeds.front(), seeds.back()) : list;
}

std::string accuracy_delta_text(const TrainedPairs& pairs) {
  if (!pairs.accuracy_delta) return "not known";
  return seed_delta_text({.seeds = pairs.judged,
                          .refused = 0,
                          .mean = *pairs.accuracy_delta,
                          .ci = pairs.accuracy_ci});
}

std::string may_lose_text(const TrainedPairs& pairs) {
  return pairs.may_lose == 0 ? "nothing may be lost"
                             : "at most " + points_text(pairs.may_lose) + " lost";
}

std::string accuracy_line(const TrainedPairs& pairs) {
  const std::string whole = accuracy_delta_text(pairs);
  const bool of_all = pairs.judged == static_cast<int>(pairs.seeds.size());
  return "accuracy " + (of_all ? whole.substr(0, whole.rfind(", ")) : whole);
}

namespace {

std::string accuracy_sentence(const TrainedPairs& pairs, const TrainedSide& theirs,
                              const TrainedSide& ours) {
  if (!theirs.accuracy || !ours.accuracy) return "accuracy: no pair was judged to the end";
  return fmt::format("accuracy {:.4f} → {:.4f}: {}; the limit is {}", *theirs.accuracy,
                     *ours.accuracy, accuracy_delta_text(pairs), may_lose_text(pairs));
}

}  // namespace

std::vector<std::string> trained_sentences(const Comparison& comparison, bool brief) {
  if (!comparison.trained || comparison.trained->sides.size() != 2) return {};
  const TrainedPairs& pairs = *comparison.trained;
  const TrainedSide &theirs = pairs.sides[0], &ours = pairs.sides[1];
  std::vector<std::string> sentences;
  if (theirs.step_ns > 0 && ours.step_ns > 0) sentences.push_back(times_sentence(theirs, ours));
  if (!brief) sentences.push_back(accuracy_sentence(pairs, theirs, ours));
  if (pairs.target) sentences.push_back(target_sentence(pairs, theirs, ours));
  if (!brief && !ours.epoch_energy_j && !pairs.no_energy.empty())
    sentences.push_back("joules of an epoch are unavailable: " + pairs.no_energy);
  return sentences;
}

std::string pairs_text(const Comparison& comparison, int count) {
  const char* what = comparison.trained ? "seed" : "round";
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace ridge
