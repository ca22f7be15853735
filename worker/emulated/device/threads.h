// What a thread of device code knows and shares: its indices, barriers, and what goes between the lanes of a warp. The
// bodies are calls of the machine; each is a function of its own, so that its return address is the line that called it.
#pragma once

#include <cstring>
#include <type_traits>

#include "worker/emulated/device/hooks.h"
#include "worker/emulated/device/vectors.h"

// Constant for as long as a thread runs: the compiler may keep the answer.
#define RIDGE_THREADS_PLACE(name, member, Type)                                             \
  __attribute__((noinline, const, weak, visibility("hidden"))) RIDGE_UNTRACED Type name() { \
    const ::ridge::emulated::Place3& at = ridge_emulated_machine->place()->member;          \
    return {at.x, at.y, at.z};                                                              \
  }
RIDGE_THREADS_PLACE(ridge_thread_index, thread, uint3)
RIDGE_THREADS_PLACE(ridge_block_index, block, uint3)
RIDGE_THREADS_PLACE(ridge_block_dim, block_dim, uint3)
RIDGE_THREADS_PLACE(ridge_grid_dim, grid_dim, uint3)
#undef RIDGE_THREADS_PLACE
#define threadIdx (::ridge_thread_index())
#define blockIdx (::ridge_block_index())
#define blockDim (::ridge_block_dim())
#define gridDim (::ridge_grid_dim())
constexpr int warpSize = 32;

#define RIDGE_CALL __attribute__((noinline, weak, visibility("hidden"))) RIDGE_UNTRACED
#define RIDGE_SITE __builtin_return_address(0)

/// A barrier is a line of the text: the compiler may make two calls of one, in both branches before it.
RIDGE_CALL void __syncthreads(int line = __builtin_LINE()) {
  ridge_emulated_machine->barrier(line, RIDGE_SITE);
}
RIDGE_CALL void __syncwarp(unsigned mask = 0xffffffffu) {
  ridge_emulated_machine->warp_sync(mask, RIDGE_SITE);
}
RIDGE_CALL unsigned __ballot_sync(unsigned mask, int predicate) {
  return ridge_emulated_machine->ballot(mask, predicate != 0, RIDGE_SITE);
}
RIDGE_CALL int __any_sync(unsigned mask, int predicate) {
  return ridge_emulated_machine->ballot(mask, predicate != 0, RIDGE_SITE) != 0;
}
RIDGE_CALL int __all_sync(unsigned mask, int predicate) {
  return ridge_emulated_machine->ballot(mask, predicate == 0, RIDGE_SITE) == 0;
}
RIDGE_CALL void __threadfence() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  ridge_emulated_machine->fence();
}
RIDGE_CALL void __threadfence_block() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

namespace ridge::emulated {

/// Elements of what lies behind a shared array, where an index that is too large is likely to come to: 4 KiB.
template <class Array>
constexpr size_t beside = 1 + 4095 / sizeof(std::remove_all_extents_t<Array>);

template <class Array, class Guard>
RIDGE_UNTRACED inline void shared_array(const char* name, const Array& array, const Guard& guard) {
  ridge_emulated_machine->shared_array(name, &array, sizeof array,
                                       sizeof(std::remove_all_extents_t<Array>));
  ridge_emulated_machine->shared_guard(&guard, sizeof guard);
}
template <class Guard>
RIDGE_UNTRACED inline void shared_guard(const Guard& guard) {
  ridge_emulated_machine->shared_guard(&guard, sizeof guard);
}

template <class T>
RIDGE_UNTRACED inline T exchanged(unsigned mask, T value, int from, const void* site) {
  static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>,
                "a shuffle takes 8 bytes at most");
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  bits = ridge_emulated_machine->shuffle(mask, bits, from, site);
  T got;
  __builtin_memcpy(&got, &bits, sizeof(T));
  return got;
}

/// The lane itself where `from` lies outside its segment of `width` lanes.
RIDGE_UNTRACED inline int inside_segment(int lane, int from, int width) {
  const int begin = lane / width * width;
  return from >= begin && from < begin + width ? from : lane;
}

}  // namespace ridge::emulated

template <class T>
RIDGE_CALL T __shfl_sync(unsigned mask, T value, int from, int width = 32) {
  const int lane = ridge_emulated_machine->lane();
  return ::ridge::emulated::exchanged(mask, value, lane / width * width + (from & (width - 1)),
                                      RIDGE_SITE);
}
template <class T>
RIDGE_CALL T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
  const int lane = ridge_emulated_machine->lane(), from = lane ^ bits;
  // The only shuffle that may look into a segment before its own.
  return ::ridge::emulated::exchanged(mask, value, from / width <= lane / width ? from : lane,
                                      RIDGE_SITE);
}
template <class T>
RIDGE_CALL T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32) {
  const int lane = ridge_emulated_machine->lane();
  const int from = ::ridge::emulated::inside_segment(lane, lane + static_cast<int>(by), width);
  return ::ridge::emulated::exchanged(mask, value, from, RIDGE_SITE);
}
template <class T>
RIDGE_CALL T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32) {
  const int lane = ridge_emulated_machine->lane();
  const int from = ::ridge::emulated::inside_segment(lane, lane - static_cast<int>(by), width);
  return ::ridge::emulated::exchanged(mask, value, from, RIDGE_SITE);
}
