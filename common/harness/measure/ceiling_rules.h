// What the ceilings of one machine say of each other: a copy reads half of its bytes, so reading cannot be slower
// than half of a copy. A ceiling that breaks a rule was disturbed while it was measured.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/core/result.h"
#include "common/record/types.h"

namespace ridge::measure {

/// One ceiling is at least `least` times as fast as another of the same machine.
struct CeilingRule {
  struct Of {
    const char* resource;         ///< as Ceiling::resource; null: any, and the same of both
    const char* dtype = nullptr;  ///< null: any, and the same of both
  };
  enum class Threads { same, more, fewer };  ///< of the judged one, compared with the other

  Of judged, other;
  Threads threads = Threads::same;
  double least = 1;  ///< of `fewer`: of what each of the other's threads gets
  const char* why = "";
};

const std::vector<CeilingRule>& ceiling_rules();

/// A ceiling that is too low for what another one has reached.
struct Contradiction {
  size_t ceiling = 0;  ///< its place in the list
  std::string reason;  ///< a sentence, as Ceiling::doubt
};

/// Of the ceilings of one device, each at most once. The value of a ceiling is that of its fastest sample: what
/// disturbs it makes it lower, so the lower one of a pair is the one to doubt.
std::vector<Contradiction> find_contradictions(const std::vector<Ceiling>& ceilings);

/// Measures one once more; none where its probe gives nothing. Cancelled: Error.
using MeasureAgain = std::function<Result<std::optional<Ceiling>>(const Ceiling&)>;

/// Measures what contradicts the rest again, a bounded number of times, and keeps the higher value. What still
/// contradicts it gets a `doubt`, all others none. A list without contradictions measures nothing.
Result<void> settle_ceilings(std::vector<Ceiling>* ceilings, const MeasureAgain& measure_again);

}  // namespace ridge::measure
