#include "common/harness/measure/isa.h"

#include <algorithm>
#include <cstdlib>

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace ridge::measure {
namespace {

/// Tiles of bf16 and of bytes, and Linux's leave to use their registers, which a process has to ask for once
/// (Documentation/arch/x86/xstate.rst).
bool has_amx() {
#if defined(__x86_64__) && defined(__linux__)
  static const bool has = [] {
    constexpr unsigned kBf16 = 1u << 22, kTile = 1u << 24, kInt8 = 1u << 25;
    constexpr long kAskForState = 0x1023, kTileData = 18;
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
    if ((d & kBf16) == 0 || (d & kTile) == 0 || (d & kInt8) == 0) return false;
    return ::syscall(SYS_arch_prctl, kAskForState, kTileData) == 0;
  }();
  return has;
#else
  return false;
#endif
}

}  // namespace

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
  if (isa == "amx") {
    needed = IsaLevel::avx512;
    part = has_amx();
  } else if (isa.rfind("avx512", 0) == 0) {
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
