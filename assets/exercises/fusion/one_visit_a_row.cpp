// ridge: flags=-O3
//
// Exercise  One visit a row
// After     chain.cpu.separate
// Task      The rung before goes over the whole matrix for every operation. Do
//           all operations of one layer on a row before anything is done to the
//           next row: add the bias, subtract the mean, divide by the deviation,
//           multiply by the weight, gelu.
// Hint      `from` is the row of x in the first layer and of y in the later
//           ones; the result goes to y.
// Hint      Two sums come first: the mean of from[j] + bias[j], then of the
//           squared distances from it.
// Hint      scale = 1 / sqrtf(variance + kRowEpsilon); y[j] = gelu((from[j] +
//           bias[j] - mean) * scale * weight[j]).
#include <math.h>

#include "kernels/runtime/problems/rows.h"

namespace ridge {
namespace {

float gelu(float x) {
  return x / (1 + exp2f(-x * (kGeluA + kGeluB * x * x)));
}

/// One layer of one row of n elements.
void layer_of_row(const Rows& r, const float* from, float* y) {
  // solution: y[0] to y[r.n - 1] from `from`, r.bias and r.weight, in three loops over the row
  const float n = (float)r.n;
  float mean = 0, variance = 0;
  for (int64_t j = 0; j < r.n; ++j) mean += (from[j] + r.bias[j]) / n;
  for (int64_t j = 0; j < r.n; ++j) {
    const float d = from[j] + r.bias[j] - mean;
    variance += d * d / n;
  }
  const float scale = 1 / sqrtf(variance + kRowEpsilon);
  for (int64_t j = 0; j < r.n; ++j) y[j] = gelu((from[j] + r.bias[j] - mean) * scale * r.weight[j]);
  // end of solution
  (void)r, (void)from, (void)y, (void)gelu;
}

Status launch_one_visit_a_row(const Launch& launch) {
  const Rows r = rows_of(launch);
  for (int64_t i = 0; i < r.m; ++i) {
    float* y = r.y + i * r.n;
    for (int64_t layer = 0; layer < r.layers; ++layer) {
      layer_of_row(r, layer == 0 ? r.x + i * r.n : y, y);
    }
  }
  return {};
}

RIDGE_KERNEL(chain, cpu, one_visit_a_row, .launch = launch_one_visit_a_row);

}  // namespace
}  // namespace ridge
