// The loops around a register micro-kernel, shared by the packed rungs. C is computed in tiles that
// stay in registers for a whole block of k; what a tile reads lies in panels: a panel of B is as wide
// as the tile, a panel of A as high, each copied so that it is read in one stream.
//
//   for each block of n, block of k, block of m
//     copy the panels of A
//     for each panel of B, for each panel of A: one tile
//
// Idea: Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication (TOMS 2008); Van Zee
// and van de Geijn, BLIS (TOMS 2015). Ours: B is copied by the first tile that reads it, where loads
// and stores hide behind arithmetic: a copy made beforehand took 2.5 % of the time at n = 512. Threads
// therefore share nothing: each multiplies a rectangle of C with copies of its own, no barrier
// anywhere. (With one copy of B for two threads, taking its lines from the other core's cache made the
// copying five times slower in some runs.) And A is not transposed: the micro-kernel broadcasts single
// elements, and finds them along a row as well as down a column.
//
// Sizes and strides in elements. ISA-flagged files include this header: C-like, static only.
#pragma once

#include <stdint.h>

#include "kernels/runtime/cpu/team.h"
#include "kernels/runtime/problems/gemm.h"

namespace ridge {

// ---- what a rung brings: its register tile, and the code that computes one ----------------------------

/// Where a tile finds its panel of B: packed; or in B itself, with or without copying it to `packed`.
enum class PanelSource : uint8_t { packed, copy, direct };

/// One tile of C for the micro-kernel: rows x columns, at most the register tile.
struct PanelTile {
  const void* a;  ///< panel of A: rows a_stride apart, PanelKernel::a_stride where it was copied
  int64_t a_stride;
  void* packed;    ///< panel of B: PanelKernel::columns elements for each step of k
  const void* b;   ///< the same panel in B
  int64_t stride;  ///< of B, and of C where B is row-major
  int64_t depth;   ///< steps of k
  void* c;         ///< where the result goes
  float* acc;      ///< where it is summed in fp32 between blocks of k: c itself for fp32
  int64_t acc_stride;
  int rows, columns;
  int64_t row, column;  ///< of its first element in C
  const void* context;  ///< PanelJob::context
  PanelSource source;
  bool first, last;  ///< block of k: the first overwrites (no pass of zeros), the last rounds
};

/// A register tile and the code that computes it.
struct PanelKernel {
  int rows, columns;  ///< of the register tile
  int bytes;          ///< of an element of A and B
  int c_bytes;        ///< of an element of C
  int64_t depth;      ///< most steps of k in one block, even
  int64_t a_stride;  ///< between the rows of a panel of A: depth and a cache line, so that its rows
                     ///< do not fall into the same sets of the caches
  bool in_place = false;  ///< tile() takes A as it lies, whatever its stride
  void (*tile)(const PanelTile* tile);
  /// One column of B: c[i] = row i of A (k long) times b, for i < rows. Null: a tile like any other.
  void (*dots)(const void* a, const void* b, void* c, int64_t rows, int64_t k) = nullptr;
  /// Packs a panel before the first tile that reads it. Null: its first tile copies it, of a row-major B.
  void (*pack_b)(const PanelTile* tile) = nullptr;
  bool b_transposed = false;  ///< B is n x k, k contiguous (gemm.h); with pack_b
  int b_bytes = 0;            ///< of a packed element of B, 0: as in B; with pack_b
  int b_head = 0;             ///< bytes that begin a packed panel; with pack_b
  /// Copies a panel of A, rows of `depth` elements that lie `stride` apart, to rows * a_stride elements;
  /// null: as they are, a_stride apart.
  void (*copy_a)(void* to, const void* from, int64_t stride, int rows, int64_t depth) = nullptr;
};

// ---- how a shape is cut into blocks, and the memory for it (panels.cpp) --------------------------------

/// How one shape is cut, and its workspace.
struct PanelPlan {
  int down, across;              ///< the threads' rectangles: so many below and beside each other
  int64_t part_columns;          ///< of a rectangle; whole tiles
  int64_t rows, columns, depth;  ///< of a block of m, n, k
  int64_t a_bytes, b_panel_bytes, part_bytes;  ///< packed A; a panel of B; both for one thread
  bool copy_a;                                 ///< else A is read where it lies
  char* memory;
  float* acc;  ///< m x n where C is narrower and k takes several blocks; else null
  int64_t acc_stride;
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

/// prepare()'s part: how the shape is cut, and the workspace. Kept in `plan`, which releases it.
Status panel_prepare(const PanelKernel* kernel, const Shape& shape, int threads, Plan* plan);
/// Threads worth waking for a shape, 1 to shape.threads.
int panel_threads(const Shape& shape);

// ---- the loops ----------------------------------------------------------------------------------------

static inline int64_t panel_min(int64_t x, int64_t y) {
  return x < y ? x : y;
}

/// The rectangle of C that one thread computes, its blocks of n and k, and its memory.
struct PanelPart {
  int64_t i0, i1, j0, j1, p0, depth;
  char *a, *b;
};

/// One panel of A as PanelKernel::copy_a says.
static inline void panel_copy_a(const PanelKernel* kernel, char* to, const char* from,
                                int64_t stride, int rows, int64_t depth) {
  if (kernel->copy_a) return kernel->copy_a(to, from, stride, rows, depth);
  const int64_t bytes = kernel->bytes;
  for (int i = 0; i < rows; ++i) {
    __builtin_memcpy(to, from, (size_t)(depth * bytes));
    // bf16 goes in pairs: an odd last step is paired with zero.
    __builtin_memset(to + depth * bytes, 0, (size_t)bytes);
    to += kernel->a_stride * bytes;
    from += stride * bytes;
  }
}

/// Rows i0 to i1 times the columns of the part's block. B is read where it lies by the first panel of
/// A, which copies it for the others, if there are any.
static inline void panel_block(const PanelJob* job, const PanelPart* part, int64_t i0, int64_t i1) {
  const PanelKernel* kernel = job->kernel;
  const PanelPlan* plan = job->plan;
  // A that meets few panels of B is not worth a copy; but for a last panel of fewer rows.
  const int64_t copied = plan->copy_a ? i0 : i1 - (i1 - i0) % kernel->rows;
  for (int64_t i = copied; i < i1; i += kernel->rows) {
    panel_copy_a(kernel, part->a + (i - i0) * kernel->a_stride * kernel->bytes,
                 (const char*)job->a + (i * job->k + part->p0) * kernel->bytes, job->k,
                 (int)panel_min(kernel->rows, i1 - i), part->depth);
  }
  PanelTile tile;
  tile.depth = part->depth;
  tile.stride = kernel->b_transposed ? job->k : job->n;
  tile.acc_stride = plan->acc ? plan->acc_stride : job->n;
  tile.first = part->p0 == 0;
  tile.last = part->p0 + part->depth == job->k;
  tile.packed = part->b;
  tile.context = job->context;
  for (int64_t j = part->j0; j < part->j1; j += kernel->columns) {
    const int64_t first = kernel->b_transposed ? j * job->k + part->p0 : part->p0 * job->n + j;
    tile.b = (const char*)job->b + first * kernel->bytes;
    tile.columns = (int)panel_min(kernel->columns, part->j1 - j);
    tile.column = j;
    if (kernel->pack_b && i0 == part->i0) kernel->pack_b(&tile);
    for (int64_t i = i0; i < i1; i += kernel->rows) {
      tile.rows = (int)panel_min(kernel->rows, i1 - i);
      tile.row = i;
      tile.a_stride = i < copied ? job->k : kernel->a_stride;
      tile.a = i < copied ? (const char*)job->a + (i * job->k + part->p0) * kernel->bytes
                          : part->a + (i - i0) * kernel->a_stride * kernel->bytes;
      tile.source = kernel->pack_b || i > part->i0    ? PanelSource::packed
                    : tile.rows < part->i1 - part->i0 ? PanelSource::copy
                                                      : PanelSource::direct;
      tile.c = (char*)job->c + (i * job->n + j) * kernel->c_bytes;
      tile.acc = plan->acc ? plan->acc + i * plan->acc_stride + j : (float*)tile.c;
      kernel->tile(&tile);
    }
    tile.packed = (char*)tile.packed + plan->b_panel_bytes;
  }
}

/// What thread `index` does.
static inline void panel_part(void* context, int index) {
  const PanelJob* job = (const PanelJob*)context;
  const PanelPlan* plan = job->plan;
  const int row = index / plan->across, column = index % plan->across;
  PanelPart part;
  part.i0 = job->m * row / plan->down;
  part.i1 = job->m * (row + 1) / plan->down;
  if (job->n == 1 && job->kernel->dots) {
    const int64_t bytes = job->kernel->bytes;
    return job->kernel->dots((const char*)job->a + part.i0 * job->k * bytes, job->b,
                             (char*)job->c + part.i0 * job->kernel->c_bytes, part.i1 - part.i0,
                             job->k);
  }
  part.a = plan->memory + index * plan->part_bytes;
  part.b = part.a + plan->a_bytes;
  const int64_t begin = column * plan->part_columns;
  const int64_t end = panel_min(begin + plan->part_columns, job->n);
  for (part.j0 = begin; part.j0 < end; part.j0 = part.j1) {
    part.j1 = panel_min(part.j0 + plan->columns, end);
    for (part.p0 = 0; part.p0 < job->k; part.p0 += part.depth) {
      part.depth = panel_min(plan->depth, job->k - part.p0);
      for (int64_t i = part.i0; i < part.i1; i += plan->rows)
        panel_block(job, &part, i, panel_min(i + plan->rows, part.i1));
    }
  }
}

static inline Status panel_run(const PanelJob* job) {
  team_run(job->plan->down * job->plan->across, panel_part, (void*)job);
  return Status();
}

static inline Status panel_launch(const PanelKernel* kernel, const Launch& launch) {
  PanelJob job;
  job.kernel = kernel;
  job.plan = (const PanelPlan*)launch.plan_state;
  job.m = launch.shape.dim[kGemmM];
  job.n = launch.shape.dim[kGemmN];
  job.k = launch.shape.dim[kGemmK];
  job.a = launch.buffers[kGemmA];
  job.b = launch.buffers[kGemmB];
  job.c = launch.buffers[kGemmC];
  job.context = nullptr;
  return panel_run(&job);
}

}  // namespace ridge
