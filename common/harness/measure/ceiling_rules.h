// Which ceilings of a machine are not to be believed: those that contradict others (a copy reads half of its bytes, so
// reading cannot be slower than half of a copy), those that a rung has passed, and those whose cores others used.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/core/result.h"
#include "common/record/believable.h"
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

/// A rate that a rung reached: the highest ceiling that bounds it does not lie below it.
struct Reached {
  std::string rung;
  BoundRate rate;
  /// A learner's rung: it has the ceiling measured again, and where the machine was quiet then, its figure is in
  /// question and not the ceiling.
  bool is_edit = false;
};

/// What is known beside the ceilings of one device.
struct Evidence {
  int cores =
      0;  ///< logical cores of the CPU; 0: not known, and no ceiling is doubted for others' load
  std::vector<Reached> reached{};
};

/// A ceiling that is too low for what another one or a rung has reached, or that was measured on a busy machine.
struct Contradiction {
  size_t ceiling = 0;    ///< its place in the list
  std::string reason;    ///< a sentence, as Ceiling::doubt
  bool is_busy = false;  ///< others' load is all that speaks against it
  bool is_edit = false;  ///< a learner's rung is all that speaks against it
};

/// Of the ceilings of one device, each at most once. The value of a ceiling is that of its fastest sample: what
/// disturbs it makes it lower, so the lower one of a pair is the one to doubt.
std::vector<Contradiction> find_contradictions(const std::vector<Ceiling>& ceilings,
                                               const Evidence& evidence = {});

/// Measures one once more; none where its probe gives nothing. Cancelled: Error.
using MeasureAgain = std::function<Result<std::optional<Ceiling>>(const Ceiling&)>;

/// Measures what is not to be believed again, a bounded number of times (for others' load alone: once), and keeps the
/// higher value; a look at a quiet machine takes the mark of others' load away. What is still not to be believed gets a
/// `doubt`, all others none; nor does what only a learner's rung has passed, where the machine was quiet. A list without contradictions measures nothing.
Result<void> settle_ceilings(std::vector<Ceiling>* ceilings, const MeasureAgain& measure_again,
                             const Evidence& evidence = {});

/// Whether a ceiling measured `now` says that the device is as fast as it was `then`. A lower one on a busy machine says
/// nothing against that.
bool is_as_fast_as_then(const Ceiling& then, const Ceiling& now);

}  // namespace ridge::measure
