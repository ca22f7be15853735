// One row for the CPU rungs, and who computes it. C-like: ISA-flagged files include this.
#pragma once

#include "kernels/gemm/team.h"
#include "kernels/rows/rows.h"

namespace ridge {

struct RowTask {
  RowOp op;
  int64_t n, layers;
  const float *x, *weight, *bias;
  float* y;
  const float* next;  ///< the row that comes after, to be fetched meanwhile; null: none
  bool stream;        ///< y goes past the caches: nobody reads it soon
};

typedef void (*RowFunction)(const RowTask* task);

typedef struct {
  Rows rows;
  RowFunction row;
  bool ahead;  ///< fetch the next row, and stream
} RowsJob;

/// What a cache might still hold is not streamed past it: 2 MiB of x and y.
enum { kStreamFromBytes = 2 << 20 };

/// Rows index * m / threads ... of the job.
static void rows_part(void* context, int index) {
  const RowsJob* job = (const RowsJob*)context;
  const Rows r = job->rows;
  const int64_t begin = r.m * index / r.threads, end = r.m * (index + 1) / r.threads;
  RowTask task = {r.op, r.n, r.layers, 0, r.weight, r.bias, 0, 0, false};
  task.stream = job->ahead && r.m * r.n * 8 >= kStreamFromBytes;
  for (int64_t i = begin; i < end; ++i) {
    task.x = r.x + i * r.n;
    task.y = r.y + i * r.n;
    task.next = job->ahead && i + 1 < end ? task.x + r.n : 0;
    job->row(&task);
  }
}

/// All rows on one thread, or on as many as are set.
static inline Status rows_run(const Launch& launch, RowFunction row, bool ahead) {
  RowsJob job = {rows_of(launch), row, ahead};
  if (!ahead) job.rows.threads = 1;
  team_run(job.rows.threads, rows_part, &job);
  return Status{};
}

}  // namespace ridge
