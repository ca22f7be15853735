// What the targets of tests/fuzz share. A target is one file: the parser that it feeds is the file's name.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace ridge::fuzz {

/// The path of a file in memory with this text; the same file at each call.
inline std::string file_with(const std::string& text) {
  static const int fd = ::memfd_create("fuzz", 0);
  (void)!::ftruncate(fd, 0);
  (void)!::pwrite(fd, text.data(), text.size(), 0);
  return "/proc/self/fd/" + std::to_string(fd);
}

}  // namespace ridge::fuzz

/// `...` sees libFuzzer's input as `text`.
/// A block of memory carries the four innermost calls that made it, for the report of a finding: of all thirty ASan would
/// spend a twentieth of the time on them. More of one finding: ASAN_OPTIONS=malloc_context_size=30.
#define RIDGE_FUZZ(...)                                                     \
  extern "C" const char* __asan_default_options() {                         \
    return "malloc_context_size=4";                                         \
  }                                                                         \
  extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) { \
    const std::string text(reinterpret_cast<const char*>(data), size);      \
    __VA_ARGS__;                                                            \
    return 0;                                                               \
  }
