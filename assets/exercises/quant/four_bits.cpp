// ridge: flags=-O3
//
// Exercise  Two weights in a byte
// After     gemv.cpu.plain
// Task      A weight has four bits here, and two lie in each byte: the lower
//           half is the one with the even index. What is stored is the weight
//           plus 8, and 128 neighbours share a scale. Sum the 128 products of
//           one group.
// Hint      Byte p / 2 holds the weights p and p + 1: & 15 gives the first, >>
//           4 the second.
// Hint      Take the 8 off again: a stored 0 is the weight -8.
// Hint      The scale is the same for all of them: multiply once, behind the
//           loop.
#include "kernels/gemv/cpu_rows.h"

namespace ridge {
namespace {

/// The sum of 128 weights times x, times their scale. `bytes`: 64 of them.
float group_sum(const uint8_t* bytes, float scale, const float* x) {
  // solution: the sum over 128 neighbours of (stored value - 8) * x, times scale
  float sum = 0;
  for (int p = 0; p < RIDGE_GEMV_GROUP; p += 2) {
    sum += float((bytes[p / 2] & 15) - 8) * x[p];
    sum += float((bytes[p / 2] >> 4) - 8) * x[p + 1];
  }
  return sum * scale;
  // end of solution
  (void)bytes, (void)scale, (void)x;
  return 0;
}

float four_bit_row(const void* w, const void* scales, const float* x, const float*, int64_t k) {
  const uint8_t* bytes = (const uint8_t*)w;
  float sum = 0;
  for (int64_t group = 0; group < k / RIDGE_GEMV_GROUP; ++group) {
    const float scale = gemv_from_bf16(((const uint16_t*)scales)[group]);
    sum += group_sum(bytes + group * (RIDGE_GEMV_GROUP / 2), scale, x + group * RIDGE_GEMV_GROUP);
  }
  return sum;
}

Status launch_four_bits(const Launch& launch) {
  return gemv_run_cpu(launch, four_bit_row, 0);
}

RIDGE_KERNEL(gemv, cpu, four_bits, .dtypes = "int4", .prepare = gemv_prepare_cpu,
             .launch = launch_four_bits);

}  // namespace
}  // namespace ridge
