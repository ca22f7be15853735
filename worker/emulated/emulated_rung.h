// A CUDA rung on this CPU: its own text, compiled for emulation, run on a problem and checked like any other. Counted,
// never timed.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "common/core/result.h"
#include "common/harness/kernel/family.h"
#include "common/harness/kernel/kernel.h"
#include "common/harness/measure/device.h"
#include "common/record/types.h"
#include "worker/emulated/counts.h"
#include "worker/emulated/object.h"

namespace ridge::worker {

/// One call: its launches in order, and what its check said.
struct EmulatedCall {
  QualityCheck check;
  std::vector<emulated::LaunchCounts> launches;
};

/// A rung that is compiled for emulation and not loaded yet.
struct EmulatedBuild {
  std::string kernel;    ///< id under which the object registers it: an edit's
  std::string path;      ///< of the text, as a SourceText has it
  std::string hash;      ///< of its code
  std::string artifact;  ///< the shared object
};

/// `text`: of a .cu that registers `kernel`; it is compiled in `folder`, within a learner's limits. Errors: unavailable,
/// there is no compiler; usage, it does not compile, with the first message; cancelled.
Result<EmulatedBuild> compile_emulated(const std::string& kernel, const std::string& text,
                                       const std::string& folder,
                                       const std::function<bool()>& cancelled);

class EmulatedRung {
 public:
  /// The object stays loaded for as long as the process lives. Errors: usage, it cannot be loaded.
  static Result<std::shared_ptr<const EmulatedRung>> load(const EmulatedBuild& build);
  /// Compiled and loaded in this process. Errors: as both.
  static Result<std::shared_ptr<const EmulatedRung>> build(const std::string& kernel,
                                                           const std::string& text,
                                                           const std::function<bool()>& cancelled);
  /// Our own rung's text.
  static Result<std::shared_ptr<const EmulatedRung>> build(const std::string& kernel);

  /// One call on `params`, each element checked against the family's reference. Errors: as measure::check_rung();
  /// a launch that was stopped says why in its sentence, and its faults are in *stopped where that is asked for.
  Result<EmulatedCall> call(const FamilyDesc& family, const Params& params, measure::Device* cpu,
                            std::vector<emulated::LaunchCounts>* stopped = nullptr) const;

  const emulated::Object& object() const { return object_; }

 private:
  KernelDesc kernel_;
  emulated::Object object_;
};

}  // namespace ridge::worker
