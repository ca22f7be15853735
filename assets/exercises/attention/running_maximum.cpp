// ridge: flags=-O3,-fno-math-errno
//
// Exercise  A maximum that may still grow
// Level     3
// After     attention.cpu.stored
// Task      Keys come one by one and no score is kept. The largest score so far
//           is all that is known: when a larger one comes, what was summed
//           before has to be made smaller.
// Hint      `sum` and `o` were formed with exp(score - old). They should have
//           been formed with exp(score - larger): the quotient of the two is
//           the same for every score.
// Hint      That quotient is exp(old - larger). For the first key it is
//           exp(-infinity) = 0.
// Hint      Multiply sum and each o[c] by it, remember the larger one, then add
//           this key's part.
#include <cmath>

#include "kernels/runtime/problems/attention.h"

namespace ridge {
namespace {

constexpr int64_t kLargestHead = 256;

/// Of one query: what is known after the keys so far.
struct Row {
  float largest = -INFINITY, sum = 0;
  float o[kLargestHead] = {};
};

/// The key with this score and these d values joins the row.
void add_key(float score, const float* v, int64_t d, Row* row) {
  // solution: bring row->sum and row->o to the larger of row->largest and score, then add this key
  const float larger = std::fmax(row->largest, score);
  const float rescale = std::exp(row->largest - larger), weight = std::exp(score - larger);
  row->largest = larger;
  row->sum = row->sum * rescale + weight;
  for (int64_t c = 0; c < d; ++c) row->o[c] = row->o[c] * rescale + weight * v[c];
  // end of solution
  (void)score, (void)v, (void)d, (void)row;
}

Status launch_running_maximum(const Launch& launch) {
  const Attention a = attention_of(launch);
  for (int64_t i = 0; i < a.heads * a.sequence; ++i) {
    const int64_t first = i / a.sequence / a.group * a.sequence * a.d;
    const float *q = (const float*)a.q + i * a.d, *k = (const float*)a.k + first;
    const float* v = (const float*)a.v + first;
    Row row;
    for (int64_t j = 0; j < attention_keys(a, i % a.sequence); ++j) {
      float score = 0;
      for (int64_t p = 0; p < a.d; ++p) score += q[p] * k[j * a.d + p];
      add_key(score * a.scale, v + j * a.d, a.d, &row);
    }
    float* o = (float*)a.o + i * a.d;
    for (int64_t c = 0; c < a.d; ++c) o[c] = row.o[c] / row.sum;
  }
  return {};
}

RIDGE_KERNEL(attention, cpu, running_maximum, .launch = launch_running_maximum);

}  // namespace
}  // namespace ridge
