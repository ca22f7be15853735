// ridge: flags=-O3,-fno-tree-vectorize
//
// Idea      Before a line can be fetched its address is translated, page by page. The TLB keeps the translations used
//           last: 2,048 of 4 KiB cover 8 MiB, 2,048 of 2 MiB cover 4 GiB. A miss walks through tables, mostly in a cache.
// Changed   The same chases on pages of 2 MiB, which the system is asked for (madvise) and then counted.
// Limits    As before, without the walks.
// Look at   A working set beyond the last cache. Then 1 MiB: more pages of 4 KiB than the first level of the TLB holds.
// Source    Linux, Documentation/admin-guide/mm/transhuge.rst.
#include "kernels/chase/follow.h"
#include "kernels/chase/pages.h"

namespace ridge {
namespace {

Status prepare_huge_pages(const Shape& shape, Plan* plan) {
  if (shape.dim[1] > kMostChases) return refuse(kTooManyChases);
  return lay_out_cycle(shape, true, plan);
}

Status launch_huge_pages(const Launch& launch) {
  const Chase c = chase_of(launch);
  kFollow[c.chases - 1](c);
  return {};
}

RIDGE_KERNEL(chase, cpu, huge_pages, .prepare = prepare_huge_pages, .launch = launch_huge_pages);

}  // namespace
}  // namespace ridge
