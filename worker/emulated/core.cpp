#include "worker/emulated/core.h"

#include <link.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace ridge::emulated {
namespace {

constexpr size_t kStackBytes = 64 << 10;
constexpr size_t kMostFaults = 64;

thread_local Core* current = nullptr;

struct TlsSearch {
  uintptr_t mark = 0, begin = 0;
  size_t bytes = 0;
};

int look_for_tls(dl_phdr_info* info, size_t, void* data) {
  auto* search = static_cast<TlsSearch*>(data);
  const auto begin = reinterpret_cast<uintptr_t>(info->dlpi_tls_data);
  if (begin == 0) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const size_t bytes = info->dlpi_phdr[i].p_memsz;
    if (info->dlpi_phdr[i].p_type != PT_TLS || search->mark < begin ||
        search->mark >= begin + bytes)
      continue;
    search->begin = begin;
    search->bytes = bytes;
    return 1;
  }
  return 0;
}

const char* verb(bool writes) {
  return writes ? "writes" : "reads";
}

}  // namespace

Core* current_core() {
  return current;
}

Core::Core()
    : stacks_(kMostThreads, kStackBytes),
      lanes_(kMostThreads),
      warps_(kMostThreads / kLanes),
      dynamic_shared_(kMostDynamicShared),
      shadow_([this](const Use& before,
                     uint16_t thread) { return have_met(before.thread, before.time, thread); },
              [this](FaultKind kind, const Use& before, const Use& use, bool before_writes,
                     bool writes) { shared_fault(kind, before, use, before_writes, writes); }),
      judge_{[this](const DeviceUse& before) { return is_ordered(before); },
             [this](const DeviceUse& before, bool before_writes, uintptr_t at) {
               device_race(before, before_writes, at);
             }} {}

// ---- a block ---------------------------------------------------------------------------------------------------------

void Core::run(LaunchState* launch) {
  launch_ = launch;
  const Place3& threads = launch->grid->threads;
  threads_ = size_t{threads.x} * threads.y * threads.z;
  visits.assign(launch->text_end - launch->text_begin, 0);
  block_numbers_.assign(visits.size(), 0);
  block_sites = {nullptr};
  branches.clear();
  range_ = nullptr;
  arrays_.clear();
  shadow_.allow_all();
  find_static_shared();
  const Place3& blocks = launch->grid->blocks;
  const int64_t count = int64_t{blocks.x} * blocks.y * blocks.z;
  Core* before = std::exchange(current, this);
  for (int64_t block = launch->next_block++; block < count && !launch->is_stopped;
       block = launch->next_block++) {
    ++*launch->begun;
    begin_block(block);
    run_block();
  }
  lane_ = nullptr;
  current = before;
}

/// Static shared memory is the object's thread-local memory: of the thread that asks.
void Core::find_static_shared() {
  TlsSearch search{.mark = reinterpret_cast<uintptr_t>(launch_->grid->shared_mark())};
  dl_iterate_phdr(look_for_tls, &search);
  static_begin_ = search.begin;
  static_bytes_ = search.bytes;
  static_shared_bytes = 0;
}

// Every thread says them on its way; a launch's first one is heard.

void Core::shared_array(const SharedArray& array) {
  const auto is_known = [&](const SharedArray& one) { return one.begin == array.begin; };
  if (std::any_of(arrays_.begin(), arrays_.end(), is_known)) return;
  arrays_.push_back(array);
  static_shared_bytes += static_cast<int64_t>(array.bytes);
}

void Core::shared_guard(uintptr_t at, size_t bytes) {
  const uint64_t offset = at - static_begin_;
  if (!shadow_.is_forbidden(offset + bytes / 2, 1))
    shadow_.forbid(offset, static_cast<uint32_t>(bytes));
}

void Core::fence() {
  launch_->fenced[static_cast<size_t>(block_ - launch_->first_block)] = true;
}

void Core::begin_block(int64_t block) {
  const Grid& grid = *launch_->grid;
  ++epoch_;
  block_ = launch_->first_block + block;
  has_atomics_ = false;
  shadow_.begin_block(epoch_);
  l1_.clear();
  // NaNs: what is read before it is written shows in the result as well.
  std::memset(reinterpret_cast<void*>(static_begin_), 0xff, static_bytes_);
  std::memset(dynamic_shared_.data(), 0xff, grid.shared_bytes);
  const auto x = static_cast<unsigned>(block % grid.blocks.x);
  const auto y = static_cast<unsigned>(block / grid.blocks.x % grid.blocks.y);
  const auto z = static_cast<unsigned>(block / grid.blocks.x / grid.blocks.y);
  for (size_t i = 0; i < threads_; ++i) {
    Lane& lane = lanes_[i];
    const auto thread = static_cast<unsigned>(i);
    lane.thread = static_cast<int>(i);
    lane.place = {{thread % grid.threads.x, thread / grid.threads.x % grid.threads.y,
                   thread / grid.threads.x / grid.threads.y},
                  {x, y, z},
                  grid.threads,
                  grid.blocks};
    lane.state = State::ready;
    lane.steps = 0;
    lane.copies.clear();
    lane.group_ends.clear();
    lane.context = new_context(stacks_.begin(i), kStackBytes, [] { current->live(); });
  }
  for (Warp& warp : warps_) {
    warp.met.clear();
    warp.branches.begin();
  }
  warps_[0].requests.watch(block == 0 ? launch_->log : nullptr);
}

void Core::live() {
  launch_->grid->run(launch_->grid->call);
  warps_[static_cast<size_t>(lane_->thread / kLanes)].branches.go(lane(), 0);
  leave(State::done);
}

/// The fibre that runs gives its core back until its state is `ready` again.
void Core::leave(State state) {
  settle();
  lane_->state = state;
  switch_context(&lane_->context, scheduler_);
}

void Core::run_block() {
  const size_t warps = (threads_ + kLanes - 1) / kLanes;
  do {
    for (size_t warp = 0; warp < warps && !launch_->is_stopped; ++warp) {
      do run_warp(warp);
      while (!launch_->is_stopped && resolve(warp));
    }
  } while (!launch_->is_stopped && release_barrier());
  for (size_t warp = 0; warp < warps; ++warp) meet(warp);
}

/// Until each of its lanes waits for others or has ended.
void Core::run_warp(size_t warp) {
  const size_t first = warp * kLanes, end = std::min(first + kLanes, threads_);
  for (bool is_paused = true; is_paused && !launch_->is_stopped;) {
    is_paused = false;
    for (size_t i = first; i < end && !launch_->is_stopped; ++i) {
      if (lanes_[i].state != State::ready) continue;
      lane_ = &lanes_[i];
      switch_context(&scheduler_, lane_->context);
      is_paused |= lane_->state == State::ready;
    }
    if (is_paused) meet(warp);
  }
}

/// The lanes of a warp are where they were together before: what they did since is counted.
void Core::meet(size_t warp) {
  warps_[warp].requests.meet(&l1_, launch_->l2, &sites);
  warps_[warp].branches.meet(block_sites, &branches);
}

/// All threads that have not ended stand at a barrier: they go on. False: the block has ended.
bool Core::release_barrier() {
  const Lane* first = nullptr;
  for (size_t i = 0; i < threads_; ++i) {
    Lane& lane = lanes_[i];
    if (lane.state == State::done) continue;
    if (lane.state != State::barrier) {
      lane_ = &lane;
      report(FaultKind::missing_lanes, lane.site, nullptr,
             where(lane) + " waits for lanes of its mask that do not come");
      launch_->is_stopped = true;
      return false;
    }
    if (first == nullptr) first = &lane;
    if (lane.line != first->line)
      report(
          FaultKind::divergent_barrier, lane.site, first->site,
          where(lane) + " waits at another barrier than thread " + std::to_string(first->thread));
  }
  if (first == nullptr) return false;
  ++sites[first->site].barriers;
  ++epoch_;
  for (size_t warp = 0; warp * kLanes < threads_; ++warp) meet(warp);
  for (size_t i = 0; i < threads_; ++i) {
    if (lanes_[i].state == State::barrier) lanes_[i].state = State::ready;
  }
  return true;
}

// ---- what the lanes of a warp exchange ---------------------------------------------------------------------------------

/// Whether lanes go on: those whose mask is all there.
bool Core::resolve(size_t warp) {
  const size_t first = warp * kLanes, count = std::min<size_t>(kLanes, threads_ - first);
  bool goes_on = false;
  for (size_t i = 0; i < count; ++i) {
    const Lane& lane = lanes_[first + i];
    if (lane.state == State::ready || lane.state == State::barrier || lane.state == State::done)
      continue;
    uint32_t present = 0, ended = 0;
    for (size_t other = 0; other < count; ++other) {
      const Lane& one = lanes_[first + other];
      if ((lane.mask >> other & 1) == 0) continue;
      if (one.state == State::done) ended |= 1u << other;
      const bool is_same = lane.state != State::together || one.work == lane.work;
      if (one.state == lane.state && one.mask == lane.mask && is_same) present |= 1u << other;
    }
    const uint32_t there = count == kLanes ? ~0u : (1u << count) - 1;
    if ((present | ended) != (lane.mask & there)) continue;
    if (ended != 0) {
      report(FaultKind::missing_lanes, lane.site, nullptr,
             where(lane) + " names lanes in its mask that have ended");
    }
    exchange(warp, present, lane.state);
    goes_on = true;
  }
  return goes_on;
}

void Core::exchange(size_t warp, uint32_t mask, State kind) {
  Lane* lanes = &lanes_[warp * kLanes];
  uint64_t given[kLanes] = {};
  uint32_t votes = 0;
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const int i = std::countr_zero(left);
    given[i] = lanes[i].value;
    votes |= lanes[i].value != 0 ? 1u << i : 0;
  }
  Warp& met = warps_[warp];
  bool is_whole = true;
  for (size_t i = 0; i < std::min<size_t>(kLanes, threads_ - warp * kLanes); ++i)
    is_whole &= (mask >> i & 1) != 0 || lanes[i].state == State::done;
  if (is_whole) meet(warp);
  if (kind == State::together) work_together(lanes, mask);
  if (kind == State::sync) {
    ++met.time;
    if (is_whole) met.met_whole = met.time;
    if (!is_whole && met.met.empty()) met.met.resize(kLanes * kLanes);
  }
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const int i = std::countr_zero(left);
    Lane& lane = lanes[i];
    if (kind == State::shuffle)
      lane.value = (mask >> lane.from & 1) != 0 ? given[lane.from] : given[i];
    if (kind == State::ballot) lane.value = votes;
    if (kind == State::sync && !met.met.empty()) {
      for (int other = 0; other < kLanes; ++other)
        if ((mask >> other & 1) != 0) met.met[static_cast<size_t>(i * kLanes + other)] = met.time;
    }
    lane.state = State::ready;
  }
}

/// Only a whole warp works together: on a GPU, what fewer lanes get is undefined.
void Core::work_together(const Lane* lanes, uint32_t mask) {
  const Lane& first = lanes[std::countr_zero(mask)];
  if (mask != ~0u) {
    return report(FaultKind::missing_lanes, first.site, nullptr,
                  where(first) + " needs all 32 lanes of its warp here, and some do not come");
  }
  void* given[kLanes];
  for (int i = 0; i < kLanes; ++i) given[i] = lanes[i].given;
  Core* before = std::exchange(current, nullptr);  // no lane does it: nothing of it is counted
  first.work(given);
  current = before;
  if (first.flop > 0) warp_flop[first.site] += first.flop;
}

void Core::barrier(int line, Site site) {
  lane_->site = site;
  lane_->line = line;
  leave(State::barrier);
}

void Core::warp_sync(uint32_t mask, Site site) {
  lane_->site = site;
  lane_->mask = mask;
  leave(State::sync);
}

uint64_t Core::shuffle(uint32_t mask, uint64_t value, int from, Site site) {
  lane_->site = site;
  lane_->mask = mask;
  lane_->value = value;
  lane_->from = from;
  leave(State::shuffle);
  return lane_->value;
}

uint32_t Core::ballot(uint32_t mask, bool predicate, Site site) {
  lane_->site = site;
  lane_->mask = mask;
  lane_->value = predicate ? 1 : 0;
  leave(State::ballot);
  return static_cast<uint32_t>(lane_->value);
}

void Core::together(void (*work)(void* const* given), void* given, int64_t flop, Site site) {
  lane_->site = site;
  lane_->mask = ~0u;
  lane_->work = work;
  lane_->given = given;
  lane_->flop = flop;
  leave(State::together);
}

// ---- memory ------------------------------------------------------------------------------------------------------------

void Core::access(uintptr_t at, uint32_t bytes, AccessKind kind, Site site) {
  settle();
  const auto stack = reinterpret_cast<uintptr_t>(stacks_.begin(static_cast<size_t>(lane_->thread)));
  if (at - stack < kStackBytes) return;  // local memory: registers, on a GPU
  const auto dynamic = reinterpret_cast<uintptr_t>(dynamic_shared_.data());
  if (at - static_begin_ < static_bytes_) {
    shared_access(at - static_begin_, bytes, kind, site);
  } else if (at - dynamic < kMostDynamicShared) {
    if (at - dynamic + bytes > launch_->grid->shared_bytes)
      stop(FaultKind::out_of_bounds, site,
           where(*lane_) + " uses dynamic shared memory behind the " +
               std::to_string(launch_->grid->shared_bytes) + " bytes of the launch");
    shared_access(kDynamicBegin + (at - dynamic), bytes, kind, site);
  } else {
    global_access(at, bytes, kind, site);
  }
}

void Core::shared_access(uint64_t offset, uint32_t bytes, AccessKind kind, Site site) {
  const Warp& warp = warps_[static_cast<size_t>(lane_->thread / kLanes)];
  // The shadow of dynamic memory follows that of static memory.
  const uint64_t shadow =
      offset >= kDynamicBegin ? (static_bytes_ + 3) / 4 * 4 + offset - kDynamicBegin : offset;
  if (shadow_.is_forbidden(shadow, bytes)) beside_array(static_begin_ + offset, kind, site);
  shadow_.use(shadow, bytes, kind,
              {.site = site,
               .epoch = epoch_,
               .time = warp.time,
               .thread = static_cast<uint16_t>(lane_->thread)});
  collect(site, offset, bytes, kind, true);
}

/// In a guard: it ends the launch, with the name of the array that lies nearest.
void Core::beside_array(uintptr_t at, AccessKind kind, Site site) {
  const auto distance = [at](const SharedArray& one) {
    return at < one.begin ? one.begin - at : at - (one.begin + one.bytes);
  };
  const SharedArray& array = *std::min_element(
      arrays_.begin(), arrays_.end(), [&](const SharedArray& one, const SharedArray& other) {
        return distance(one) < distance(other);
      });
  Range range;
  range.begin = array.begin;
  range.name = array.name;
  range.element_bytes = static_cast<uint32_t>(array.element_bytes);
  stop(FaultKind::out_of_bounds, site,
       where(*lane_) + " " + verb(kind != AccessKind::read) + " " + range.place(at) +
           " of shared memory: " + range.name + " has " +
           std::to_string(array.bytes / array.element_bytes) + " elements");
}

/// A lane that is far ahead of its warp pauses, so that requests can be put together and forgotten.
void Core::collect(Site site, uint64_t address, uint32_t bytes, AccessKind kind, bool is_shared) {
  Requests& requests = warps_[static_cast<size_t>(lane_->thread / kLanes)].requests;
  if (!requests.add(lane(), site, address, bytes, kind, is_shared)) leave(State::ready);
}

void Core::global_access(uintptr_t at, uint32_t bytes, AccessKind kind, Site site) {
  if (range_ == nullptr || at < range_->begin || at + bytes > range_->end) {
    const auto call = reinterpret_cast<uintptr_t>(launch_->grid->call);
    if (at - call < launch_->grid->call_bytes) return;  // the kernel's arguments
    const Range* range = launch_->memory->find(at);
    if (range == nullptr || at + bytes > range->end) return outside(range, at, bytes, kind, site);
    range_ = range;
  }
  const Range* range = range_;
  has_atomics_ |= kind == AccessKind::atomic;
  if (range->is_constant) return;
  if (at % bytes != 0)
    stop(FaultKind::misaligned, site,
         where(*lane_) + " uses " + std::to_string(bytes) + " bytes of " + range->name +
             " at an address that is no multiple of " + std::to_string(bytes));
  const DeviceUse use = {.site = site,
                         .block = block_,
                         .epoch = epoch_,
                         .time = warps_[static_cast<size_t>(lane_->thread / kLanes)].time,
                         .thread = static_cast<uint16_t>(lane_->thread),
                         .is_atomic = kind == AccessKind::atomic};
  collect(site, at, bytes, kind, false);
  if (range->shadow == nullptr) return;
  if (kind == AccessKind::write) {
    write_ = {range, at, bytes, use};
    return;
  }
  judged_ = {range, use, use.is_atomic};
  if (use.is_atomic)
    range->shadow->written(at, bytes, use, judge_);
  else
    range->shadow->read(at, bytes, use, judge_);
}

/// The write before is in memory by now: what it left there is compared.
void Core::settle() {
  if (write_.range == nullptr) return;
  const Write one = std::exchange(write_, {});
  judged_ = {one.range, one.use, true};
  one.range->shadow->written(one.at, one.bytes, one.use, judge_);
}

void Core::outside(const Range* range, uintptr_t at, uint32_t bytes, AccessKind kind, Site site) {
  std::string text = where(*lane_) + " " + verb(kind != AccessKind::read) + " ";
  if (range != nullptr || bytes > 4) text += std::to_string(bytes) + " bytes ";
  if (range == nullptr && bytes > 4) text += "at ";
  stop(FaultKind::out_of_bounds, site,
       text +
           (range != nullptr ? "across the end of " + range->name : launch_->memory->nearest(at)));
}

uint32_t Core::block_number(Site site, size_t offset) {
  uint32_t& number = block_numbers_[offset];
  if (number == 0) {
    number = static_cast<uint32_t>(block_sites.size());
    block_sites.push_back(site);
  }
  return number;
}

void Core::step(Site site) {
  const uintptr_t offset = reinterpret_cast<uintptr_t>(site) - launch_->text_begin;
  if (offset < visits.size()) {
    ++visits[offset];
    Branches& ways = warps_[static_cast<size_t>(lane_->thread / kLanes)].branches;
    if (!ways.go(lane(), block_number(site, offset))) leave(State::ready);
  }
  if (++lane_->steps > kMostSteps)
    stop(FaultKind::endless, site,
         where(*lane_) + " is not done after " + std::to_string(kMostSteps) + " steps");
}

uint32_t Core::shared_address(const void* pointer) const {
  const auto at = reinterpret_cast<uintptr_t>(pointer);
  const auto dynamic = reinterpret_cast<uintptr_t>(dynamic_shared_.data());
  if (at - static_begin_ < static_bytes_) return static_cast<uint32_t>(at - static_begin_);
  return kDynamicBegin + static_cast<uint32_t>(at - dynamic);
}

void* Core::shared_pointer(uint32_t address) {
  if (address < kDynamicBegin) return reinterpret_cast<void*>(static_begin_ + address);
  return dynamic_shared_.data() + (address - kDynamicBegin);
}

bool Core::is_shared(const void* pointer) const {
  const auto at = reinterpret_cast<uintptr_t>(pointer);
  return at - static_begin_ < static_bytes_ ||
         at - reinterpret_cast<uintptr_t>(dynamic_shared_.data()) < kMostDynamicShared;
}

void Core::copy_later(uint32_t to, const void* from, uint32_t bytes, uint32_t inside, Site site) {
  ++sites[site].copies;
  const uint64_t offset = to;
  if (offset % bytes != 0)
    stop(FaultKind::misaligned, site, where(*lane_) + " copies to no multiple of its width");
  if (offset < kDynamicBegin && shadow_.is_forbidden(offset, bytes))
    beside_array(static_begin_ + offset, AccessKind::write, site);
  if (inside > 0) global_access(reinterpret_cast<uintptr_t>(from), inside, AccessKind::read, site);
  collect(site, offset, bytes, AccessKind::write, true);
  lane_->copies.push_back({static_cast<char*>(shared_pointer(to)), static_cast<const char*>(from),
                           bytes, inside, site});
}

void Core::copies_commit() {
  lane_->group_ends.push_back(lane_->copies.size());
}

void Core::copies_wait(int pending) {
  Lane& lane = *lane_;
  if (std::ssize(lane.group_ends) <= pending) return;
  const size_t groups = lane.group_ends.size() - static_cast<size_t>(pending);
  const size_t done = lane.group_ends[groups - 1];
  const Warp& warp = warps_[static_cast<size_t>(lane.thread / kLanes)];
  for (size_t i = 0; i < done; ++i) {
    const Copy& copy = lane.copies[i];
    std::memcpy(copy.to, copy.from, copy.inside);
    std::memset(copy.to + copy.inside, 0, copy.bytes - copy.inside);
    const uint32_t address = shared_address(copy.to);
    const uint64_t shadow =
        address >= kDynamicBegin ? (static_bytes_ + 3) / 4 * 4 + address - kDynamicBegin : address;
    shadow_.use(shadow, copy.bytes, AccessKind::write,
                {.site = copy.site,
                 .epoch = epoch_,
                 .time = warp.time,
                 .thread = static_cast<uint16_t>(lane.thread)});
  }
  lane.copies.erase(lane.copies.begin(), lane.copies.begin() + static_cast<ptrdiff_t>(done));
  lane.group_ends.erase(lane.group_ends.begin(),
                        lane.group_ends.begin() + static_cast<ptrdiff_t>(groups));
  for (size_t& end : lane.group_ends) end -= done;
}

// ---- faults ------------------------------------------------------------------------------------------------------------

std::string Core::where(const Lane& lane) const {
  const Place3& block = lane.place.block;
  const int64_t number = block.x + int64_t{lane.place.grid_dim.x} *
                                       (block.y + int64_t{lane.place.grid_dim.y} * block.z);
  return "thread " + std::to_string(lane.thread) + " of block " + std::to_string(number);
}

void Core::report(FaultKind kind, Site at, Site other, std::string detail) {
  const auto is_same = [&](const Fault& one) {
    return one.kind == kind && one.at == at && one.other == other;
  };
  if (faults.size() >= kMostFaults || std::any_of(faults.begin(), faults.end(), is_same)) return;
  faults.push_back({kind, at, other, std::move(detail)});
}

/// Ends the launch: the fibre that runs is not gone on with.
void Core::stop(FaultKind kind, Site site, std::string detail) {
  report(kind, site, nullptr, std::move(detail));
  launch_->is_stopped = true;
  leave(State::done);
}

void Core::refuse(const std::string& what, Site site) {
  stop(FaultKind::refused, site, what + " is not emulated");
}

void Core::misaligned(const std::string& does, Site site) {
  stop(FaultKind::misaligned, site, where(*lane_) + " " + does);
}

/// Whether these two threads have met in a __syncwarp() since the first of them was at `time`.
bool Core::have_met(uint16_t before, uint32_t time, uint16_t thread) const {
  if (before / kLanes != thread / kLanes) return false;
  const Warp& warp = warps_[static_cast<size_t>(thread / kLanes)];
  if (time < warp.met_whole) return true;
  const auto pair = static_cast<size_t>(before % kLanes * kLanes + thread % kLanes);
  return !warp.met.empty() && time < warp.met[pair];
}

/// Blocks have no order but that of a fence in the one, and an atomic operation that tells the other of it.
bool Core::is_ordered(const DeviceUse& before) const {
  const DeviceUse& use = judged_.use;
  if (before.block < launch_->first_block) return true;
  if (before.block == use.block)
    return before.thread == use.thread || before.epoch != use.epoch ||
           (before.is_atomic && use.is_atomic) || have_met(before.thread, before.time, use.thread);
  if (before.is_atomic && use.is_atomic) return true;
  return has_atomics_ && launch_->fenced[static_cast<size_t>(before.block - launch_->first_block)];
}

void Core::device_race(const DeviceUse& before, bool before_writes, uintptr_t at) {
  const DeviceUse& use = judged_.use;
  const bool is_other_block = before.block != use.block;
  std::string other = "thread " + std::to_string(before.thread);
  if (is_other_block) other += " of block " + std::to_string(before.block - launch_->first_block);
  report(FaultKind::race, use.site, before.site,
         where(*lane_) + " " + verb(judged_.writes) + " " + judged_.range->place(at) + ", which " +
             other + " " + verb(before_writes) +
             (is_other_block ? ": blocks run in any order" : ", without a barrier between"));
}

void Core::shared_fault(FaultKind kind, const Use& before, const Use& use, bool before_writes,
                        bool writes) {
  if (kind == FaultKind::unwritten)
    return report(kind, use.site, nullptr,
                  where(*lane_) + " reads shared memory that nothing was written to");
  report(kind, use.site, before.site,
         where(*lane_) + " " + verb(writes) + " what thread " + std::to_string(before.thread) +
             " " + verb(before_writes) + ", without a barrier between");
}

}  // namespace ridge::emulated
