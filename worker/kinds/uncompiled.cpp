// A rung whose source is embedded and whose code is not in this build.
#include <algorithm>
#include <sstream>

#include "common/harness/kernel/registry.h"
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

/// Value of "key=" in a build line; empty if absent.
std::string flag_value(const std::string& flags, const std::string& key) {
  std::istringstream words(flags);
  for (std::string word; words >> word;) {
    if (word.starts_with(key + "=")) return word.substr(key.size() + 1);
  }
  return "";
}

#ifdef RIDGE_HAS_CUDA
constexpr bool kHasCuda = true;
#else
constexpr bool kHasCuda = false;
#endif

KernelInfo uncompiled_info(const KernelSource& source) {
  KernelInfo info = named_info(source.id, source.kind);
  info.backend = backend_of(source.id);
  info.library = source.library;
  // A kernel's parameters are known all the same: a recorded run of it can be browsed.
  const FamilyDesc* family = source.kind == RungKind::kernel ? find_family(info.family) : nullptr;
  if (family != nullptr) info.params = family->params();
  const std::string arch = flag_value(source.flags, "arch");
  info.needs = arch.empty() ? flag_value(source.flags, "isa") : "sm_" + arch;
  info.reason = info.backend == Backend::cuda && !kHasCuda ? "built without CUDA"
                : !source.needs.empty()                    ? "built without " + source.needs
                                                           : "not compiled into this worker";
  return info;
}

}  // namespace

Rungs uncompiled_rungs(const Rungs& known) {
  Rungs rungs;
  for (const KernelSource& source : kernel_sources()) {
    const bool is_known = std::any_of(
        known.begin(), known.end(), [&](const auto& rung) { return rung->info().id == source.id; });
    if (!is_known) rungs.push_back(std::make_unique<UncompiledRung>(uncompiled_info(source)));
  }
  return rungs;
}

}  // namespace ridge::worker
