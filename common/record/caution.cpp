#include "common/record/caution.h"

#include <algorithm>
#include <utility>

namespace ridge {

std::string caution_of(const Stats& stats) {
  constexpr std::pair<const char*, const char*> kCautions[] = {
      {"contended", "busy"}, {"noisy", "noisy"}, {"few_samples", "few samples"}};
  for (const auto& [flag, words] : kCautions) {
    if (std::find(stats.flags.begin(), stats.flags.end(), flag) != stats.flags.end()) return words;
  }
  return {};
}

std::string flag_meaning(const std::string& flag) {
  constexpr std::pair<const char*, const char*> kMeanings[] = {
      {"contended", "other processes used the CPU meanwhile"},
      {"correlated", "a sample is like the one before it, and the interval allows for that"},
      {"noisy", "the time was over before the interval was as narrow as it should be"},
      {"few_samples", "too few calls were timed for an interval"},
      {"external", "timed in another process, as a library of Python is"},
      {"ungated", "the host's launches are in its time"}};
  for (const auto& [known, words] : kMeanings) {
    if (flag == known) return words;
  }
  return {};
}

}  // namespace ridge
