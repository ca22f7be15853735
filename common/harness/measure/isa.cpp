#include "common/harness/measure/isa.h"

#include <algorithm>
#include <cstdlib>

namespace ridge::measure {

IsaLevel isa_cap() {
  const char* text = std::getenv("RIDGE_MAX_ISA");
  const std::string cap = text == nullptr ? "" : text;
  if (cap == "portable") return IsaLevel::portable;
  if (cap == "neon") return IsaLevel::neon;
  if (cap == "wasm128") return IsaLevel::wasm128;
  if (cap == "avx2") return IsaLevel::avx2;
  return IsaLevel::avx512;
}

IsaLevel cpu_isa() {
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
  if (avx2 && avx512) return IsaLevel::avx512;
  if (avx2) return IsaLevel::avx2;
#elif defined(__aarch64__)
  return IsaLevel::neon;
#elif defined(__wasm__)
  return IsaLevel::wasm128;
#endif
  return IsaLevel::portable;
}

IsaLevel usable_isa() {
  return std::min(isa_cap(), cpu_isa());
}

std::string to_string(IsaLevel level) {
  switch (level) {
    case IsaLevel::neon:
      return "neon";
    case IsaLevel::wasm128:
      return "wasm128";
    case IsaLevel::avx2:
      return "avx2";
    case IsaLevel::avx512:
      return "avx512";
    default:
      return "portable";
  }
}

bool isa_available(const std::string& isa, std::string* reason) {
  IsaLevel needed = IsaLevel::portable;
  bool part = true;  // the parts beyond a level that have a name of their own
  if (isa.rfind("avx512", 0) == 0) {
    needed = IsaLevel::avx512;
#if defined(__x86_64__)
    if (isa == "avx512bf16") part = __builtin_cpu_supports("avx512bf16");
    // Every CPU with BITALG has VNNI as well; the build line's flags ask for both.
    if (isa == "avx512bitalg") {
      part = __builtin_cpu_supports("avx512bitalg") && __builtin_cpu_supports("avx512vnni");
    }
    if (isa == "avx512vnni") part = __builtin_cpu_supports("avx512vnni");
#endif
  } else if (isa == "neon") {
    needed = IsaLevel::neon;
#if !defined(__aarch64__)
    part = false;  // a wider level of another architecture does not have it
#endif
  } else if (isa == "wasm128") {
    needed = IsaLevel::wasm128;
#if !defined(__wasm__)
    part = false;
#endif
  } else if (!isa.empty()) {
    needed = IsaLevel::avx2;
  }
  if (needed > cpu_isa()) {
    *reason = "needs " + isa + "; this CPU has " + to_string(cpu_isa());
    return false;
  }
  if (!part) {
    *reason = "needs " + isa + ", which this CPU does not have";
    return false;
  }
  if (needed > isa_cap()) {
    *reason = "needs " + isa + "; RIDGE_MAX_ISA allows " + to_string(isa_cap());
    return false;
  }
  return true;
}

}  // namespace ridge::measure
