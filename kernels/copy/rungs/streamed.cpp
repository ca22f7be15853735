// ridge: isa=avx2 flags=-O3
//
// Idea      The most that reading and writing memory gives: whole vectors in, streaming stores out, a slice
//           for each thread. What the row operations are held against, on their own buffers.
// Limits    DRAM, and how many lines a core can have under way.
// Look at   memcpy would do the same: it streams as well, above a size that libc chooses.
// Source    As rows.cpu.streamed.
#include <immintrin.h>

#include "kernels/runtime/cpu/row_task.h"

namespace ridge {
namespace {

void copy_part(void* context, int index) {
  const Rows* r = (const Rows*)context;
  const int64_t all = r->m * r->n, step = (all / r->threads + 63) / 64 * 64;
  int64_t i = step * index;
  const int64_t end = index + 1 == r->threads || i + step > all ? all : i + step;
  const bool stream = all * 8 >= kStreamFromBytes;  // the buffers begin at whole cache lines
  for (; i + 32 <= end; i += 32) {
    for (int j = 0; j < 32; j += 8) {
      const __m256 v = _mm256_loadu_ps(r->x + i + j);
      if (stream)
        _mm256_stream_ps(r->y + i + j, v);
      else
        _mm256_storeu_ps(r->y + i + j, v);
    }
  }
  for (; i < end; ++i) r->y[i] = r->x[i];
}

Status launch_copy(const Launch& launch) {
  Rows r = rows_of(launch);
  team_run(r.threads, copy_part, &r);
  return Status{};
}

RIDGE_KERNEL(copy, cpu, streamed, .launch = launch_copy);

}  // namespace
}  // namespace ridge
