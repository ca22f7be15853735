// How the loops of panels.h cut a shape into blocks, and the memory for it. Everything here depends on
// the shape alone and is done by prepare(). C-like, static only: ISA-flagged files include it.
#pragma once

#include <stdlib.h>

#include "kernels/runtime/cpu/huge_pages.h"
#include "kernels/runtime/cpu/panel_kernel.h"
#include "kernels/runtime/problems/gemm.h"

namespace ridge {

/// How one shape is cut, and its workspace.
struct PanelPlan {
  int down, across;              ///< the threads' rectangles: so many below and beside each other
  int64_t part_columns;          ///< of a rectangle; whole tiles
  int64_t rows, columns, depth;  ///< of a block of m, n, k
  int64_t a_bytes, b_panel_bytes, part_bytes;  ///< packed A; a panel of B; both for one thread
  bool copy_a;                                 ///< else A is read where it lies
  char* memory;
  float* sums;  ///< m x n where C is narrower and k takes several blocks; else null
  int64_t sums_stride;
};

/// One call.
struct PanelJob {
  const PanelKernel* kernel;
  const PanelPlan* plan;
  int64_t m, n, k;
  const void* a;
  const void* b;
  void* c;
  const void* context;  ///< for the tile: what an epilogue reads
};

/// Columns of a block of n: with 1024 steps of k 8 MiB of packed B, a quarter of a 32 MiB L3.
static constexpr int64_t kPanelColumns = 2048;
/// Bytes of packed A in a block: a quarter of a 1 MiB L2, which the panels of B pass through as well.
static constexpr int64_t kPanelBlockBytes = 256 * 1024;

/// With so few rows B is hardly used again: blocks of k are short, so that its rows are read along.
static constexpr int64_t kPanelFewRows = 16, kPanelStreamDepth = 256;
/// A that meets no more panels of B than this is not copied, unless its rows fall into the same sets of
/// an L1 of 32 KiB and 8 ways: rows 2 KiB apart share two sets.
static constexpr int64_t kPanelFewPanels = 4, kPanelWays = 8, kPanelClashBytes = 2048;

static inline int64_t panel_least(int64_t x, int64_t y) {
  return x < y ? x : y;
}

static inline int64_t panel_pieces(int64_t whole, int64_t piece) {
  return (whole + piece - 1) / piece;
}

/// `whole` in equal pieces of at most `most`, each a multiple of `step`.
static inline int64_t panel_even(int64_t whole, int64_t most, int64_t step) {
  const int64_t count = panel_pieces(whole, most);
  return panel_pieces(panel_pieces(whole, count), step) * step;
}

/// The grid of rectangles whose largest is smallest; of equals the squarest, which reads least.
static inline void panel_grid(const PanelKernel* kernel, int64_t m, int64_t n, int threads,
                              PanelPlan* plan) {
  int64_t best = 0, best_edges = 0;
  for (int down = threads; down >= 1; --down) {
    const int across = threads / down;
    const int64_t height = panel_pieces(m, down);
    const int64_t width = panel_even(n, panel_pieces(n, across), kernel->columns);
    const int64_t area = height * width, edges = height + width;
    if (best > 0 && (area > best || (area == best && edges >= best_edges))) continue;
    best = area, best_edges = edges;
    plan->down = (int)panel_least(down, m);
    plan->across = (int)panel_pieces(n, width);
    plan->part_columns = width;
  }
}

/// Threads worth waking, which takes about 30 us (two cores, n = 128: 51 us on two threads, 38 on one):
/// each should have as long to do. An element read or written once counts as 24 FLOP (20 GB/s).
static inline int panel_threads(const Shape& shape) {
  const double m = (double)shape.dim[kGemmM], n = (double)shape.dim[kGemmN];
  const double k = (double)shape.dim[kGemmK];
  const double worth = (2 * m * n * k + 24 * (m * k + k * n + m * n)) / 4e6;
  return worth < shape.threads ? (worth < 1 ? 1 : (int)worth) : shape.threads;
}

static inline void panel_cut(const PanelKernel* kernel, const Shape& shape, int threads,
                             PanelPlan* plan) {
  const int64_t m = shape.dim[kGemmM], n = shape.dim[kGemmN], k = shape.dim[kGemmK];
  panel_grid(kernel, m, n, threads, plan);
  const int64_t height = panel_pieces(m, plan->down);
  const int64_t deepest = height <= kPanelFewRows ? kPanelStreamDepth : kernel->depth;
  plan->depth = panel_even(k, deepest, 4);
  plan->columns = panel_even(plan->part_columns, kPanelColumns, kernel->columns);
  const int64_t a_panel_bytes = kernel->rows * kernel->a_stride * kernel->bytes;
  const int b_bytes_each = kernel->b_bytes ? kernel->b_bytes : kernel->bytes;
  plan->b_panel_bytes = kernel->columns * plan->depth * b_bytes_each + kernel->b_head;
  const int64_t b_bytes = plan->columns / kernel->columns * plan->b_panel_bytes;
  // Where all of a block of B stays in the L2 cache, one panel of A at a time: C is then written row
  // by row.
  const int64_t most = b_bytes <= kPanelBlockBytes * 2
                           ? kernel->rows
                           : kPanelBlockBytes / a_panel_bytes * kernel->rows;
  plan->rows = panel_even(height, most, kernel->rows);
  // In place a whole panel of rows is read along at once: not where they fall into the same sets.
  const bool clash = kernel->rows > kPanelWays && k * kernel->bytes % kPanelClashBytes == 0;
  plan->copy_a =
      !kernel->in_place || clash || plan->part_columns > kPanelFewPanels * kernel->columns;
  plan->a_bytes = panel_pieces(plan->rows / kernel->rows * a_panel_bytes, 4096) * 4096;
  plan->part_bytes = panel_pieces(plan->a_bytes + b_bytes, 4096) * 4096;
}

static inline void panel_release(void* state) {
  PanelPlan* plan = (PanelPlan*)state;
  free(plan->memory);
  free(plan);
}

static inline Status panel_prepare(const PanelKernel* kernel, const Shape& shape, int threads,
                                   Plan* plan) {
  Status status;
  status.what = "out of memory", status.expression = "panel_prepare", status.file = __FILE__;
  PanelPlan* p = (PanelPlan*)calloc(1, sizeof(PanelPlan));
  if (!p) return status;
  panel_cut(kernel, shape, threads, p);
  const int64_t m = shape.dim[kGemmM], n = shape.dim[kGemmN], k = shape.dim[kGemmK];
  const bool sums = kernel->c_bytes < (int)sizeof(float) && p->depth < k;
  const int64_t parts_bytes = p->down * p->across * p->part_bytes;
  const int64_t bytes = parts_bytes + (sums ? m * n * (int64_t)sizeof(float) : 0);
  p->memory = (char*)huge_page_alloc((size_t)bytes);
  if (!p->memory) {
    free(p);
    return status;
  }
  __builtin_memset(p->memory, 0, (size_t)bytes);
  p->sums = sums ? (float*)(p->memory + parts_bytes) : nullptr;
  p->sums_stride = n;
  plan->state = p;
  plan->release = panel_release;
  plan->workspace_bytes = (size_t)bytes;
  return Status();
}

}  // namespace ridge
