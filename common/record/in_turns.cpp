#include "common/record/in_turns.h"

#include <algorithm>

namespace ridge {

bool is_in_turns(const Run& run, const SeriesFacts& series) {
  const Request* request = run.request(series.request);
  return request && request->type == RequestType::compare;
}

const Comparison* newest_pair(const Run& run, const SeriesFacts& baseline,
                              const SeriesFacts& candidate) {
  const auto fits = [&](const Comparison& one) {
    return one.ratio > 0 && one.verdict != Verdict::invalid && one.baseline == baseline.kernel &&
           one.candidate == candidate.kernel && one.cache == candidate.cache &&
           one.baseline_params == baseline.params && one.candidate_params == candidate.params;
  };
  const auto& all = run.comparisons();
  const auto found = std::find_if(all.rbegin(), all.rend(), fits);
  return found == all.rend() ? nullptr : &*found;
}

}  // namespace ridge
