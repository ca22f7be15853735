// Memory on pages of 2 MiB where the system has them: a tile of packed panels reads from 16 pages of 4 KiB at
// once, and such pages, scattered as they come, meet in the same sets of the second-level cache (attention at
// head size 128: 8 % of the time on a Zen 4). free() releases it. C-like: ISA-flagged files include this.
#pragma once

#include <stdlib.h>
#include <sys/mman.h>

namespace ridge {

static inline void* huge_page_alloc(size_t bytes) {
  const size_t page = (size_t)2 << 20, whole = (bytes + page - 1) / page * page;
  void* memory = aligned_alloc(page, whole);
  if (memory) madvise(memory, whole, MADV_HUGEPAGE);
  return memory;
}

}  // namespace ridge
