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

}  // namespace ridge
