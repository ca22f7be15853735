// ridge: flags=-O3,-fno-math-errno
//
// Exercise  The softmax of a row
// After     attention.cpu.stored
// Task      One query's scores stand in a row. Turn them into weights:
//           exp(score) over the sum of all of them, such that no score, however
//           large, becomes infinite.
// Hint      exp(x - c) / sum of exp(x - c) is the same for every c.
// Hint      With c the largest score, no exponent is above zero: exp() is at
//           most 1.
// Hint      Three passes: the largest; each exponential and their sum; the
//           division.
#include <cmath>
#include <cstdlib>

#include "kernels/runtime/problems/attention.h"

namespace ridge {
namespace {

Status prepare_row(const Shape& shape, Plan* plan) {
  plan->workspace_bytes = sizeof(float) * (size_t)shape.dim[kAttentionSequence];
  plan->state = malloc(plan->workspace_bytes);
  plan->release = free;
  return {};
}

void softmax(float* row, int64_t keys) {
  // solution: row[0] to row[keys - 1] become weights that add up to 1
  float largest = row[0], sum = 0;
  for (int64_t j = 1; j < keys; ++j) largest = std::fmax(largest, row[j]);
  for (int64_t j = 0; j < keys; ++j) sum += row[j] = std::exp(row[j] - largest);
  for (int64_t j = 0; j < keys; ++j) row[j] /= sum;
  // end of solution
  (void)row, (void)keys;
}

Status launch_softmax_of_a_row(const Launch& launch) {
  const Attention a = attention_of(launch);
  float* row = (float*)launch.plan_state;
  for (int64_t i = 0; i < a.heads * a.sequence; ++i) {
    const int64_t keys = attention_keys(a, i % a.sequence);
    const int64_t first = i / a.sequence / a.group * a.sequence * a.d;
    const float *q = (const float*)a.q + i * a.d, *k = (const float*)a.k + first;
    const float* v = (const float*)a.v + first;
    for (int64_t j = 0; j < keys; ++j) {
      float sum = 0;
      for (int64_t p = 0; p < a.d; ++p) sum += q[p] * k[j * a.d + p];
      row[j] = sum * a.scale;
    }
    softmax(row, keys);
    float* o = (float*)a.o + i * a.d;
    for (int64_t c = 0; c < a.d; ++c) o[c] = 0;
    for (int64_t j = 0; j < keys; ++j) {
      for (int64_t c = 0; c < a.d; ++c) o[c] += row[j] * v[j * a.d + c];
    }
  }
  return {};
}

RIDGE_KERNEL(attention, cpu, softmax_of_a_row, .prepare = prepare_row,
             .launch = launch_softmax_of_a_row);

}  // namespace
}  // namespace ridge
