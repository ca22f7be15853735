// A page has no compiler and no process to limit: a learner's text is refused in one sentence.
#include "worker/edit/edits.h"

#include "worker/edit/loading.h"

namespace ridge::worker {
namespace {

Error no_compiler() {
  return {ErrorCode::unavailable, "a page has no compiler for a rung of your own", "your turn",
          "install ridgepoint on a machine with Linux: it builds and measures your text there"};
}

}  // namespace

class EditedWorker {};

Edits::Edits() = default;
Edits::~Edits() = default;

Result<EditBuild> Edits::build(const std::string& /*kernel*/, const std::string& /*dtype*/,
                               const std::string& /*text*/, const KernelInfo* /*original*/,
                               int /*capability*/, measure::Observer* /*observer*/) {
  return no_compiler();
}

const Edit* Edits::find(std::string_view /*kernel*/) const {
  return nullptr;
}

Result<AssemblyText> Edits::disassemble(const Edit& /*edit*/, int /*capability*/,
                                        const std::function<bool()>& /*cancelled*/) {
  return no_compiler();
}

Series Edits::run(const Edit& /*edit*/, WorkRequest /*request*/, int index,
                  measure::Observer* /*observer*/) {
  Series series;
  series.index = index;
  series.status = SeriesStatus::failed;
  series.reason = no_compiler().sentence();
  return series;
}

Result<measure::CompareOutcome> Edits::compare(const WorkRequest& /*request*/,
                                               measure::Observer* /*observer*/) const {
  return no_compiler();
}

Result<BuiltLibrary> compile_library(const std::string& /*file*/, bool /*is_cuda*/,
                                     const std::string& /*folder*/,
                                     const std::function<bool()>& /*cancelled*/) {
  return no_compiler();
}

Scratch::Scratch() = default;
Scratch::~Scratch() = default;

measure::InstanceCache& instance_ahead() {
  static measure::InstanceCache instance;
  return instance;
}

}  // namespace ridge::worker
