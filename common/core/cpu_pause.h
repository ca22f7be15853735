// What a loop that waits for another thread does between two looks.
#pragma once

namespace ridge {

/// Tells the core that it waits: the other thread of a shared core gets its turn, and less power is used.
inline void cpu_pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

}  // namespace ridge
