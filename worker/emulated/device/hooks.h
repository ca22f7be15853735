// The calls that -fsanitize=thread puts before every load and store, and -fsanitize-coverage=trace-pc at the start of
// every basic block, at compile time alone: their bodies are here, so no sanitizer is linked.
#pragma once

#include "worker/emulated/device/machine.h"

// Atomic additions of an instrumented object must not be instrumented themselves.
#define RIDGE_UNTRACED __attribute__((no_sanitize("thread"), no_sanitize_coverage))
#define RIDGE_HOOK extern "C" __attribute__((weak, used, visibility("hidden"))) RIDGE_UNTRACED

// What runs while the object is loaded is instrumented too: there is no machine yet.
#define RIDGE_HOOK_ACCESS(name, bytes, kind)                                         \
  RIDGE_HOOK void name(void* at) {                                                   \
    if (ridge_emulated_machine != nullptr)                                           \
      ridge_emulated_machine->access(at, bytes, ::ridge::emulated::AccessKind::kind, \
                                     __builtin_return_address(0));                   \
  }
#define RIDGE_HOOK_SIZE(bytes)                                   \
  RIDGE_HOOK_ACCESS(__tsan_read##bytes, bytes, read)             \
  RIDGE_HOOK_ACCESS(__tsan_write##bytes, bytes, write)           \
  RIDGE_HOOK_ACCESS(__tsan_unaligned_read##bytes, bytes, read)   \
  RIDGE_HOOK_ACCESS(__tsan_unaligned_write##bytes, bytes, write) \
  RIDGE_HOOK_ACCESS(__tsan_volatile_read##bytes, bytes, read)    \
  RIDGE_HOOK_ACCESS(__tsan_volatile_write##bytes, bytes, write)
RIDGE_HOOK_SIZE(1)
RIDGE_HOOK_SIZE(2)
RIDGE_HOOK_SIZE(4)
RIDGE_HOOK_SIZE(8)
RIDGE_HOOK_SIZE(16)
#undef RIDGE_HOOK_SIZE
#undef RIDGE_HOOK_ACCESS

RIDGE_HOOK void __tsan_read_range(void* at, unsigned long bytes) {
  if (ridge_emulated_machine != nullptr)
    ridge_emulated_machine->access(at, static_cast<uint32_t>(bytes),
                                   ::ridge::emulated::AccessKind::read,
                                   __builtin_return_address(0));
}
RIDGE_HOOK void __tsan_write_range(void* at, unsigned long bytes) {
  if (ridge_emulated_machine != nullptr)
    ridge_emulated_machine->access(at, static_cast<uint32_t>(bytes),
                                   ::ridge::emulated::AccessKind::write,
                                   __builtin_return_address(0));
}
RIDGE_HOOK void __tsan_vptr_update(void**, void*) {}
RIDGE_HOOK void __tsan_vptr_read(void**) {}
RIDGE_HOOK void __tsan_func_entry(void*) {}
RIDGE_HOOK void __tsan_func_exit() {}
RIDGE_HOOK void __tsan_init() {}
RIDGE_HOOK void __sanitizer_cov_trace_pc() {
  if (ridge_emulated_machine != nullptr)
    ridge_emulated_machine->basic_block(__builtin_return_address(0));
}
#undef RIDGE_HOOK
