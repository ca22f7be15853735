// From what a person typed to what a worker is asked: rungs found, parameters checked against the
// catalogue, and for everything left out a reason.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/core/result.h"
#include "common/record/budget.h"
#include "common/record/request.h"
#include "common/record/run.h"
#include "labs/lab.h"

namespace ridge::app {

struct NotRun {
  std::string kernel, reason;
};

struct Selection {
  std::vector<KernelRequest> kernels;
  std::vector<NotRun> not_run;  ///< rungs of the lab that nobody named and that cannot run here
};

/// A rung of any lab by its full id or its last part, and the first lab that has it; else no lab and the
/// text as it is, for the worker to judge.
std::pair<const Lab*, std::string> lab_and_rung(const std::string& name);
inline std::string full_id(const std::string& name) {
  return lab_and_rung(name).second;
}

/// What was meant by a name that no rung has: those of the labs, and of `run`'s catalogue.
Error no_such_rung(const std::string& name, const Run& run);

/// What was meant by a name that no lab has: those whose ids are near, else the one whose title has these words. Empty:
/// there is none.
std::string meant_lab(const std::string& typed);

/// Errors: usage, with the labs there are.
Result<const Lab*> require_lab(const std::string& id);

/// The values of one parameter: "0,2..4" is 0, 2, 3 and 4; anything else stands for itself. Errors: usage, for more
/// than `most`.
Result<std::vector<ParamValue>> listed_values(const std::string& name, const std::string& text,
                                              size_t most);

/// `seed=1..8` and `kept=0,1,3` among the parameters: each value, one after the other. Errors: usage, for
/// more than 64 in all.
Result<std::vector<Params>> expand_ranges(const Params& given);

/// The named rungs, or all that this machine can run. `run` holds the catalogue. Errors: usage (no
/// such rung, ambiguous, a parameter out of range), unavailable (a named rung cannot run here).
Result<Selection> select_rungs(const Lab& lab, const Run& run,
                               const std::vector<std::string>& names, const Params& given);

/// A learner's rung that the worker has built.
Result<KernelRequest> select_edit(const Run& run, const std::string& kernel, const Params& given);

/// All that this machine can run, CPU and GPU rungs each at the lab's size for a first look.
Result<Selection> first_look(const Lab& lab, const Run& run);

/// The rows of a published table that this machine can run; the others are in not_run.
Result<Selection> select_table(const Lab& lab, const Table& table, const Run& run,
                               const Params& given);

/// One side of a comparison, "RUNG[:k=v,..]": its own settings win over `given`.
Result<KernelRequest> select_side(const Lab& lab, const Run& run, const std::string& text,
                                  const Params& given);

/// The sides of a comparison, the baseline first. Of trainings the same sides for each seed: those that `given` lists
/// (seed=1..8), else the one that a side names, else 1 to kSeedsToClaim.
Result<std::vector<KernelRequest>> select_sides(const Lab& lab, const Run& run,
                                                const std::vector<std::string>& texts,
                                                const Params& given);
/// Error usage: the budget demands what a side of these has not, as of check_budget().
Result<void> check_for_rungs(const Budget& budget, const Lab& lab,
                             const std::vector<KernelRequest>& sides, const Run& run);
/// The same sides with the seeds 1 to kSeedsToClaim, one after the other, where all are trainings that take one; else
/// as they are.
std::vector<KernelRequest> with_seeds(const Run& run, const std::vector<KernelRequest>& sides);

// Where this machine's ladder ends: the last rung of a section that it can run, for the rungs after it.

/// The last rung of ours in this rung's section that the worker can run, where all after it cannot;
/// null where none can, where a later one can, and for a rung that is not past it.
const Rung* ladder_end(const Lab& lab, const Run& run, const Rung& rung);

/// Why this rung cannot run, and where the ladder ends for that: "needs Hopper (sm_90a); this Tesla T4
/// is sm_75: your ladder ends at WMMA". Empty when it can run, or is not in the catalogue.
std::string why_not_here(const Lab& lab, const Run& run, const Rung& rung);

/// One line for each section whose ladder ends before its top: "GPU, Tensor Cores: your ladder ends at
/// WMMA. mma.sync needs Ampere (sm_80); this Tesla T4 is sm_75".
std::vector<std::string> ladder_ends(const Lab& lab, const Run& run);

}  // namespace ridge::app
