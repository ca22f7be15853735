// A row as the definitions say it, a pass for each line: rows.cpu.naive, and chain's fused rung. C-like.
#pragma once

#include <math.h>

#include "kernels/runtime/cpu/row_task.h"

namespace ridge {

static inline float gelu_of(float x) {
  return x / (1 + exp2f(-x * (kGeluA + kGeluB * x * x)));
}

static void softmax_row(const RowTask* t) {
  float most = -INFINITY, sum = 0;
  for (int64_t j = 0; j < t->n; ++j) most = fmaxf(most, t->x[j]);
  for (int64_t j = 0; j < t->n; ++j) sum += expf(t->x[j] - most);
  for (int64_t j = 0; j < t->n; ++j) t->y[j] = expf(t->x[j] - most) / sum;
}

static void layernorm_row(const RowTask* t) {
  float mean = 0, variance = 0;
  for (int64_t j = 0; j < t->n; ++j) mean += t->x[j] / (float)t->n;
  for (int64_t j = 0; j < t->n; ++j) variance += (t->x[j] - mean) * (t->x[j] - mean);
  const float scale = 1 / sqrtf(variance / (float)t->n + kRowEpsilon);
  for (int64_t j = 0; j < t->n; ++j) t->y[j] = (t->x[j] - mean) * scale * t->weight[j] + t->bias[j];
}

static void rmsnorm_row(const RowTask* t) {
  float squares = 0;
  for (int64_t j = 0; j < t->n; ++j) squares += t->x[j] * t->x[j];
  const float scale = 1 / sqrtf(squares / (float)t->n + kRowEpsilon);
  for (int64_t j = 0; j < t->n; ++j) t->y[j] = t->x[j] * scale * t->weight[j];
}

static void gelu_row(const RowTask* t) {
  for (int64_t j = 0; j < t->n; ++j) t->y[j] = gelu_of(t->x[j]);
}

static void chain_row(const RowTask* t) {
  const float* x = t->x;
  for (int64_t layer = 0; layer < t->layers; ++layer) {
    float mean = 0, variance = 0;
    for (int64_t j = 0; j < t->n; ++j) mean += (x[j] + t->bias[j]) / (float)t->n;
    for (int64_t j = 0; j < t->n; ++j)
      variance += (x[j] + t->bias[j] - mean) * (x[j] + t->bias[j] - mean);
    const float scale = 1 / sqrtf(variance / (float)t->n + kRowEpsilon);
    for (int64_t j = 0; j < t->n; ++j)
      t->y[j] = gelu_of((x[j] + t->bias[j] - mean) * scale * t->weight[j]);
    x = t->y;
  }
}

static inline void scalar_row(const RowTask* t) {
  switch (t->op) {
    case RowOp::softmax:
      return softmax_row(t);
    case RowOp::layernorm:
      return layernorm_row(t);
    case RowOp::rmsnorm:
      return rmsnorm_row(t);
    case RowOp::gelu:
      return gelu_row(t);
    case RowOp::chain:
      return chain_row(t);
    case RowOp::copy:
    case RowOp::transpose:
      return;
  }
}

}  // namespace ridge
