// ridge: flags=-O3
//
// Exercise  Narrow in memory, wide in the sum
// After     gemv.cpu.plain
// Task      A layer's product with weights in bf16: half of fp32's bytes. A sum
//           in bf16 stops growing once it is 256 times as large as what is
//           added. So widen each weight, which costs a shift, and add up in
//           fp32; in eight sums, or each addition waits for the one before.
// Hint      A bf16 number is the upper half of an fp32 one: its 16 bits, then
//           16 zeros.
// Hint      const uint32_t wide = (uint32_t)bits << 16; memcpy makes a float of
//           it.
// Hint      float sums[8] = {}; weight p belongs to sum p % 8; k is a multiple
//           of 128.
#include <string.h>

#include "kernels/gemv/cpu_rows.h"

namespace ridge {
namespace {

/// A row of `k` weights in bf16 times x.
float row_times_x(const void* w, const void*, const float* x, const float*, int64_t k) {
  const uint16_t* weights = (const uint16_t*)w;
  // solution: the sum of weights[p] * x[p], in fp32
  float sums[8] = {}, sum = 0;
  for (int64_t p = 0; p < k; p += 8) {
    for (int i = 0; i < 8; ++i) {
      const uint32_t wide = (uint32_t)weights[p + i] << 16;
      float weight;
      memcpy(&weight, &wide, sizeof weight);
      sums[i] += weight * x[p + i];
    }
  }
  for (int i = 0; i < 8; ++i) sum += sums[i];
  return sum;
  // end of solution
  (void)weights, (void)x, (void)k;
  return 0;
}

Status launch_wide_sums(const Launch& launch) {
  return gemv_run_cpu(launch, row_times_x, 0);
}

RIDGE_KERNEL(gemv, cpu, wide_sums, .dtypes = "bf16", .prepare = gemv_prepare_cpu,
             .launch = launch_wide_sums);

}  // namespace
}  // namespace ridge
