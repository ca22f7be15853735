#include "kernels/runtime/cpu/panels.h"

#include <stdlib.h>

#include <algorithm>

#include "common/core/ceil_div.h"
#include "kernels/runtime/cpu/huge_pages.h"

namespace ridge {
namespace {

/// Columns of a block of n: with 1024 steps of k 8 MiB of packed B, a quarter of a 32 MiB L3.
constexpr int64_t kPanelColumns = 2048;
/// Bytes of packed A in a block: a quarter of a 1 MiB L2, which the panels of B pass through as well.
constexpr int64_t kPanelBlockBytes = 256 * 1024;

/// With so few rows B is hardly used again: blocks of k are short, so that its rows are read along.
constexpr int64_t kPanelFewRows = 16, kPanelStreamDepth = 256;
/// A that meets no more panels of B than this is not copied, unless its rows fall into the same sets of
/// an L1 of 32 KiB and 8 ways: rows 2 KiB apart share two sets.
constexpr int64_t kPanelFewPanels = 4, kPanelWays = 8, kPanelClashBytes = 2048;

/// `whole` in equal chunks of at most `max_chunk`, each a multiple of `step`.
int64_t even_chunk(int64_t whole, int64_t max_chunk, int64_t step) {
  return round_up(ceil_div(whole, ceil_div(whole, max_chunk)), step);
}

/// The grid of rectangles whose largest is smallest; of equals the squarest, which reads least.
void panel_grid(const PanelKernel* kernel, int64_t m, int64_t n, int threads, PanelPlan* plan) {
  int64_t best = 0, best_edges = 0;
  for (int down = threads; down >= 1; --down) {
    const int across = threads / down;
    const int64_t height = ceil_div(m, down);
    const int64_t width = even_chunk(n, ceil_div(n, across), kernel->columns);
    const int64_t area = height * width, edges = height + width;
    if (best > 0 && (area > best || (area == best && edges >= best_edges))) continue;
    best = area, best_edges = edges;
    plan->down = (int)std::min<int64_t>(down, m);
    plan->across = (int)ceil_div(n, width);
    plan->part_columns = width;
  }
}

void panel_cut(const PanelKernel* kernel, const Shape& shape, int threads, PanelPlan* plan) {
  const int64_t m = shape.dim[kGemmM], n = shape.dim[kGemmN], k = shape.dim[kGemmK];
  panel_grid(kernel, m, n, threads, plan);
  const int64_t height = ceil_div(m, plan->down);
  const int64_t deepest = height <= kPanelFewRows ? kPanelStreamDepth : kernel->depth;
  plan->depth = even_chunk(k, deepest, 4);
  plan->columns = even_chunk(plan->part_columns, kPanelColumns, kernel->columns);
  const int64_t a_panel_bytes = kernel->rows * kernel->a_stride * kernel->bytes;
  const int b_bytes_each = kernel->b_bytes ? kernel->b_bytes : kernel->bytes;
  plan->b_panel_bytes = kernel->columns * plan->depth * b_bytes_each + kernel->b_head;
  const int64_t b_bytes = plan->columns / kernel->columns * plan->b_panel_bytes;
  // Where all of a block of B stays in the L2 cache, one panel of A at a time: C is then written row
  // by row.
  const int64_t most = b_bytes <= kPanelBlockBytes * 2 ? kernel->rows : kPanelBlockBytes / a_panel_bytes * kernel->rows;
  plan->rows = even_chunk(height, most, kernel->rows);
  // In place a whole panel of rows is read along at once: not where they fall into the same sets.
  const bool clash = kernel->rows > kPanelWays && k * kernel->bytes % kPanelClashBytes == 0;
  plan->copy_a = !kernel->in_place || clash || plan->part_columns > kPanelFewPanels * kernel->columns;
  plan->a_bytes = round_up(plan->rows / kernel->rows * a_panel_bytes, 4096);
  plan->part_bytes = round_up(plan->a_bytes + b_bytes, 4096);
}

void panel_release(void* state) {
  PanelPlan* plan = (PanelPlan*)state;
  free(plan->memory);
  free(plan);
}

}  // namespace

/// Threads worth waking, which takes about 30 us (two cores, n = 128: 51 us on two threads, 38 on one):
/// each should have as long to do. An element read or written once counts as 24 FLOP (20 GB/s).
int panel_threads(const Shape& shape) {
  const double m = (double)shape.dim[kGemmM], n = (double)shape.dim[kGemmN];
  const double k = (double)shape.dim[kGemmK];
  const double worth = (2 * m * n * k + 24 * (m * k + k * n + m * n)) / 4e6;
  return worth < shape.threads ? (worth < 1 ? 1 : (int)worth) : shape.threads;
}

Status panel_prepare(const PanelKernel* kernel, const Shape& shape, int threads, Plan* plan) {
  Status status;
  status.what = "out of memory", status.expression = "panel_prepare", status.file = __FILE__;
  PanelPlan* p = (PanelPlan*)calloc(1, sizeof(PanelPlan));
  if (!p) return status;
  panel_cut(kernel, shape, threads, p);
  const int64_t m = shape.dim[kGemmM], n = shape.dim[kGemmN], k = shape.dim[kGemmK];
  const bool acc = kernel->c_bytes < (int)sizeof(float) && p->depth < k;
  const int64_t parts_bytes = p->down * p->across * p->part_bytes;
  const int64_t bytes = parts_bytes + (acc ? m * n * (int64_t)sizeof(float) : 0);
  p->memory = (char*)huge_page_alloc((size_t)bytes);
  if (!p->memory) {
    free(p);
    return status;
  }
  __builtin_memset(p->memory, 0, (size_t)bytes);
  p->acc = acc ? (float*)(p->memory + parts_bytes) : nullptr;
  p->acc_stride = n;
  plan->state = p;
  plan->release = panel_release;
  plan->workspace_bytes = (size_t)bytes;
  return Status();
}

}  // namespace ridge
