// A learner's rung: built while the worker runs, and run in a worker of its own.
#include "common/harness/kernel/registry.h"
#include "common/record/params.h"
#include "worker/edit/edits.h"
#include "worker/kinds/rung.h"

namespace ridge::worker {
namespace {

class EditedRung : public Rung {
 public:
  EditedRung(const KernelInfo& info, Edits* edits)
      : Rung(info), edits_(edits), family_(find_family(info.family)) {}

  Result<SourceText> source() const override { return edit().source; }

  Result<AssemblyText> assembly(int capability,
                                const std::function<bool()>& cancelled) const override {
    return edits_->disassemble(edit(), capability, cancelled);
  }

  Result<Series> measure(const Job& job) const override {
    // A trained model is made and kept here: its worker may write nothing.
    if (family_ != nullptr) {
      RIDGE_TRY_VOID(measure::get_ready(*family_, job.params, job.index, job.observer));
    }
    return edits_->run(edit(), job.request, job.index, job.observer);
  }

  std::vector<std::string> ceilings(const Params& params) const override {
    std::vector<std::string> all;
    if (family_ != nullptr && family_->works != nullptr) all.push_back(family_->works);
    const std::string own = info_.dtypes.empty() ? "fp32" : info_.dtypes.front();
    all.push_back(param_text(params, "dtype", own));
    return all;
  }

  bool carries_comparison() const override { return true; }

  Result<measure::CompareOutcome> compare(const std::vector<Job>& jobs) const override {
    return edits_->compare(jobs.front().request, jobs.front().observer);
  }

 private:
  /// Looked up each time: a later build of the same rung replaces it.
  const Edit& edit() const { return *edits_->find(info_.id); }

  Edits* edits_;
  const FamilyDesc* family_;
};

}  // namespace

std::unique_ptr<Rung> edited_rung(const KernelInfo& info, Edits* edits) {
  return std::make_unique<EditedRung>(info, edits);
}

}  // namespace ridge::worker
