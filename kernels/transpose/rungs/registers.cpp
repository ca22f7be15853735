// ridge: isa=avx2 flags=-O3
//
// Idea      Eight rows of eight columns in eight registers: 24 shuffles turn them, and a whole vector is
//           stored. 16 rows at a time fill lines of y, which then stream past the caches; on as many threads
//           as are set.
// Changed   A load and a store for 32 bytes instead of 4, and y is not read.
// Limits    The copy ceiling, and the pages: a tile touches 16 of x and 8 of y.
// Look at   Its share of "DRAM copy" beside that of rows.cpu.streamed.
// Source    The 8 x 8 turn by unpack, shuffle and lane exchange is folklore; e.g. Intel's Optimization
//           Reference Manual, "8x8 Matrix Transpose".
#include <immintrin.h>

#include "kernels/runtime/cpu/row_task.h"

namespace ridge {
namespace {

enum { kLanes = 8, kLine = 16 };

/// v[i] holds row i of a block; after it column i.
inline void transpose(__m256 v[kLanes]) {
  __m256 t[kLanes], s[kLanes];
  for (int i = 0; i < kLanes; i += 2) {
    t[i] = _mm256_unpacklo_ps(v[i], v[i + 1]);
    t[i + 1] = _mm256_unpackhi_ps(v[i], v[i + 1]);
  }
  for (int i = 0; i < kLanes; i += 4) {
    s[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
    s[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xee);
    s[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
    s[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xee);
  }
  for (int i = 0; i < 4; ++i) {
    v[i] = _mm256_permute2f128_ps(s[i], s[i + 4], 0x20);
    v[i + 4] = _mm256_permute2f128_ps(s[i], s[i + 4], 0x31);
  }
}

/// 16 rows of 8 columns: 8 whole lines of y.
inline void transpose_tile(const Rows* r, int64_t i, int64_t j, bool stream) {
  __m256 low[kLanes], high[kLanes];
  for (int q = 0; q < kLanes; ++q) {
    low[q] = _mm256_loadu_ps(r->x + (i + q) * r->n + j);
    high[q] = _mm256_loadu_ps(r->x + (i + kLanes + q) * r->n + j);
  }
  transpose(low);
  transpose(high);
  for (int q = 0; q < kLanes; ++q) {
    float* to = r->y + (j + q) * r->m + i;
    if (stream) {
      _mm256_stream_ps(to, low[q]);
      _mm256_stream_ps(to + kLanes, high[q]);
    } else {
      _mm256_storeu_ps(to, low[q]);
      _mm256_storeu_ps(to + kLanes, high[q]);
    }
  }
}

void transpose_rows(const Rows* r, int64_t i0, int64_t i1, int64_t j0) {
  for (int64_t j = j0; j < r->n; ++j) {
    for (int64_t i = i0; i < i1; ++i) r->y[j * r->m + i] = r->x[i * r->n + j];
  }
}

/// Bands of 16 rows: a line of y is one thread's.
void transpose_part(void* context, int index) {
  const Rows* r = (const Rows*)context;
  const int64_t bands = (r->m + kLine - 1) / kLine;
  const bool stream = r->m % kLanes == 0 && r->m * r->n * 8 >= kStreamFromBytes;
  for (int64_t b = bands * index / r->threads; b < bands * (index + 1) / r->threads; ++b) {
    const int64_t i = b * kLine;
    if (i + kLine > r->m) {
      transpose_rows(r, i, r->m, 0);
      continue;
    }
    int64_t j = 0;
    for (; j + kLanes <= r->n; j += kLanes) transpose_tile(r, i, j, stream);
    transpose_rows(r, i, i + kLine, j);
  }
}

Status launch_registers(const Launch& launch) {
  Rows r = rows_of(launch);
  team_run(r.threads, transpose_part, &r);
  return Status{};
}

RIDGE_KERNEL(transpose, cpu, registers, .launch = launch_registers);

}  // namespace
}  // namespace ridge
