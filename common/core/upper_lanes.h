// What AVX code may leave behind, cleared. A function compiled with -mavx2 or -mavx512f ends in
// vzeroupper only at -O2 and above (GCC ties it to -fexpensive-optimizations); at -O1 the upper lanes
// stay in use, and SSE code after it, which must keep them, depends on each register's last value: on a
// Zen 4 the double loop of a check took 4.5 times as long, and loop_order 16 ms instead of 1.4 (n = 256)
// when it was compared with packed_avx2. Source: Agner Fog, Optimizing subroutines in assembly, 13.2.
#pragma once

namespace ridge {

/// For the caller of a rung, on each of its threads: portable code only, which keeps nothing in those lanes.
inline void clear_upper_lanes() {
#ifdef __x86_64__
  static const bool has_avx = __builtin_cpu_supports("avx") != 0;
  if (has_avx) asm volatile("vzeroupper");
#endif
}

}  // namespace ridge
