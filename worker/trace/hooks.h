// Put before a rung's text by the compiler (-include) where its memory accesses are recorded. -fsanitize=thread, at
// compile time alone, calls a function before every load and store; these functions are ours, so no sanitizer is linked.
// Each hands address, bytes and kind to `ridge_trace_sink`, which the worker sets while it records.
//
// What the compiler does not announce is announced here: memcpy and memset (the linker wraps them), and the masked loads,
// stores and broadcasts of AVX2 and AVX-512, which are calls of builtins to it.
#pragma once

#if defined(__AVX2__) || defined(__AVX512F__)
#include <immintrin.h>
#endif

#define RIDGE_HOOK \
  extern "C" __attribute__((weak, used, visibility("hidden"), no_sanitize("thread")))

typedef void (*ridge_trace_sink_type)(const void* at, unsigned long bytes, int writes);
extern "C" __attribute__((weak, used, visibility("default")))
ridge_trace_sink_type ridge_trace_sink = nullptr;

RIDGE_HOOK void ridge_trace(const void* at, unsigned long bytes, int writes) {
  if (ridge_trace_sink && bytes > 0) ridge_trace_sink(at, bytes, writes);
}

#define RIDGE_HOOK_SIZE(bytes)                              \
  RIDGE_HOOK void __tsan_read##bytes(void* at) {            \
    ridge_trace(at, bytes, 0);                              \
  }                                                         \
  RIDGE_HOOK void __tsan_write##bytes(void* at) {           \
    ridge_trace(at, bytes, 1);                              \
  }                                                         \
  RIDGE_HOOK void __tsan_unaligned_read##bytes(void* at) {  \
    ridge_trace(at, bytes, 0);                              \
  }                                                         \
  RIDGE_HOOK void __tsan_unaligned_write##bytes(void* at) { \
    ridge_trace(at, bytes, 1);                              \
  }
RIDGE_HOOK_SIZE(1)
RIDGE_HOOK_SIZE(2)
RIDGE_HOOK_SIZE(4)
RIDGE_HOOK_SIZE(8)
RIDGE_HOOK_SIZE(16)
#undef RIDGE_HOOK_SIZE

RIDGE_HOOK void __tsan_read_range(void* at, unsigned long bytes) {
  ridge_trace(at, bytes, 0);
}
RIDGE_HOOK void __tsan_write_range(void* at, unsigned long bytes) {
  ridge_trace(at, bytes, 1);
}
RIDGE_HOOK void __tsan_vptr_update(void**, void*) {}
RIDGE_HOOK void __tsan_vptr_read(void**) {}
RIDGE_HOOK void __tsan_func_entry(void*) {}
RIDGE_HOOK void __tsan_func_exit() {}
RIDGE_HOOK void __tsan_init() {}

extern "C" void* __real_memcpy(void* to, const void* from, unsigned long bytes);
extern "C" void* __real_memset(void* to, int value, unsigned long bytes);
RIDGE_HOOK void* __wrap_memcpy(void* to, const void* from, unsigned long bytes) {
  ridge_trace(from, bytes, 0);
  ridge_trace(to, bytes, 1);
  return __real_memcpy(to, from, bytes);
}
RIDGE_HOOK void* __wrap_memset(void* to, int value, unsigned long bytes) {
  ridge_trace(to, bytes, 1);
  return __real_memset(to, value, bytes);
}

// A masked access of `size` bytes a lane: from the first lane inside to the last.
#if defined(__AVX2__) || defined(__AVX512F__)
__attribute__((no_sanitize("thread"))) static inline void ridge_trace_lanes(const void* at,
                                                                            unsigned long lanes,
                                                                            int size, int writes) {
  if (lanes == 0) return;
  const int first = __builtin_ctzl(lanes), last = 63 - __builtin_clzl(lanes);
  ridge_trace((const char*)at + first * size,
              (unsigned long)(last - first + 1) * (unsigned long)size, writes);
}
static inline __m256 ridge_maskload_ps(const float* p, __m256i mask) {
  ridge_trace_lanes(p, (unsigned long)_mm256_movemask_ps((__m256)mask), 4, 0);
  return _mm256_maskload_ps(p, mask);
}
static inline void ridge_maskstore_ps(float* p, __m256i mask, __m256 v) {
  ridge_trace_lanes(p, (unsigned long)_mm256_movemask_ps((__m256)mask), 4, 1);
  _mm256_maskstore_ps(p, mask, v);
}
#ifndef __clang__  // which reads the float itself
static inline __m256 ridge_broadcast_ss(const float* p) {
  ridge_trace(p, 4, 0);
  return _mm256_broadcast_ss(p);
}
#define _mm256_broadcast_ss(p) ridge_broadcast_ss(p)
#endif
#define _mm256_maskload_ps(p, mask) ridge_maskload_ps(p, mask)
#define _mm256_maskstore_ps(p, mask, v) ridge_maskstore_ps(p, mask, v)
#endif
#ifdef __AVX512F__
static inline __m512 ridge_maskz_loadu_ps(__mmask16 lanes, const void* p) {
  ridge_trace_lanes(p, lanes, 4, 0);
  return _mm512_maskz_loadu_ps(lanes, p);
}
static inline void ridge_mask_storeu_ps(void* p, __mmask16 lanes, __m512 v) {
  ridge_trace_lanes(p, lanes, 4, 1);
  _mm512_mask_storeu_ps(p, lanes, v);
}
#define _mm512_maskz_loadu_ps(lanes, p) ridge_maskz_loadu_ps(lanes, p)
#define _mm512_mask_storeu_ps(p, lanes, v) ridge_mask_storeu_ps(p, lanes, v)
#endif
#undef RIDGE_HOOK
