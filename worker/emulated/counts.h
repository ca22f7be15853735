// What an emulated launch is counted by. A request is what a warp's lanes ask at one place of the program together; a
// sector is 32 bytes of device memory; a wavefront is one pass through the 32 banks of shared memory.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ridge::emulated {

/// Of one kind of memory at one place, or summed over places.
struct Traffic {
  int64_t requests = 0;
  int64_t lanes = 0;       ///< accesses of single threads
  int64_t bytes = 0;       ///< that these asked for, each counted
  int64_t sectors = 0;     ///< global: distinct 32-byte sectors, by request
  int64_t wavefronts = 0;  ///< shared
  int64_t conflicts = 0;   ///< shared: wavefronts beyond those that lanes and width ask for

  void add(const Traffic& other);
  double sectors_per_request() const {
    return requests > 0 ? static_cast<double>(sectors) / static_cast<double>(requests) : 0;
  }
  double wavefronts_per_request() const {
    return requests > 0 ? static_cast<double>(wavefronts) / static_cast<double>(requests) : 0;
  }
};

/// What one place of the program did.
struct SiteCounts {
  Traffic global_reads, global_writes, global_atomics, shared_reads, shared_writes, shared_atomics;
  int64_t barriers = 0;  ///< of a block, each once
  int64_t copies = 0;    ///< asynchronous copies of single threads

  void add(const SiteCounts& other);
  Traffic global() const;
  Traffic shared() const;
};

/// A place of the program: a return address in a loaded object.
using Site = const void*;
using Counts = std::map<Site, SiteCounts>;

enum class FaultKind {
  race,               ///< two threads, one word of shared memory, a write, and no barrier between
  unwritten,          ///< shared memory read before it was written
  out_of_bounds,      ///< outside every buffer
  misaligned,         ///< not at a multiple of its width
  divergent_barrier,  ///< not all threads of a block come to the same barrier
  missing_lanes,      ///< lanes that a mask names do not come
  endless,            ///< more steps than are allowed
  refused,            ///< an instruction that is not emulated
};

struct Fault {
  FaultKind kind = FaultKind::race;
  Site at = nullptr;     ///< the access that showed it
  Site other = nullptr;  ///< the other one, where there are two
  std::string detail;    ///< "thread 33 of block 0 reads what thread 1 wrote"
};

/// What one launch of one kernel came to.
struct LaunchCounts {
  const void* kernel = nullptr;
  int64_t blocks = 0, threads = 0;  ///< threads of a block
  int64_t static_shared_bytes = 0, dynamic_shared_bytes = 0;
  Counts sites;
  std::map<Site, int64_t> visits;  ///< of basic blocks, by single threads
  std::vector<Fault> faults;       ///< each pair of places once
};

}  // namespace ridge::emulated
