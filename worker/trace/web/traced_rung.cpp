// Accesses are recorded by compiling the rung's text once more, and a page has no compiler.
#include "worker/trace/traced_rung.h"

namespace ridge::worker {

Result<TracedCall> trace_rung(const std::string& kernel, const FamilyDesc& /*family*/,
                              const Params& /*params*/, measure::Device* /*cpu*/,
                              measure::Observer* /*observer*/) {
  return Error{ErrorCode::unavailable,
               "its memory accesses are not recorded: a page has no compiler", kernel,
               "install ridgepoint on a machine with Linux"};
}

}  // namespace ridge::worker
