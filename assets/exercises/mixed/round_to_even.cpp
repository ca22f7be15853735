// ridge: flags=-O3
//
// Exercise  Round to the nearest, ties to even
// Level     3
// After     gemv.cpu.plain
// Task      Sums are fp32, what a layer hands on is bf16: 16 of 32 bits have to
//           go. Cut off, they all err towards zero, with four times the squared
//           error, and the gate says no. Round to the nearest number of bf16,
//           and where two are equally near to the one whose last bit is 0.
// Hint      Add half of what is cut off, 0x8000, to the bits before cutting: a
//           carry into the exponent is right.
// Hint      That rounds ties up. Add 0x7fff instead, and the last bit that
//           stays: bits >> 16 & 1.
#include <string.h>

#include "kernels/gemv/cpu_rows.h"

namespace ridge {
namespace {

/// The bf16 number next to `value`, which is finite.
uint16_t to_bf16(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  // solution: round instead of cutting off
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  // end of solution
  return (uint16_t)(bits >> 16);
}

/// Eight sums, so that none of them holds up the others.
float sum_of(const uint16_t* weights, const float* x, int64_t k) {
  float sums[8] = {}, sum = 0;
  for (int64_t p = 0; p < k; p += 8)
    for (int i = 0; i < 8; ++i) sums[i] += gemv_from_bf16(weights[p + i]) * x[p + i];
  for (int i = 0; i < 8; ++i) sum += sums[i];
  return sum;
}

Status launch_round_to_even(const Launch& launch) {
  GemvCpuPlan* plan = (GemvCpuPlan*)launch.plan_state;
  const Gemv g = gemv_next(launch, &plan->turn);
  gemv_widen_x(g, kGemvBf16, 0, plan);
  for (int64_t j = 0; j < g.n; ++j)
    for (int64_t i = 0; i < g.batch; ++i) {
      const float sum = sum_of((const uint16_t*)g.w + j * g.k, plan->x + i * g.k, g.k);
      ((uint16_t*)g.y)[i * g.n + j] = to_bf16(sum);
    }
  return {};
}

RIDGE_KERNEL(gemv, cpu, round_to_even, .dtypes = "bf16", .prepare = gemv_prepare_cpu,
             .launch = launch_round_to_even);

}  // namespace
}  // namespace ridge
