#include "worker/emulated/emulator.h"

#include <link.h>

#include <algorithm>
#include <bit>
#include <thread>

namespace ridge::emulated {
namespace {

struct TextSearch {
  uintptr_t at = 0, begin = 0, end = 0;
};

int look_for_text(dl_phdr_info* info, size_t, void* data) {
  auto* search = static_cast<TextSearch*>(data);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + part.p_vaddr;
    if (part.p_type != PT_LOAD || search->at < begin || search->at >= begin + part.p_memsz)
      continue;
    search->begin = begin;
    search->end = begin + part.p_memsz;
    return 1;
  }
  return 0;
}

/// Why a GPU would not start it; empty: it would.
std::string misshapen(const Grid& grid) {
  const int64_t threads = int64_t{grid.threads.x} * grid.threads.y * grid.threads.z;
  const int64_t blocks = int64_t{grid.blocks.x} * grid.blocks.y * grid.blocks.z;
  if (threads < 1 || threads > kMostThreads)
    return "a block of " + std::to_string(threads) + " threads: 1 to " +
           std::to_string(kMostThreads) + " are possible";
  if (blocks < 1) return "a grid of no blocks";
  if (grid.shared_bytes > kMostDynamicShared)
    return std::to_string(grid.shared_bytes) +
           " bytes of shared memory for a block: " + std::to_string(kMostDynamicShared) +
           " are possible";
  return "";
}

// The machine's functions: device code's, ignored on threads that run none (a rung's own host code is instrumented too).
Core& core() {
  return *current_core();
}

const Machine kMachine = {
    .access =
        [](const void* at, uint32_t bytes, AccessKind kind, const void* site) {
          if (Core* one = current_core())
            one->access(reinterpret_cast<uintptr_t>(at), bytes, kind, site);
        },
    .basic_block =
        [](const void* site) {
          if (Core* one = current_core()) one->step(site);
        },
    .barrier = [](int line, const void* site) { core().barrier(line, site); },
    .warp_sync = [](uint32_t mask, const void* site) { core().warp_sync(mask, site); },
    .fence = [] { core().fence(); },
    .shuffle = [](uint32_t mask, uint64_t value, int from,
                  const void* site) { return core().shuffle(mask, value, from, site); },
    .ballot = [](uint32_t mask, bool predicate,
                 const void* site) { return core().ballot(mask, predicate, site); },
    .together = [](void (*work)(void* const* given), void* given, int64_t flop,
                   const void* site) { core().together(work, given, flop, site); },
    .place = [] { return core().place(); },
    .lane = [] { return core().lane(); },
    .dynamic_shared = [] { return core().dynamic_shared(); },
    .shared_array =
        [](const char* name, const void* at, size_t bytes, size_t element_bytes) {
          core().shared_array({name, reinterpret_cast<uintptr_t>(at), bytes, element_bytes});
        },
    .shared_guard =
        [](const void* at, size_t bytes) {
          core().shared_guard(reinterpret_cast<uintptr_t>(at), bytes);
        },
    .shared_address = [](const void* pointer) { return core().shared_address(pointer); },
    .shared_pointer = [](uint32_t address) { return core().shared_pointer(address); },
    .is_shared = [](const void* pointer) { return core().is_shared(pointer); },
    .copy_later = [](uint32_t to, const void* from, uint32_t bytes, uint32_t inside,
                     const void* site) { core().copy_later(to, from, bytes, inside, site); },
    .copies_commit = [] { core().copies_commit(); },
    .copies_wait = [](int pending) { core().copies_wait(pending); },
    .refuse = [](const char* what, const void* site) { core().refuse(what, site); },
    .misaligned = [](const char* does, const void* site) { core().misaligned(does, site); },
    .launch = [](const Grid* grid) { return Emulator::get().launch(*grid); },
    .allocate = [](size_t bytes) { return Emulator::get().memory.allocate(bytes); },
    .release = [](void* memory) { Emulator::get().memory.release(memory); },
    .last_words = [] { return Emulator::get().last_words.c_str(); },
};

}  // namespace

const Machine* machine() {
  return &kMachine;
}

Emulator& Emulator::get() {
  static Emulator one;
  return one;
}

int Emulator::launch(const Grid& grid) {
  if (last_words = misshapen(grid); !last_words.empty()) return 1;
  TextSearch text{.at = reinterpret_cast<uintptr_t>(grid.kernel)};
  dl_iterate_phdr(look_for_text, &text);
  LaunchState state{.grid = &grid,
                    .memory = &memory,
                    .l2 = &l2,
                    .begun = &begun_,
                    .first_block = of_,
                    .text_begin = text.begin,
                    .text_end = text.end};
  RequestLog log;
  const bool has_log = std::any_of(launches.begin(), launches.end(),
                                   [](const LaunchCounts& one) { return one.steps_made > 0; });
  if (!has_log) state.log = &log;
  const int64_t blocks = int64_t{grid.blocks.x} * grid.blocks.y * grid.blocks.z;
  of_ += blocks;
  state.fenced = std::vector<std::atomic<bool>>(static_cast<size_t>(blocks));
  const auto wanted = static_cast<size_t>(
      std::min<int64_t>(blocks, std::max(1u, std::thread::hardware_concurrency())));
  while (cores_.size() < wanted) cores_.push_back(std::make_unique<Core>());
  std::vector<std::thread> threads;
  for (size_t i = 1; i < wanted; ++i) threads.emplace_back([&, i] { cores_[i]->run(&state); });
  cores_[0]->run(&state);
  for (std::thread& thread : threads) thread.join();

  LaunchCounts& counts = launches.emplace_back();
  counts.kernel = grid.kernel;
  counts.blocks = blocks;
  counts.threads = int64_t{grid.threads.x} * grid.threads.y * grid.threads.z;
  counts.dynamic_shared_bytes = static_cast<int64_t>(grid.shared_bytes);
  for (size_t i = 0; i < wanted; ++i) merge(cores_[i].get(), text.begin, &counts);
  counts.steps_made = log.made;
  for (const LoggedRequest& one : log.requests) counts.steps.push_back(step_of(one));
  if (!state.is_stopped) return 0;
  last_words = counts.faults.empty() ? "it was stopped" : counts.faults.back().detail;
  return 1;
}

/// With the buffers' names in place of addresses: they are known as long as the call lasts.
WarpStep Emulator::step_of(const LoggedRequest& logged) const {
  WarpStep step{.site = logged.site};
  WarpRequest& request = step.request;
  constexpr WarpAccess kAccesses[] = {WarpAccess::read, WarpAccess::write, WarpAccess::atomic};
  request.access = kAccesses[static_cast<size_t>(logged.kind)];
  request.is_shared = logged.is_shared;
  request.lane_bytes = logged.lane_bytes;
  request.cost = logged.cost;
  request.conflicts = logged.conflicts;
  const uint64_t first = logged.at[static_cast<size_t>(std::countr_zero(logged.mask))];
  const Range* range = logged.is_shared ? nullptr : memory.find(first);
  uint64_t begin = range != nullptr ? range->begin : 0;
  if (logged.is_shared) {
    const bool is_dynamic = first >= kDynamicBegin;
    request.buffer = is_dynamic ? "dynamic shared memory" : "shared memory";
    begin = is_dynamic ? kDynamicBegin : 0;
  } else if (range != nullptr) {
    request.buffer = range->name;
  }
  LaneOffsets offsets;
  std::vector<const Range*> ranges = {range};
  for (uint32_t left = logged.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(left));
    offsets[lane] = static_cast<int64_t>(logged.at[lane] - begin);
    const Range* other = logged.is_shared ? nullptr : memory.find(logged.at[lane]);
    if (std::find(ranges.begin(), ranges.end(), other) != ranges.end()) continue;
    ranges.push_back(other);
    request.buffer += ", " + other->name;
  }
  request.offsets = encode_offsets(offsets);
  return step;
}

void Emulator::merge(Core* core, uintptr_t text_begin, LaunchCounts* counts) {
  for (size_t i = 0; i < core->visits.size(); ++i) {
    if (core->visits[i] > 0)
      counts->visits[reinterpret_cast<Site>(text_begin + i)] += core->visits[i];
  }
  for (size_t i = 0; i < core->branches.size(); ++i) {
    if (core->branches[i].warps > 0) counts->branches[core->block_sites[i]].add(core->branches[i]);
  }
  counts->static_shared_bytes = core->static_shared_bytes;
  for (const auto& [site, one] : core->sites) counts->sites[site].add(one);
  core->sites.clear();
  for (const auto& [site, flop] : core->warp_flop) counts->warp_flop[site] += flop;
  core->warp_flop.clear();
  for (Fault& fault : core->faults) {
    const bool is_known =
        std::any_of(counts->faults.begin(), counts->faults.end(), [&](const Fault& one) {
          return one.kind == fault.kind && one.at == fault.at && one.other == fault.other;
        });
    if (!is_known) counts->faults.push_back(std::move(fault));
  }
  core->faults.clear();
}

}  // namespace ridge::emulated
