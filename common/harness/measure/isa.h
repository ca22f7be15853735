// Which instruction sets a CPU rung may use here: what the CPU has, capped by RIDGE_MAX_ISA.
#pragma once

#include <string>

namespace ridge::measure {

/// Of x86-64 portable, avx2 and avx512, of aarch64 portable and neon, of WebAssembly portable and wasm128: in the order of
/// their widths.
enum class IsaLevel { portable, neon, wasm128, avx2, avx512 };

/// RIDGE_MAX_ISA=portable|neon|wasm128|avx2|avx512 in the environment; avx512 (no cap) when unset or unknown.
IsaLevel isa_cap();
/// What this CPU has, before the cap: avx2 means AVX2 and FMA, avx512 the F, VL, BW and DQ parts. Every aarch64 has neon;
/// a browser without wasm128 could not have started this program.
IsaLevel cpu_isa();
/// The lesser of the two: what rungs and peers use.
IsaLevel usable_isa();
std::string to_string(IsaLevel level);

/// Whether a build line's isa ("", "neon", "wasm128", "avx2", "avx512f", "avx512bf16", "amx") runs here; `reason` says what is
/// missing: "needs avx512f; this CPU has avx2".
bool isa_available(const std::string& isa, std::string* reason);

}  // namespace ridge::measure
