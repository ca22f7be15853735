// ridge: flags=-O3
//
// Idea      A pass over the whole matrix for each operation, as a framework calls them: add the bias, means,
//           variances, normalise, multiply by the weight, gelu. What lies between goes through y.
// Limits    Arithmetic on one thread: a call for each gelu, and sums in order. Each pass also reads and writes the
//           matrix again. Where no cache holds it: 44 bytes of traffic an element in the first layer (its stores
//           fetch the lines of y), 40 in later ones, where 8 would do.
// Look at   The copy's time for these bytes beside the measured time.
// Source    Any network run operation by operation.
#include <math.h>
#include <stdlib.h>

#include "kernels/runtime/problems/rows.h"

namespace ridge {
namespace {

void add_bias(const Rows& r, const float* x) {
  for (int64_t i = 0; i < r.m; ++i) {
    for (int64_t j = 0; j < r.n; ++j) r.y[i * r.n + j] = x[i * r.n + j] + r.bias[j];
  }
}
void take_means(const Rows& r, float* mean) {
  for (int64_t i = 0; i < r.m; ++i) {
    mean[i] = 0;
    for (int64_t j = 0; j < r.n; ++j) mean[i] += r.y[i * r.n + j] / (float)r.n;
  }
}
void take_scales(const Rows& r, const float* mean, float* scale) {
  for (int64_t i = 0; i < r.m; ++i) {
    float sum = 0;
    for (int64_t j = 0; j < r.n; ++j) {
      const float d = r.y[i * r.n + j] - mean[i];
      sum += d * d;
    }
    scale[i] = 1 / sqrtf(sum / (float)r.n + kRowEpsilon);
  }
}
void normalise(const Rows& r, const float* mean, const float* scale) {
  for (int64_t i = 0; i < r.m; ++i) {
    for (int64_t j = 0; j < r.n; ++j) r.y[i * r.n + j] = (r.y[i * r.n + j] - mean[i]) * scale[i];
  }
}
void multiply(const Rows& r) {
  for (int64_t i = 0; i < r.m; ++i) {
    for (int64_t j = 0; j < r.n; ++j) r.y[i * r.n + j] *= r.weight[j];
  }
}
void gelu(const Rows& r) {
  for (int64_t i = 0; i < r.m * r.n; ++i) {
    const float x = r.y[i];
    r.y[i] = x / (1 + exp2f(-x * (kGeluA + kGeluB * x * x)));
  }
}

Status prepare_separate(const Shape& shape, Plan* plan) {
  plan->workspace_bytes = 2 * sizeof(float) * (size_t)shape.dim[kRowsM];
  plan->state = malloc(plan->workspace_bytes);
  plan->release = free;
  return {};
}

Status launch_separate(const Launch& launch) {
  const Rows r = rows_of(launch);
  float* mean = (float*)launch.plan_state;
  float* scale = mean + r.m;
  for (int64_t layer = 0; layer < r.layers; ++layer) {
    add_bias(r, layer == 0 ? r.x : r.y);
    take_means(r, mean);
    take_scales(r, mean, scale);
    normalise(r, mean, scale);
    multiply(r);
    gelu(r);
  }
  return {};
}

RIDGE_KERNEL(chain, cpu, separate, .prepare = prepare_separate, .launch = launch_separate);

}  // namespace
}  // namespace ridge
