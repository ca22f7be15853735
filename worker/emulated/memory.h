// The memory that device code may touch: buffers of the problem, what cudaMalloc gave, and an object's own constants.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "worker/emulated/device_shadow.h"

namespace ridge::emulated {

struct Range {
  uintptr_t begin = 0, end = 0;
  std::string name;            ///< "A"; "cudaMalloc of 4096 bytes"
  uint32_t element_bytes = 0;  ///< 0: not known
  bool is_owned = false;
  bool is_constant = false;  ///< of the object: not counted
  std::unique_ptr<DeviceShadow> shadow;  ///< null: races are not looked for

  /// "A[17]", "byte 68 of cudaMalloc of 4096 bytes"; of an address outside, a negative index or one too large.
  std::string place(uintptr_t at) const;
};

/// Changed between launches alone.
class Memory {
 public:
  ~Memory();
  /// A buffer of the problem. `element_bytes` 0: not known.
  void add(const void* at, size_t bytes, std::string name, uint32_t element_bytes = 0);
  void add_constant(const void* at, size_t bytes, std::string name);
  /// Null where there is not as much.
  void* allocate(size_t bytes);
  void release(void* memory);
  /// Null: `at` is in none.
  const Range* find(uintptr_t at) const;
  /// "A[1000]: A has 1000 elements", "4 bytes behind the end of cudaMalloc of 64 bytes", of an address in none.
  std::string nearest(uintptr_t at) const;
  void forget_buffers();

 private:
  Range& insert(const void* at, size_t bytes, std::string name);

  std::vector<Range> ranges_;  ///< by address
};

}  // namespace ridge::emulated
