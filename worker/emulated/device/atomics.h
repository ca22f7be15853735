// Atomic operations: real ones, since blocks run on several cores at once. Each returns what was there before.
#pragma once

#include <type_traits>

#include "worker/emulated/device/threads.h"

namespace ridge::emulated {

/// Replaces *at by change(*at), and tells the machine of it.
template <class T, class Change>
RIDGE_UNTRACED inline T changed(T* at, const void* site, Change change) {
  ridge_emulated_machine->access(at, sizeof(T), AccessKind::atomic, site);
  T before, after;
  __atomic_load(at, &before, __ATOMIC_RELAXED);
  do {
    after = change(before);
  } while (
      !__atomic_compare_exchange(at, &before, &after, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return before;
}

}  // namespace ridge::emulated

#define RIDGE_ATOMIC(name, after)                                                            \
  template <class T>                                                                         \
  RIDGE_CALL T name(T* at, std::type_identity_t<T> value) {                                  \
    return ::ridge::emulated::changed(at, RIDGE_SITE,                                        \
                                      [value](T old) RIDGE_UNTRACED -> T { return after; }); \
  }
RIDGE_ATOMIC(atomicAdd, static_cast<T>(old + value))
RIDGE_ATOMIC(atomicSub, static_cast<T>(old - value))
RIDGE_ATOMIC(atomicMax, old > value ? old : value)
RIDGE_ATOMIC(atomicMin, old < value ? old : value)
RIDGE_ATOMIC(atomicExch, value)
RIDGE_ATOMIC(atomicAnd, static_cast<T>(old& value))
RIDGE_ATOMIC(atomicOr, static_cast<T>(old | value))
RIDGE_ATOMIC(atomicXor, static_cast<T>(old ^ value))
#undef RIDGE_ATOMIC

template <class T>
RIDGE_CALL T atomicCAS(T* at, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  return ::ridge::emulated::changed(at, RIDGE_SITE, [expected, value](T old) RIDGE_UNTRACED -> T {
    return old == expected ? value : old;
  });
}
