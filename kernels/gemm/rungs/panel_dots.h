// A product with one column: a tile would fill one lane of its vectors. What the including file has
// said is in panel_tile.h, which includes this.
#pragma once

#include "kernels/runtime/cpu/panel_plan.h"

namespace ridge {

static inline float sum_of(Vec v) {
  float sum = 0;
  for (int j = 0; j < kLanes; ++j) sum += v[j];
  return sum;
}

/// PanelKernel::dots. Four rows at a time, two
/// vectors of each, so that eight sums are under way.
static void panel_dots(const void* a_rows, const void* column, void* result, int64_t rows,
                       int64_t k) {
  const float* b = (const float*)column;
  float* c = (float*)result;
  for (int64_t i = 0; i < rows; i += 4) {
    const float* a[4];
    Vec low[4] = {}, high[4] = {};
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r) a[r] = (const float*)a_rows + panel_least(i + r, rows - 1) * k;
    int64_t p = 0;
    for (; p + kColumns <= k; p += kColumns) {
#pragma GCC unroll 4
      for (int r = 0; r < 4; ++r) {
        low[r] = fma(load(a[r] + p), load(b + p), low[r]);
        high[r] = fma(load(a[r] + p + kLanes), load(b + p + kLanes), high[r]);
      }
    }
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r) {
      if (i + r >= rows) break;
      float sum = sum_of(low[r] + high[r]);
      for (int64_t q = p; q < k; ++q) sum += a[r][q] * b[q];
      c[i + r] = sum;
    }
  }
}

}  // namespace ridge
