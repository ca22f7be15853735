// What a CUDA rung is counted by when it runs on the CPU (docs/emulated.md): a request is what a warp's lanes ask at one
// place of the program together; a sector is 32 bytes of device memory; a wavefront is one pass through the 32 banks of
// shared memory. Counted, never timed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/core/enum_table.h"
#include "common/record/types.h"
#include "common/record/warp_steps.h"

namespace ridge {

/// Of one kind of memory at one place, or summed over places.
struct MemoryTraffic {
  int64_t requests = 0;
  int64_t lanes = 0;       ///< accesses of single threads
  int64_t bytes = 0;       ///< that these asked for, each counted
  int64_t sectors = 0;     ///< global: distinct 32-byte sectors, by request
  int64_t l1_passes =
      0;  ///< global: through the L1, by request, as wavefronts are through the banks
  int64_t l2_sectors = 0;  ///< global: sectors that a block's L1 did not have, and those written
  int64_t dram_sectors =
      0;  ///< global: of them those that an L2 did not have, or was not written yet
  int64_t wavefronts = 0;  ///< shared
  int64_t conflicts = 0;   ///< shared: wavefronts beyond those that lanes and width ask for

  void add(const MemoryTraffic& other);
  double sectors_per_request() const {
    return requests > 0 ? static_cast<double>(sectors) / static_cast<double>(requests) : 0;
  }
  double wavefronts_per_request() const {
    return requests > 0 ? static_cast<double>(wavefronts) / static_cast<double>(requests) : 0;
  }
  bool operator==(const MemoryTraffic&) const = default;
};

/// What one place of the program did.
struct SiteCounts {
  MemoryTraffic global_reads, global_writes, global_atomics, shared_reads, shared_writes,
      shared_atomics;
  int64_t barriers = 0;        ///< of a block, each once
  int64_t copies = 0;          ///< asynchronous copies of single threads
  int64_t branches = 0;        ///< that a warp came to
  int64_t split_branches = 0;  ///< of them, those that sent its lanes different ways

  void add(const SiteCounts& other);
  MemoryTraffic global() const;
  MemoryTraffic shared() const;
  bool operator==(const SiteCounts&) const = default;
};

/// `line` of the rung's file, from 1. What a header does is counted at the line that called it; what no line of the rung
/// led to, a kernel that lies in a header as a whole, at line 0.
struct LineCounts {
  int line = 0;
  SiteCounts counts;
  int64_t flop = 0;
  int64_t tensor_flop = 0;  ///< of them, what a warp asked Tensor Cores for

  /// But for the line's number.
  void add(const LineCounts& other);
};

enum class FaultKind {
  race,               ///< two threads, the same bytes, a write, and nothing that orders them
  unwritten,          ///< shared memory read before it was written
  out_of_bounds,      ///< outside every buffer
  misaligned,         ///< not at a multiple of its width
  divergent_barrier,  ///< not all threads of a block come to the same barrier
  missing_lanes,      ///< lanes that a mask names do not come
  endless,            ///< more steps than are allowed
  refused,            ///< an instruction that is not emulated
};
template <>
struct EnumTable<FaultKind> {
  static constexpr EnumName<FaultKind> kRows[] = {
      {FaultKind::race, "race"},
      {FaultKind::unwritten, "unwritten"},
      {FaultKind::out_of_bounds, "out of bounds"},
      {FaultKind::misaligned, "misaligned"},
      {FaultKind::divergent_barrier, "divergent barrier"},
      {FaultKind::missing_lanes, "missing lanes"},
      {FaultKind::endless, "endless"},
      {FaultKind::refused, "not emulated"}};
};

struct CountedFault {
  OpenEnum<FaultKind> kind;
  int line = 0;        ///< of the access that showed it; 0: in a header as a whole
  int other_line = 0;  ///< of the other access; 0: there is none
  std::string detail;  ///< "thread 33 of block 0 reads what thread 1 wrote"
};

struct CountedLaunch {
  int64_t blocks = 0, threads = 0;  ///< threads of a block
  int64_t static_shared_bytes = 0, dynamic_shared_bytes = 0;
  int64_t shared_bytes() const { return static_shared_bytes + dynamic_shared_bytes; }
};

/// One call of a rung: all its launches together, by line.
struct KernelCounts {
  int64_t request = 0;
  std::string kernel, path;  ///< path: of the file whose lines these are
  std::string hash;          ///< of the rung's code
  bool stale = false;  ///< the rung has changed since; Run::mark_stale() sets it, no line holds it
  Params params;
  double problem_flop = 0, problem_bytes = 0;  ///< what the family says of the problem; 0: does not apply
  std::optional<QualityCheck> check;  ///< none: it was stopped
  std::string stopped;                ///< why, one sentence; empty: it came to its end
  std::vector<CountedLaunch> launches;
  std::vector<LineCounts> lines;  ///< in order; those that did something
  std::vector<CountedFault> faults;
  WarpSteps steps;  ///< none in recordings, and of programs that kept no such log

  LineCounts total() const;
  /// Null: that line did nothing that is counted.
  const LineCounts* at(int line) const;
};

/// What a puzzle's target, or a figure in a text, may name of them all.
enum class CountKind {
  sectors,    ///< of device memory, 32 bytes each, by request
  requests,   ///< of a warp, to device memory
  shared,     ///< requests of a warp to shared memory
  conflicts,  ///< turns of shared memory beyond those that are needed
  barriers,   ///< of a block, each once
  atomics     ///< of single threads, in device memory
};
template <>
struct EnumTable<CountKind> {
  static constexpr EnumName<CountKind> kRows[] = {
      {CountKind::sectors, "sectors"},   {CountKind::requests, "requests"},
      {CountKind::shared, "shared"},     {CountKind::conflicts, "conflicts"},
      {CountKind::barriers, "barriers"}, {CountKind::atomics, "atomics"}};
};
int64_t count_of(const KernelCounts& counts, CountKind kind);

}  // namespace ridge
