// The size of what a problem's rungs go through: a parameter that several families have.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "common/record/params.h"

namespace ridge {

inline constexpr int64_t kMostKib = int64_t{1} << 24;
/// Past the last cache of most CPUs, and a million lines: a tenth of a second at 100 ns each.
inline constexpr int64_t kUsualKib = 65'536;
/// 256 MiB: five times the L2 of an H100, and 80 us at 3.3 TB/s, next to which a launch is short.
inline constexpr int64_t kUsualGpuKib = 262'144;
inline constexpr const char* kWorkingSetHelp = "KiB of the working set";

/// `params` with about `share` (0 to 1) of the number `name`, 1 at the least.
inline Params with_share(const Params& params, const char* name, double share) {
  Params smaller = params;
  const double left = double(param_int(params, name, 1)) * std::clamp(share, 0.0, 1.0);
  smaller[name] = std::max<int64_t>(1, static_cast<int64_t>(left));
  return smaller;
}

/// FamilyDesc::narrow of families whose rungs stream through the set: on a GPU it is usually kUsualGpuKib.
inline void past_gpu_caches(std::string_view kernel, std::vector<ParamSpec>* specs) {
  if (kernel.find(".cuda.") == std::string_view::npos) return;
  for (ParamSpec& spec : *specs) {
    if (spec.name == "kib") spec.fallback = kUsualGpuKib;
  }
}

}  // namespace ridge
