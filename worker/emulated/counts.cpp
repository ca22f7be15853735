#include "worker/emulated/counts.h"

namespace ridge::emulated {

void Traffic::add(const Traffic& other) {
  requests += other.requests;
  lanes += other.lanes;
  bytes += other.bytes;
  sectors += other.sectors;
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
}

Traffic SiteCounts::global() const {
  Traffic all = global_reads;
  all.add(global_writes);
  all.add(global_atomics);
  return all;
}

Traffic SiteCounts::shared() const {
  Traffic all = shared_reads;
  all.add(shared_writes);
  all.add(shared_atomics);
  return all;
}

}  // namespace ridge::emulated
