// What the CPU rungs share: x as fp32 in the order in which weights are unpacked, and rows of W divided among
// threads. C-like, static only: ISA-flagged files include it.
#pragma once

#include <stdlib.h>

#include "kernels/runtime/cpu/team.h"
#include "kernels/gemv/gemv.h"

namespace ridge {

static inline float gemv_from_bf16(uint16_t bits) {
  const uint32_t wide = (uint32_t)bits << 16;
  float value;
  __builtin_memcpy(&value, &wide, sizeof value);
  return value;
}
/// Rounded to nearest, ties to even. Of numbers: sums of finite products.
static inline uint16_t gemv_to_bf16(float value) {
  uint32_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/// The plan of a rung; behind it x, [batch][k], and for int4 the sum of each group of 128 of it.
struct GemvCpuPlan {
  int64_t turn;
  float *x, *group_acc;
};

/// y of one row of x and one of W. `x` and `group_acc` as in the plan, `scales` the row's own.
typedef float (*GemvRow)(const void* w, const void* scales, const float* x, const float* group_acc, int64_t k);

struct GemvJob {
  Gemv g;
  const GemvCpuPlan* plan;
  GemvRow row;
  int64_t kind;
};

static inline Status gemv_prepare_cpu(const Shape& shape, Plan* plan) {
  const int64_t batch = shape.dim[kGemvBatch], k = shape.dim[kGemvK];
  const int64_t floats = batch * (k + k / RIDGE_GEMV_GROUP);
  plan->workspace_bytes = 64 + (size_t)(floats + 16) / 16 * 64;
  plan->state = aligned_alloc(64, plan->workspace_bytes);
  plan->release = free;
  Status status;
  if (plan->state == NULL) {
    status.what = "out of memory";
    status.expression = "aligned_alloc";
    return status;
  }
  GemvCpuPlan* state = (GemvCpuPlan*)plan->state;
  state->turn = 0;
  state->x = (float*)((char*)plan->state + 64);
  state->group_acc = state->x + batch * k;
  return status;
}

/// x as fp32. int4: of each `2 * lanes` elements the even ones first, since a byte's lower halves are they.
static inline void gemv_widen_x(const Gemv& g, int64_t kind, int64_t lanes, GemvCpuPlan* plan) {
  for (int64_t i = 0; i < g.batch * g.k; ++i) {
    const float value =
        kind == kGemvFp32 ? ((const float*)g.x)[i] : gemv_from_bf16(((const uint16_t*)g.x)[i]);
    int64_t at = i;
    if (kind == kGemvInt4 && lanes > 0) {
      const int64_t inside = i % (2 * lanes);
      at = i - inside + inside / 2 + inside % 2 * lanes;
    }
    plan->x[at] = value;
  }
  if (kind != kGemvInt4) return;
  for (int64_t i = 0; i < g.batch * g.k / RIDGE_GEMV_GROUP; ++i) {
    float sum = 0;
    for (int64_t p = 0; p < RIDGE_GEMV_GROUP; ++p) sum += plan->x[i * RIDGE_GEMV_GROUP + p];
    plan->group_acc[i] = sum;
  }
}

static inline void gemv_rows_part(void* context, int index) {
  const GemvJob* job = (const GemvJob*)context;
  const Gemv* g = &job->g;
  const int64_t begin = g->n * index / g->threads, end = g->n * (index + 1) / g->threads;
  const int64_t row_bytes = gemv_weight_bytes(job->kind, g->k);
  const int64_t scale_bytes = gemv_scale_bytes(job->kind, 1, g->k);
  for (int64_t j = begin; j < end; ++j) {
    for (int64_t i = 0; i < g->batch; ++i) {
      const float y = job->row((const char*)g->w + j * row_bytes, (const char*)g->scales + j * scale_bytes,
                               job->plan->x + i * g->k, job->plan->group_acc + i * (g->k / RIDGE_GEMV_GROUP), g->k);
      if (job->kind == kGemvFp32)
        ((float*)g->y)[i * g->n + j] = y;
      else
        ((uint16_t*)g->y)[i * g->n + j] = gemv_to_bf16(y);
    }
  }
}

static inline Status gemv_run_cpu(const Launch& launch, GemvRow row, int64_t lanes) {
  GemvCpuPlan* plan = (GemvCpuPlan*)launch.plan_state;
  GemvJob job;
  job.g = gemv_next(launch, &plan->turn);
  job.plan = plan;
  job.row = row;
  job.kind = launch.shape.dim[kGemvKind];
  gemv_widen_x(job.g, job.kind, lanes, plan);
  team_run(job.g.threads, gemv_rows_part, &job);
  return Status();
}

}  // namespace ridge
