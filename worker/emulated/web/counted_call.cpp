// A CUDA rung is counted by compiling its text for the CPU, and a page has no compiler.
#include "worker/emulated/counted_call.h"

namespace ridge::worker {

Result<Params> countable(const FamilyDesc& /*family*/, const Params& params) {
  return params;
}

Result<KernelCounts> counted_call(const std::string& kernel, const std::string& /*text*/,
                                  const Params& /*params*/, measure::Observer* /*observer*/) {
  return Error{ErrorCode::unavailable, "it is not counted: a page has no compiler", kernel,
               "install ridgepoint on a machine with Linux"};
}

}  // namespace ridge::worker
