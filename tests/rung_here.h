// Rungs of x86 in tests that other architectures run too.
#pragma once

#include <string>

#include "common/harness/kernel/registry.h"
#include "common/harness/measure/isa.h"
#include "tests/catch.h"

namespace ridge::test {

#ifdef __x86_64__
inline constexpr bool kIsX86 = true;
#else
inline constexpr bool kIsX86 = false;
#endif

/// The rung; null where this CPU lacks its instructions, or where another architecture's build has left it out. On x86 it has
/// to be there.
inline const KernelDesc* rung_here(const std::string& id) {
  const KernelDesc* kernel = find_kernel(id);
  INFO(id);
  REQUIRE((kernel != nullptr || !kIsX86));
  std::string reason;
  return kernel != nullptr && measure::isa_available(kernel->isa, &reason) ? kernel : nullptr;
}

}  // namespace ridge::test
