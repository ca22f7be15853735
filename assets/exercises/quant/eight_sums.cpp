// ridge: flags=-O3
//
// Exercise  Eight sums side by side
// After     gemv.cpu.plain
// Task      A byte a weight is a quarter of fp32's bytes, but the plain rung
//           gains nothing by it: each addition waits for the one before. Keep
//           eight sums, each of which waits for itself alone; the compiler may
//           then do eight weights at once.
// Hint      float sums[8] = {}; weight p belongs to sum p % 8.
// Hint      Two loops: over p in steps of 8 (k is a multiple of 128), inside it
//           over the eight sums.
// Hint      Add the eight up behind the loop, then multiply by the row's scale.
#include "kernels/gemv/cpu_rows.h"

namespace ridge {
namespace {

/// A row of `k` weights of one byte times x; `scale` is the row's.
float byte_row(const void* w, const void* scale, const float* x, const float*, int64_t k) {
  const int8_t* weights = (const int8_t*)w;
  const float row_scale = *(const float*)scale;
  // solution: the sum of weights[p] * x[p], in eight sums, times row_scale
  float sums[8] = {}, sum = 0;
  for (int64_t p = 0; p < k; p += 8) {
    for (int i = 0; i < 8; ++i) sums[i] += float(weights[p + i]) * x[p + i];
  }
  for (int i = 0; i < 8; ++i) sum += sums[i];
  return sum * row_scale;
  // end of solution
  (void)weights, (void)row_scale, (void)x, (void)k;
  return 0;
}

Status launch_eight_sums(const Launch& launch) {
  return gemv_run_cpu(launch, byte_row, 0);
}

RIDGE_KERNEL(gemv, cpu, eight_sums, .dtypes = "int8", .prepare = gemv_prepare_cpu,
             .launch = launch_eight_sums);

}  // namespace
}  // namespace ridge
