#include "common/record/in_turns.h"

#include <cmath>

#include "common/record/edit.h"

namespace ridge {

bool is_in_turns(const Run& run, const SeriesFacts& series) {
  const Request* request = run.request(series.request);
  return request && request->type == RequestType::compare;
}

bool takes_place_of(const Run& run, const SeriesFacts& later, const SeriesFacts& earlier) {
  return !is_in_turns(run, later) || !earlier.stats || is_in_turns(run, earlier);
}

bool outweighs(const Comparison& later, const Comparison& earlier) {
  const auto has_ratio = [](const Comparison& one) {
    return one.verdict != Verdict::invalid && one.ratio > 0 && std::isfinite(one.ratio);
  };
  if (is_edit(later.candidate) || is_edit(later.baseline)) return true;
  if (!has_ratio(later) || !has_ratio(earlier) || later.budget != earlier.budget) return true;
  if (later.stale != earlier.stale) return earlier.stale;
  if (later.sustained.empty() != earlier.sustained.empty()) return earlier.sustained.empty();
  return later.rounds >= earlier.rounds;
}

std::optional<Comparison> weightiest_pair(const Run& run, const SeriesFacts& baseline,
                                          const SeriesFacts& candidate) {
  return weightiest_either_way(
      run, [&](const PairSide& from, const PairSide& to, const Comparison& one) {
        return one.ratio > 0 && one.verdict != Verdict::invalid && from.kernel == baseline.kernel &&
               to.kernel == candidate.kernel && one.cache == candidate.cache &&
               from.params == baseline.params && to.params == candidate.params;
      });
}

}  // namespace ridge
