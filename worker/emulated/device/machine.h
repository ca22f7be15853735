// What emulated device code asks of the worker that runs it: a table of functions that the worker puts into each object
// it loads. Included by both sides, so it names no type of either.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ridge::emulated {

struct Place3 {
  unsigned x = 0, y = 0, z = 0;
};

/// Where a thread is: its own indices, and the shape that it was launched in.
struct Place {
  Place3 thread, block, block_dim, grid_dim;
};

enum class AccessKind : uint32_t { read, write, atomic };

/// One launch. `run(call)` is the kernel with its arguments, which lie at `call`.
struct Grid {
  Place3 blocks, threads;
  size_t shared_bytes = 0;
  void (*run)(const void* call) = nullptr;
  const void* call = nullptr;
  size_t call_bytes = 0;
  const void* kernel = nullptr;      ///< its address
  char* (*shared_mark)() = nullptr;  ///< an address in the calling core's static shared memory
};

/// `site`: the return address of the call, which a line of the source belongs to.
struct Machine {
  void (*access)(const void* at, uint32_t bytes, AccessKind kind, const void* site);
  void (*basic_block)(const void* site);
  void (*barrier)(int line, const void* site);
  void (*warp_sync)(uint32_t mask, const void* site);
  void (*fence)();  ///< what this block has written comes before what it writes from here on
  /// `value` of lane `from` of this warp, among the lanes of `mask`.
  uint64_t (*shuffle)(uint32_t mask, uint64_t value, int from, const void* site);
  uint32_t (*ballot)(uint32_t mask, bool predicate, const void* site);
  /// A step of a whole warp: once all 32 lanes have called, `work` runs once with what each lane gave, and the lanes go
  /// on. It orders no memory. `flop`: what the warp computes by it, counted at `site`.
  void (*together)(void (*work)(void* const* given), void* given, int64_t flop, const void* site);
  const Place* (*place)();
  int (*lane)();  ///< within its warp
  void* (*dynamic_shared)();
  /// A static array of shared memory, and memory beside one that no access may meet. Said by each thread that comes by.
  void (*shared_array)(const char* name, const void* at, size_t bytes, size_t element_bytes);
  void (*shared_guard)(const void* at, size_t bytes);
  uint32_t (*shared_address)(const void* pointer);
  void* (*shared_pointer)(uint32_t address);
  bool (*is_shared)(const void* pointer);
  /// cp.async: `bytes` to shared memory, `inside` of them from `from`, zeros after them; made by copies_wait().
  void (*copy_later)(uint32_t to, const void* from, uint32_t bytes, uint32_t inside,
                     const void* site);
  void (*copies_commit)();
  void (*copies_wait)(int pending);
  void (*refuse)(const char* what, const void* site);  ///< ends the launch with this sentence
  /// Ends the launch: the thread that calls `does` it, "loads a row at no multiple of 16 bytes".
  void (*misaligned)(const char* does, const void* site);
  int (*launch)(const Grid* grid);  ///< 0, or cudaErrorEmulated
  void* (*allocate)(size_t bytes);
  void (*release)(void* memory);
  const char* (*last_words)();  ///< the sentence of the last launch that was ended
};

}  // namespace ridge::emulated

extern "C" {
/// Set by the worker once the object is loaded.
__attribute__((weak, used, visibility("default")))
const ridge::emulated::Machine* ridge_emulated_machine = nullptr;
}
