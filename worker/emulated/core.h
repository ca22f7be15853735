// One core of the emulation: it runs a block at a time, each thread as a fibre, and counts what they do. A thread runs
// until it has to wait for others: at a barrier, or where the lanes of its warp exchange something.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "worker/emulated/branches.h"
#include "worker/emulated/caches.h"
#include "worker/emulated/counts.h"
#include "worker/emulated/device/machine.h"
#include "worker/emulated/device_shadow.h"
#include "worker/emulated/fibre.h"
#include "worker/emulated/memory.h"
#include "worker/emulated/requests.h"
#include "worker/emulated/shadow.h"

namespace ridge::emulated {

constexpr int kMostThreads = 1024;                // of a block
constexpr size_t kMostDynamicShared = 227 << 10;  // of a block: Hopper's
constexpr int64_t kMostSteps = 2'000'000;         // basic blocks of one thread

/// Shared addresses as device code sees them: static memory first, dynamic from here on.
constexpr uint32_t kDynamicBegin = 1 << 20;

/// What the cores of a launch share.
struct LaunchState {
  const Grid* grid = nullptr;
  const Memory* memory = nullptr;
  SharedCache* l2 = nullptr;
  std::atomic<int64_t>* begun = nullptr;  ///< blocks, of the process
  std::atomic<int64_t> next_block = 0;
  std::atomic<bool> is_stopped = false;    ///< a fault that ends the launch
  int64_t first_block = 0;                 ///< of the process, counted through all launches
  std::vector<std::atomic<bool>> fenced;   ///< by block: it has made a fence
  uintptr_t text_begin = 0, text_end = 0;  ///< of the object's code
  RequestLog* log = nullptr;               ///< of warp 0 of block 0; null: none is kept
};

/// A static array of shared memory.
struct SharedArray {
  const char* name = "";
  uintptr_t begin = 0;
  size_t bytes = 0, element_bytes = 1;
};

class Core {
 public:
  Core();
  /// Blocks until there are none left; on the thread that calls.
  void run(LaunchState* launch);

  // ---- what fibres call -----------------------------------------------------------------------------------------------
  void access(uintptr_t at, uint32_t bytes, AccessKind kind, Site site);
  void step(Site site);
  void barrier(int line, Site site);
  void warp_sync(uint32_t mask, Site site);
  uint64_t shuffle(uint32_t mask, uint64_t value, int from, Site site);
  uint32_t ballot(uint32_t mask, bool predicate, Site site);
  void together(void (*work)(void* const* given), void* given, int64_t flop, Site site);
  const Place* place() const { return &lane_->place; }
  int lane() const { return lane_->thread % kLanes; }
  void* dynamic_shared() { return dynamic_shared_.data(); }
  void shared_array(const SharedArray& array);
  void shared_guard(uintptr_t at, size_t bytes);
  void fence();
  uint32_t shared_address(const void* pointer) const;
  void* shared_pointer(uint32_t address);
  bool is_shared(const void* pointer) const;
  void copy_later(uint32_t to, const void* from, uint32_t bytes, uint32_t inside, Site site);
  void copies_commit();
  void copies_wait(int pending);
  void refuse(const std::string& what, Site site);
  void misaligned(const std::string& does, Site site);
  /// A fibre's whole life.
  void live();

  // ---- what came of it, of this core's blocks -------------------------------------------------------------------------
  std::unordered_map<Site, SiteCounts> sites;
  std::unordered_map<Site, int64_t> warp_flop;  ///< of steps that a warp takes together
  std::vector<Fault> faults;
  std::vector<int64_t>
      visits;  ///< of basic blocks by threads, by the offset of their call in the object's code
  std::vector<Site>
      block_sites;  ///< of basic blocks, by the numbers that `branches` has; 0 is none
  std::vector<BranchCounts> branches;  ///< by these numbers
  int64_t static_shared_bytes = 0;

 private:
  enum class State : uint8_t { ready, barrier, sync, shuffle, ballot, together, done };
  struct Copy {
    char* to;
    const char* from;
    uint32_t bytes, inside;
    Site site;
  };
  struct Lane {
    Context context;
    Place place;
    int thread = 0;
    State state = State::done;
    uint32_t mask = 0;
    int from = 0;
    uint64_t value = 0;  ///< given, then got
    void (*work)(void* const* given) = nullptr;  ///< of together()
    void* given = nullptr;
    int64_t flop = 0;
    Site site = nullptr;
    int line = 0;  ///< of the barrier that it waits at
    int64_t steps = 0;
    std::vector<Copy> copies;        ///< not yet made, in order
    std::vector<size_t> group_ends;  ///< in copies
  };
  struct Warp {
    Requests requests;
    Branches branches;
    uint32_t time = 0;          ///< synchronisations so far
    uint32_t met_whole = 0;     ///< time of the last that all took part in
    std::vector<uint32_t> met;  ///< time of the last of each pair; empty: none was of a part
  };

  void begin_block(int64_t block);
  void run_block();
  void run_warp(size_t warp);
  void meet(size_t warp);
  uint32_t block_number(Site site, size_t offset);
  void collect(Site site, uint64_t address, uint32_t bytes, AccessKind kind, bool is_shared);
  bool resolve(size_t warp);
  void exchange(size_t warp, uint32_t mask, State kind);
  void work_together(const Lane* lanes, uint32_t mask);
  bool release_barrier();
  void leave(State state);
  void stop(FaultKind kind, Site site, std::string detail);
  void report(FaultKind kind, Site at, Site other, std::string detail);
  void shared_access(uint64_t offset, uint32_t bytes, AccessKind kind, Site site);
  void global_access(uintptr_t at, uint32_t bytes, AccessKind kind, Site site);
  void find_static_shared();
  bool have_met(uint16_t before, uint32_t time, uint16_t thread) const;
  bool is_ordered(const DeviceUse& before) const;
  void outside(const Range* range, uintptr_t at, uint32_t bytes, AccessKind kind, Site site);
  void settle();
  void device_race(const DeviceUse& before, bool before_writes, uintptr_t at);
  void beside_array(uintptr_t at, AccessKind kind, Site site);
  void shared_fault(FaultKind kind, const Use& before, const Use& use, bool before_writes,
                    bool writes);
  std::string where(const Lane& lane) const;

  LaunchState* launch_ = nullptr;
  Stacks stacks_;
  Context scheduler_;
  std::vector<Lane> lanes_;
  std::vector<Warp> warps_;
  Lane* lane_ = nullptr;  ///< the one that runs
  size_t threads_ = 0;
  uint32_t epoch_ = 1;  ///< barriers, and begins of blocks
  int64_t block_ = 0;   ///< of the process, counted through all launches
  bool has_atomics_ = false;  ///< it has made an atomic operation in device memory
  std::vector<char> dynamic_shared_;
  uintptr_t static_begin_ = 0;
  size_t static_bytes_ = 0;
  const Range* range_ = nullptr;         ///< the one that was used last
  std::vector<uint32_t> block_numbers_;  ///< by the offset of a block's call in the code
  Shadow shadow_;
  SectorCache l1_{kL1Bytes};         ///< of the block
  std::vector<SharedArray> arrays_;  ///< of this launch's kernel, as far as a block came by

  /// A plain write whose value is in memory once its fibre calls again.
  struct Write {
    const Range* range = nullptr;  ///< null: there is none
    uintptr_t at = 0;
    uint32_t bytes = 0;
    DeviceUse use;
  };
  Write write_;
  /// The access to device memory that a shadow has before it.
  struct Judged {
    const Range* range = nullptr;
    DeviceUse use;
    bool writes = false;
  };
  Judged judged_;
  DeviceShadow::Judge judge_;
};

/// The core whose fibre runs on this thread; null: none does.
Core* current_core();

}  // namespace ridge::emulated
