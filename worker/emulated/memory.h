// The memory that device code may touch: buffers of the problem, what cudaMalloc gave, and an object's own constants.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ridge::emulated {

struct Range {
  uintptr_t begin = 0, end = 0;
  std::string name;  ///< "A"; "cudaMalloc of 4096 bytes"
  bool is_owned = false;
  bool is_constant = false;  ///< of the object: not counted
};

/// Changed between launches alone.
class Memory {
 public:
  ~Memory();
  void add(const void* at, size_t bytes, std::string name, bool is_constant = false);
  /// Null where there is not as much.
  void* allocate(size_t bytes);
  void release(void* memory);
  /// Null: `at` is in none.
  const Range* find(uintptr_t at) const;
  /// "4 bytes behind the end of A", of an address in none.
  std::string nearest(uintptr_t at) const;
  void forget_buffers();

 private:
  std::vector<Range> ranges_;  ///< by address
};

}  // namespace ridge::emulated
