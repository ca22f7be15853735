// The quality gate: no number without a check. Each check poisons the outputs, calls the kernel once,
// and looks at what it left: unwritten elements, guard words, changed inputs, and the family's own
// judgement against float64.
#pragma once

#include <map>
#include <string>

#include "common/core/result.h"
#include "common/harness/measure/observer.h"
#include "common/harness/measure/rung.h"

namespace ridge::measure {

/// Poison, call, download, judge. `full`: every element against the whole reference.
/// A failed check is a value; an Error means that no check could be made (the launch failed).
/// `call_s`: how long its call took, with its start and, on a GPU, the wait for it.
Result<QualityCheck> check_rung(ReadyRung* rung, bool full, const std::string& what,
                                double* call_s = nullptr);

/// The full check of a kernel over its family's awkward shapes, three seeds each, and over graded inputs, judged by
/// the kernel's class of accuracy: made once per kernel, dtype and thread count, then remembered. All seeds of a shape
/// go through one plan, so a kernel that keeps an old answer is seen.
class FullChecks {
 public:
  /// `params` are the run's own: dtype, threads and other choices are carried over to the awkward
  /// shapes. The outcome sums the checks up: the first that failed, else the worst.
  Result<QualityCheck> get(const KernelDesc& kernel, const FamilyDesc& family, const Params& params,
                           Device* device, const Observer& observer);

  /// Of learners' rungs: in live mode too, and with seeds that no text can know.
  bool of_edits = false;

 private:
  std::map<std::string, QualityCheck> done_;
};

inline constexpr int kSeeds = 3;

/// The family's awkward problems with the choices of a run that has these `params`; complete.
Result<std::vector<Params>> awkward_problems(const FamilyDesc& family, const Params& params);

}  // namespace ridge::measure
