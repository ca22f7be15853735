// ridge: flags=-O3
//
// Idea      One query against all keys of its sequence, a head at a time: the scores, their softmax, the weighted
//           sum. As many scores as keys: nothing to save there.
// Changed   Nothing yet: this is the definition. What is new against attention is what does not happen: no key is
//           used for more than one query of a head.
// Limits    One core reading the cache, and dot products in order, each addition waiting for the one before.
// Look at   FLOP for each byte: half of one in fp32. Whatever the arithmetic, memory sets the pace in the end.
// Source    Pope et al., Efficiently Scaling Transformer Inference, arXiv:2211.05102, section 3.
#include <cmath>
#include <cstdlib>

#include "kernels/decode/decode.h"

namespace ridge {
namespace {

Status prepare_plain(const Shape& shape, Plan* plan) {
  plan->workspace_bytes = static_cast<size_t>(shape.dim[kDecodeLength]) * sizeof(float);
  plan->state = std::malloc(plan->workspace_bytes);
  plan->release = std::free;
  if (plan->state != nullptr) return {};
  return {.what = "out of memory", .expression = "malloc", .file = __FILE__, .line = __LINE__};
}

void attend(const Decode& a, int64_t sequence, int64_t head, float* p) {
  const auto *q = static_cast<const float*>(a.q), *k = static_cast<const float*>(a.k),
             *v = static_cast<const float*>(a.v);
  auto* o = static_cast<float*>(a.o);
  const int64_t at = (sequence * a.heads + head) * a.d, keys = a.lengths[sequence];
  float running_max = -INFINITY, sum = 0;
  for (int64_t j = 0; j < keys; ++j) {
    const int64_t row = decode_row(a, sequence, head / a.group, j) * a.d;
    float score = 0;
    for (int64_t c = 0; c < a.d; ++c) score += q[at + c] * k[row + c];
    p[j] = score * a.scale;
    running_max = std::fmax(running_max, p[j]);
  }
  for (int64_t j = 0; j < keys; ++j) sum += p[j] = std::exp(p[j] - running_max);
  for (int64_t c = 0; c < a.d; ++c) o[at + c] = 0;
  for (int64_t j = 0; j < keys; ++j) {
    const int64_t row = decode_row(a, sequence, head / a.group, j) * a.d;
    for (int64_t c = 0; c < a.d; ++c) o[at + c] += p[j] / sum * v[row + c];
  }
}

Status launch_plain(const Launch& launch) {
  const Decode a = decode_of(launch);
  for (int64_t i = 0; i < a.batch; ++i) {
    for (int64_t h = 0; h < a.heads; ++h) attend(a, i, h, static_cast<float*>(launch.plan_state));
  }
  return {};
}

RIDGE_KERNEL(decode, cpu, plain, .prepare = prepare_plain, .launch = launch_plain);

}  // namespace
}  // namespace ridge
