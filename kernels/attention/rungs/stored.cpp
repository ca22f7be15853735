// ridge: flags=-O3
//
// Idea      The formula as it is written, in three passes over memory: all scores S = Q Kt / sqrt(d), then
//           the softmax of each row, then O = P V.
// Changed   Nothing yet: this is the definition. A causal mask leaves out what is not needed.
// Limits    The dot products: each adds in order. And the size of S: sequence x sequence numbers for each head, four
//           bytes each, written, read, written as weights, and read again.
// Look at   Memory. Twice the sequence takes four times as much, until it no longer fits.
// Source    Vaswani et al., Attention Is All You Need, arXiv:1706.03762, section 3.2.1.
#include <cmath>
#include <cstdlib>

#include "common/harness/measure/machine.h"
#include "kernels/runtime/problems/attention_scores.h"

namespace ridge {
namespace {

/// All heads' scores, as frameworks without a fused kernel keep them.
Status prepare_stored(const Shape& shape, Plan* plan) {
  const double bytes = attention_scores_bytes(shape, sizeof(float));
  plan->workspace_bytes = static_cast<size_t>(bytes);
  const double free_bytes = 0.9 * double(measure::free_memory_bytes());
  if (!(bytes <= free_bytes))
    return attention_scores_refused(bytes, free_bytes);
  plan->state = std::malloc(static_cast<size_t>(bytes));
  plan->release = std::free;
  if (plan->state != nullptr) return {};
  return attention_scores_refused(bytes, free_bytes);
}

void scores(const Attention& a, const float* q, const float* k, float* s) {
  for (int64_t i = 0; i < a.sequence; ++i) {
    for (int64_t j = 0; j < attention_keys(a, i); ++j) {
      float sum = 0;
      for (int64_t p = 0; p < a.d; ++p) sum += q[i * a.d + p] * k[j * a.d + p];
      s[i * a.sequence + j] = sum * a.scale;
    }
  }
}

/// Three times over each row: the maximum, the exponentials and their sum, the division. Without the
/// maximum, exp() of a score above 88 would be infinite.
void softmax(const Attention& a, float* s) {
  for (int64_t i = 0; i < a.sequence; ++i) {
    float* row = s + i * a.sequence;
    float row_max = row[0], sum = 0;
    for (int64_t j = 1; j < attention_keys(a, i); ++j) row_max = std::fmax(row_max, row[j]);
    for (int64_t j = 0; j < attention_keys(a, i); ++j) sum += row[j] = std::exp(row[j] - row_max);
    for (int64_t j = 0; j < attention_keys(a, i); ++j) row[j] /= sum;
  }
}

void weighted_sum(const Attention& a, const float* p, const float* v, float* o) {
  for (int64_t i = 0; i < a.sequence; ++i) {
    float* row = o + i * a.d;
    for (int64_t c = 0; c < a.d; ++c) row[c] = 0;
    for (int64_t j = 0; j < attention_keys(a, i); ++j) {
      for (int64_t c = 0; c < a.d; ++c) row[c] += p[i * a.sequence + j] * v[j * a.d + c];
    }
  }
}

Status launch_stored(const Launch& launch) {
  const Attention a = attention_of(launch);
  const int64_t size = a.sequence * a.d, square = a.sequence * a.sequence;
  auto* s = static_cast<float*>(launch.plan_state);
  const auto *q = static_cast<const float*>(a.q), *k = static_cast<const float*>(a.k),
             *v = static_cast<const float*>(a.v);
  for (int64_t h = 0; h < a.heads; ++h)
    scores(a, q + h * size, k + h / a.group * size, s + h * square);
  for (int64_t h = 0; h < a.heads; ++h) softmax(a, s + h * square);
  for (int64_t h = 0; h < a.heads; ++h) {
    weighted_sum(a, s + h * square, v + h / a.group * size, static_cast<float*>(a.o) + h * size);
  }
  return {};
}

RIDGE_KERNEL(attention, cpu, stored, .prepare = prepare_stored, .launch = launch_stored);

}  // namespace
}  // namespace ridge
