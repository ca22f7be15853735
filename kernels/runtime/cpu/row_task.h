// One row for the CPU rungs, or the rows of a thread, and who computes them. C-like: ISA-flagged files
// include this.
#pragma once

#include "kernels/runtime/cpu/team.h"
#include "kernels/runtime/problems/rows.h"

namespace ridge {

struct RowTask {
  RowOp op;
  int64_t n, layers;
  const float *x, *weight, *bias;
  float* y;
};

typedef void (*RowFunction)(const RowTask* task);
/// Rows begin <= i < end of a matrix that may_stream().
typedef void (*RowsFunction)(const Rows* rows, int64_t begin, int64_t end);

typedef struct {
  RowFunction row;
  RowsFunction stream;  ///< null: there is none
} RowCode;

/// What a cache might still hold is not streamed past it: 2 MiB of x and y.
enum { kStreamFromBytes = 2 << 20 };
/// Two rows of so many elements are kept beside x while they are worked on: 128 KiB of the L2.
enum { kStreamedRow = 16384 };

/// Whole cache lines, and rows of which the L2 holds a few.
static inline bool may_stream(const Rows* r) {
  return r->m * r->n * 8 >= kStreamFromBytes && r->n % 16 == 0 && r->n >= 32 &&
         r->n <= kStreamedRow;
}

typedef struct {
  Rows rows;
  RowCode code;
  bool streams;
} RowsJob;

/// Rows index * m / threads ... of the job.
static void rows_part(void* context, int index) {
  const RowsJob* job = (const RowsJob*)context;
  const Rows r = job->rows;
  const int64_t begin = r.m * index / r.threads, end = r.m * (index + 1) / r.threads;
  if (job->streams) return job->code.stream(&r, begin, end);
  RowTask task = {r.op, r.n, r.layers, 0, r.weight, r.bias, 0};
  for (int64_t i = begin; i < end; ++i) {
    task.x = r.x + i * r.n;
    task.y = r.y + i * r.n;
    job->code.row(&task);
  }
}

/// Row by row on one thread.
static inline Status rows_run(const Launch& launch, RowFunction row) {
  RowsJob job = {rows_of(launch), {row, 0}, false};
  job.rows.threads = 1;
  rows_part(&job, 0);
  return Status{};
}

/// On as many threads as are set, streamed where that helps.
static inline Status rows_run_streamed(const Launch& launch, RowCode code) {
  RowsJob job = {rows_of(launch), code, false};
  job.streams = code.stream && may_stream(&job.rows);
  team_run(job.rows.threads, rows_part, &job);
  return Status{};
}

}  // namespace ridge
