#include "kernels/chase/pages.h"

#include <sys/mman.h>

#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace ridge {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;
constexpr const char* kNoMemory = "the system gives no memory for the lines";

/// What release needs, in the bytes before the lines.
struct Mapping {
  void* begin;
  size_t bytes;
};

/// Pages of 2 MiB that nothing else lies on; null: there is no memory.
void* map_pages(size_t bytes) {
  const size_t whole = (bytes + kHugePage - 1) / kHugePage * kHugePage + kHugePage;
  void* begin = mmap(nullptr, whole, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED) return nullptr;
  const auto at = (reinterpret_cast<uintptr_t>(begin) + kHugePage) / kHugePage * kHugePage;
  auto* lines = reinterpret_cast<char*>(at);
  const Mapping mapping = {begin, whole};
  std::memcpy(lines - sizeof(mapping), &mapping, sizeof(mapping));
  return lines;
}

void release_pages(void* lines) {
  Mapping mapping;
  std::memcpy(&mapping, static_cast<char*>(lines) - sizeof(mapping), sizeof(mapping));
  munmap(mapping.begin, mapping.bytes);
}

/// Bytes on huge pages of the mapping that `address` lies in, as the kernel counts them; 0 where it does not say.
size_t huge_bytes_at(const void* address) {
  FILE* file = std::fopen("/proc/self/smaps", "r");
  if (file == nullptr) return 0;
  const auto at = reinterpret_cast<uintptr_t>(address);
  char line[512];
  bool inside = false;
  size_t kib = 0;
  while (std::fgets(line, sizeof line, file) != nullptr) {
    uintptr_t begin = 0, end = 0;
    if (std::sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &begin, &end) == 2) {
      inside = begin <= at && at < end;
    } else if (inside && std::sscanf(line, "AnonHugePages: %zu kB", &kib) == 1) {
      break;
    }
  }
  std::fclose(file);
  return inside ? kib * 1024 : 0;
}

}  // namespace

Status lay_out_cycle(const Shape& shape, bool huge, Plan* plan) {
  const int64_t count = shape.dim[0];
  const size_t bytes = static_cast<size_t>(count) * kLineWords * sizeof(uint64_t);
  auto* lines = static_cast<uint64_t*>(map_pages(bytes));
  if (lines == nullptr) return {.what = kNoMemory, .file = __FILE__, .line = __LINE__};
  plan->state = lines;
  plan->release = release_pages;
  plan->workspace_bytes = bytes;
  const size_t whole = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  madvise(lines, whole, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  const int32_t* next = static_cast<const Cycle*>(shape.constants)->next;
  for (int64_t i = 0; i < count; ++i)
    lines[i * kLineWords] = static_cast<uint64_t>(next[i]) * kLineWords;
  if (!huge) return {};
  const size_t on_huge = huge_bytes_at(lines);
  if (on_huge * 10 < bytes * 9) {
    return refuse(
        "the system gave no pages of 2 MiB: see /sys/kernel/mm/transparent_hugepage/enabled, "
        "which must say madvise or always, and free memory in one piece");
  }
  std::snprintf(plan->note, sizeof plan->note, "%zu pages of 2 MiB", on_huge / kHugePage);
  return {};
}

}  // namespace ridge
