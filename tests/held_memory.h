// Counts what a program holds by `new`. It replaces the program's operators, so one file of a program includes it.
#pragma once

#include <malloc.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace ridge::test {

inline std::atomic<int64_t> held_bytes{0};
inline thread_local int64_t allocations = 0;  ///< of this thread, ever

/// A block that malloc gave; null counts nothing.
inline void* hold(void* block) {
  if (block == nullptr) return nullptr;
  held_bytes += static_cast<int64_t>(malloc_usable_size(block));
  ++allocations;
  return block;
}
inline void let_go(void* block) noexcept {
  if (block != nullptr) held_bytes -= static_cast<int64_t>(malloc_usable_size(block));
  std::free(block);
}
inline void* hold_or_throw(void* block) {
  return block != nullptr ? hold(block) : throw std::bad_alloc();
}

}  // namespace ridge::test

void* operator new(size_t size) {
  return ridge::test::hold_or_throw(std::malloc(size));
}
void* operator new(size_t size, std::align_val_t alignment) {
  const auto bytes = static_cast<size_t>(alignment);
  return ridge::test::hold_or_throw(std::aligned_alloc(bytes, (size + bytes - 1) / bytes * bytes));
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {  // of the library's temporary buffers
  return ridge::test::hold(std::malloc(size));
}
void operator delete(void* block) noexcept {
  ridge::test::let_go(block);
}
void operator delete(void* block, size_t) noexcept {
  ridge::test::let_go(block);
}
void operator delete(void* block, const std::nothrow_t&) noexcept {
  ridge::test::let_go(block);
}
void operator delete(void* block, std::align_val_t) noexcept {
  ridge::test::let_go(block);
}
void operator delete(void* block, size_t, std::align_val_t) noexcept {
  ridge::test::let_go(block);
}
