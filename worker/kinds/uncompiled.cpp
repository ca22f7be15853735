// A rung whose source is embedded and whose code is not in this build, or wants a library that is not here.
#include <algorithm>

#include "common/core/late_library.h"
#include "common/harness/kernel/registry.h"
#include "common/harness/measure/isa.h"
#include "worker/kinds/rung.h"

namespace ridge::worker {
namespace {

class UncompiledRung : public Rung {
 public:
  using Rung::Rung;
  Result<Series> measure(const Job& job) const override {
    return skipped_series(*this, job, cannot());
  }
};

#ifdef RIDGE_HAS_CUDA
constexpr bool kHasCuda = true;
#else
constexpr bool kHasCuda = false;
#endif

/// What would have to change first: another build, a GPU, a CPU, a library.
std::string why_not_here(const KernelSource& source, const Machine& machine) {
  const bool is_cuda = backend_of(source.id) == Backend::cuda;
  if (is_cuda && !kHasCuda) return "built without CUDA";
  if (is_cuda && machine.gpus().empty()) return machine.no_gpu_reason();
  std::string other_isa;  // a file of another architecture's instruction set is never compiled
  if (!measure::isa_available(source.isa, &other_isa)) return other_isa;
  if (source.needs.empty()) return "not compiled into this worker";
  const std::string& missing = missing_library(source.needs);
  return missing.empty() ? "built without " + source.needs : missing;
}

KernelInfo uncompiled_info(const KernelSource& source, const Machine& machine) {
  KernelInfo info = named_info(source.id, source.kind);
  info.backend = backend_of(source.id);
  info.library = source.library;
  // A kernel's parameters are known all the same: a recorded run of it can be browsed.
  const FamilyDesc* family = source.kind == RungKind::kernel ? find_family(info.family) : nullptr;
  if (family != nullptr) info.params = family->params_of(source.id);
  info.needs = source.arch.empty() ? source.isa : "sm_" + source.arch;
  info.reason = why_not_here(source, machine);
  return info;
}

}  // namespace

Rungs uncompiled_rungs(const Machine& machine, const Rungs& known) {
  Rungs rungs;
  for (const KernelSource& source : kernel_sources()) {
    const bool is_known = std::any_of(
        known.begin(), known.end(), [&](const auto& rung) { return rung->info().id == source.id; });
    if (!is_known)
      rungs.push_back(std::make_unique<UncompiledRung>(uncompiled_info(source, machine)));
  }
  return rungs;
}

}  // namespace ridge::worker
