#include "common/record/kernel_counts.h"

#include <algorithm>

namespace ridge {

void MemoryTraffic::add(const MemoryTraffic& other) {
  requests += other.requests;
  lanes += other.lanes;
  bytes += other.bytes;
  sectors += other.sectors;
  l1_passes += other.l1_passes;
  l2_sectors += other.l2_sectors;
  dram_sectors += other.dram_sectors;
  wavefronts += other.wavefronts;
  conflicts += other.conflicts;
}

void SiteCounts::add(const SiteCounts& other) {
  global_reads.add(other.global_reads);
  global_writes.add(other.global_writes);
  global_atomics.add(other.global_atomics);
  shared_reads.add(other.shared_reads);
  shared_writes.add(other.shared_writes);
  shared_atomics.add(other.shared_atomics);
  barriers += other.barriers;
  copies += other.copies;
  branches += other.branches;
  split_branches += other.split_branches;
}

MemoryTraffic SiteCounts::global() const {
  MemoryTraffic all = global_reads;
  all.add(global_writes);
  all.add(global_atomics);
  return all;
}

MemoryTraffic SiteCounts::shared() const {
  MemoryTraffic all = shared_reads;
  all.add(shared_writes);
  all.add(shared_atomics);
  return all;
}

void LineCounts::add(const LineCounts& other) {
  counts.add(other.counts);
  flop += other.flop;
  tensor_flop += other.tensor_flop;
}

LineCounts KernelCounts::total() const {
  LineCounts all;
  for (const LineCounts& one : lines) all.add(one);
  return all;
}

const LineCounts* KernelCounts::at(int line) const {
  const auto found = std::find_if(lines.begin(), lines.end(),
                                  [&](const LineCounts& one) { return one.line == line; });
  return found == lines.end() ? nullptr : &*found;
}

int64_t count_of(const KernelCounts& counts, CountKind kind) {
  const SiteCounts all = counts.total().counts;
  switch (kind) {
    case CountKind::sectors:
      return all.global().sectors;
    case CountKind::requests:
      return all.global().requests;
    case CountKind::shared:
      return all.shared().requests;
    case CountKind::conflicts:
      return all.shared().conflicts;
    case CountKind::barriers:
      return all.barriers;
    case CountKind::atomics:
      return all.global_atomics.lanes;
  }
  return 0;
}

}  // namespace ridge
