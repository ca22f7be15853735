// ridge: flags=-O3,-fno-math-errno
//
// Idea      The formulas as they are written, in three passes over memory: the weights P, computed again from Q, K
//           and L; dS = P (dO Vt - D); then the three products dV = Pt dO, dK = dSt Q, dQ = dS K.
// Changed   Nothing yet: this is the definition. Five products where the forward pass has two.
// Limits    P and dS have sequence x sequence numbers each for a head, written once and read two times.
// Look at   The time beside the forward pass's: 2.5 times the FLOP. And where dK comes from: down the columns.
// Source    Dao et al., FlashAttention, arXiv:2205.14135, appendix B.2.
#include <cmath>
#include <cstdlib>

#include "common/harness/measure/machine.h"
#include "kernels/attention_backward/backward.h"
#include "kernels/runtime/problems/attention_scores.h"

namespace ridge {
namespace {

/// P and dS of all heads, as a framework without a fused kernel keeps them.
Status prepare_stored(const Shape& shape, Plan* plan) {
  const double bytes = 2 * attention_scores_bytes(shape, sizeof(float));
  const double free_bytes = 0.9 * double(measure::free_memory_bytes());
  if (!(bytes <= free_bytes))
    return attention_scores_refused(bytes, free_bytes);
  plan->state = std::malloc(static_cast<size_t>(bytes));
  plan->release = std::free;
  plan->workspace_bytes = static_cast<size_t>(bytes);
  if (plan->state != nullptr) return {};
  return attention_scores_refused(bytes, free_bytes);
}

float dot(const float* x, const float* y, int64_t d) {
  float sum = 0;
  for (int64_t c = 0; c < d; ++c) sum += x[c] * y[c];
  return sum;
}

void add(float weight, const float* from, int64_t d, float* to) {
  for (int64_t c = 0; c < d; ++c) to[c] += weight * from[c];
}

/// One head of queries; its keys' gradients are added to.
void backward_head(const AttentionBackward& b, int64_t head, float* p, float* ds) {
  const int64_t n = b.a.sequence, d = b.a.d, at = head * n * d, at_kv = head / b.a.group * n * d;
  const auto of = [](const void* data, int64_t place) {
    return static_cast<const float*>(data) + place;
  };
  const float *q = of(b.a.q, at), *o = of(b.a.o, at), *d_o = of(b.d_o, at), *k = of(b.a.k, at_kv),
              *v = of(b.a.v, at_kv);
  float *dq = static_cast<float*>(b.dq) + at, *dk = static_cast<float*>(b.dk) + at_kv,
        *dv = static_cast<float*>(b.dv) + at_kv;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < attention_keys(b.a, i); ++j) {
      p[i * n + j] = std::exp(dot(q + i * d, k + j * d, d) * b.a.scale - b.l[head * n + i]);
    }
  }
  for (int64_t i = 0; i < n; ++i) {
    const float d_row = dot(d_o + i * d, o + i * d, d);
    for (int64_t j = 0; j < attention_keys(b.a, i); ++j) {
      ds[i * n + j] = p[i * n + j] * (dot(d_o + i * d, v + j * d, d) - d_row) * b.a.scale;
    }
  }
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t c = 0; c < d; ++c) dq[i * d + c] = 0;
    for (int64_t j = 0; j < attention_keys(b.a, i); ++j) {
      add(p[i * n + j], d_o + i * d, d, dv + j * d);
      add(ds[i * n + j], q + i * d, d, dk + j * d);
      add(ds[i * n + j], k + j * d, d, dq + i * d);
    }
  }
}

Status launch_stored(const Launch& launch) {
  const AttentionBackward b = backward_of(launch);
  const int64_t n = b.a.sequence, sums = b.a.heads / b.a.group * n * b.a.d;
  for (int64_t e = 0; e < sums; ++e) static_cast<float*>(b.dk)[e] = 0;
  for (int64_t e = 0; e < sums; ++e) static_cast<float*>(b.dv)[e] = 0;
  auto* p = static_cast<float*>(launch.plan_state);
  float* ds = p + b.a.heads * n * n;
  for (int64_t head = 0; head < b.a.heads; ++head) {
    backward_head(b, head, p + head * n * n, ds + head * n * n);
  }
  return {};
}

RIDGE_KERNEL(attention_backward, cpu, stored, .prepare = prepare_stored, .launch = launch_stored);

}  // namespace
}  // namespace ridge
