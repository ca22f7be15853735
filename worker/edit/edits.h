// Learners' rungs: built here, run in a worker of their own, which is started for each request, is
// limited (sandbox.h), and may crash, hang or end as it likes: that is one sentence here.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/harness/measure/compare.h"
#include "common/record/request.h"
#include "worker/edit/build.h"

namespace ridge::worker {

struct Edit {
  KernelInfo info;
  SourceText source;
  std::string artifact;  ///< the shared object
  EditText text;         ///< what it was compiled from
};

class EditedWorker;

class Edits {
 public:
  Edits();
  ~Edits();

  /// Compiles, then has a worker load it and say what it registers. A build that fails leaves what was
  /// built before under this id.
  /// `dtype`: as in read_edit(). `capability`: of this machine's GPU, 0 without. Errors: cancelled.
  Result<EditBuild> build(const std::string& kernel, const std::string& dtype,
                          const std::string& text, const KernelInfo* original, int capability,
                          measure::Observer* observer);
  const Edit* find(std::string_view kernel) const;

  /// A CPU rung's is linked with its lines by a second compilation with -g1, which is never run.
  Result<AssemblyText> disassemble(const Edit& edit, int capability,
                                   const std::function<bool()>& cancelled);

  /// One edited rung of `request`: everything that goes wrong is in the Series.
  Series run(const Edit& edit, WorkRequest request, int index, measure::Observer* observer);
  /// Sides may be ordinary rungs of this worker. Errors: what ended it, one sentence.
  Result<measure::CompareOutcome> compare(const WorkRequest& request,
                                          measure::Observer* observer) const;

 private:
  std::deque<Edit> edits_;  ///< addresses stay
  Precompiled headers_;
  std::unique_ptr<EditedWorker> ready_;        ///< the last build's, loaded and idle
  std::string ready_for_;                      ///< its rung
  std::map<std::string, Params> last_params_;  ///< of each rung's last run
  std::vector<std::string> unsaid_;  ///< missing_protections(), until a build has said them
};

}  // namespace ridge::worker
