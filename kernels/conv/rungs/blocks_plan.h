// What the vectorised convolutions prepare: packed filters, the table of offsets, and memory for copies.
// C-like, static only: ISA-flagged files include it.
#pragma once

#include <stdlib.h>
#include <sys/mman.h>

#include "kernels/conv/rungs/blocks.h"

namespace ridge {

/// [block of channels][tap][16 channels][width filters], zero where a filter does not see the channel; depthwise
/// [tap][16 channels].
static inline void conv_pack_filters(const ConvPlan* plan, int64_t g, const float* f, int64_t taps,
                                     float* to) {
  const Conv* v = &plan->v;
  if (plan->depthwise) {
    for (int64_t i = 0; i < taps * 16; ++i) {
      const int64_t m = g * 16 + i % 16;
      to[i] = m < v->m ? f[m * taps + i / 16] : 0;
    }
    return;
  }
  for (int64_t block = plan->filters[g].begin; block < plan->filters[g].end; ++block) {
    for (int64_t i = 0; i < taps * 16 * plan->width; ++i, ++to) {
      const int64_t m = g * plan->width + i % plan->width;
      const int64_t c = block * 16 + i / plan->width % 16, tap = i / plan->width / 16;
      const int64_t own = c - m / v->group_m * v->group_c;  // its place in the filter's group
      *to = m < v->m && own >= 0 && own < v->group_c ? f[(m * v->group_c + own) * taps + tap] : 0;
    }
  }
}

static inline void conv_fill_offsets(const ConvPlan* plan) {
  const Conv* v = &plan->v;
  const int64_t step = conv_pixel_step(&v->x_at, plan->copy_x);
  int32_t* to = plan->offsets;
  for (int64_t r = 0; r < v->r; ++r)
    for (int64_t s = 0; s < v->s; ++s)
      for (int64_t p = 0; p < v->p; ++p)
        for (int64_t q = 0; q < v->q; ++q) {
          const int64_t h = p * v->stride + r - v->pad, w = q * v->stride + s - v->pad;
          const bool inside = h >= 0 && h < v->h && w >= 0 && w < v->w;
          *to++ = inside ? (int32_t)((h * v->w + w) * step) : -1;
        }
}

static inline void conv_release_blocks(void* state) {
  ConvPlan* plan = (ConvPlan*)state;
  free(plan->filters);
  free(plan->offsets);
  free(plan->f);
  free(plan->bias);
  free(plan->x);
  free(plan->y);
  free(plan);
}

/// Zeroed, so that its pages are there; never empty.
static inline float* conv_floats(int64_t count, size_t* bytes) {
  // Large pages: the weights of 512 filters are 2,300 small ones, more than the second-level TLB holds
  // beside x and y.
  const size_t page = (size_t)count * sizeof(float) >= (1 << 20) ? 2 << 20 : 64;
  const size_t size = ((size_t)count * sizeof(float) + 64 + page - 1) / page * page;
  float* memory = (float*)aligned_alloc(page, size);
  if (memory && page > 64) madvise(memory, size, MADV_HUGEPAGE);
  if (memory) __builtin_memset(memory, 0, size);
  *bytes += size;
  return memory;
}

/// The channels that block g of filters sees, and the floats its weights take.
static inline int64_t conv_see(ConvPlan* plan, int64_t g) {
  const Conv* v = &plan->v;
  const int64_t first = g * plan->width, past = conv_min(first + plan->width, v->m);
  const int64_t stored = conv_min(plan->width, plan->y_blocks * 16 - first);
  ConvFilters* filters = &plan->filters[g];
  filters->begin = first / v->group_m * v->group_c / 16;
  filters->end = (((past - 1) / v->group_m + 1) * v->group_c + 15) / 16;
  filters->vecs = (int)stored;
  return (filters->end - filters->begin) * conv_block_floats(plan);
}

static inline Status conv_prepare_blocks(const ConvKernel* kernel, const Shape* shape, int threads,
                                         Plan* out) {
  Status status;
  status.what = "out of memory", status.expression = "conv_prepare_blocks", status.file = __FILE__;
  ConvPlan* plan = (ConvPlan*)calloc(1, sizeof(ConvPlan));
  if (!plan) return status;
  const Conv v = plan->v = conv_shape(shape);
  if (v.h * v.w * (v.layout == kConvNhwc ? v.c : 16) > INT32_MAX) {
    free(plan);
    return refuse("an image is too large for offsets of 32 bits");
  }
  plan->threads = threads;
  plan->depthwise = conv_is_depthwise(&v);
  plan->width = plan->depthwise ? 16 : kernel->lanes * kernel->vecs;
  plan->count = (v.m + plan->width - 1) / plan->width;
  plan->x_blocks = (v.c + 15) / 16, plan->y_blocks = (v.m + 15) / 16;
  plan->copy_x = v.layout == kConvNchw || (v.layout == kConvNhwc && v.c % 16 != 0);
  plan->copy_y = v.layout == kConvNchw || (v.layout == kConvNhwc && v.m % 16 != 0);
  plan->filters = (ConvFilters*)calloc((size_t)plan->count, sizeof(ConvFilters));
  int64_t floats = 0;
  for (int64_t g = 0; plan->filters && g < plan->count; ++g) floats += conv_see(plan, g);
  size_t bytes = 0;
  plan->offsets = (int32_t*)conv_floats(v.r * v.s * v.p * v.q, &bytes);
  plan->f = conv_floats(floats, &bytes);
  plan->bias = conv_floats(plan->count * plan->width + 16, &bytes);
  plan->x = conv_floats(plan->copy_x ? v.n * plan->x_blocks * 16 * v.h * v.w : 1, &bytes);
  plan->y = conv_floats(plan->copy_y ? v.n * plan->y_blocks * 16 * v.p * v.q : 1, &bytes);
  out->state = plan;
  out->release = conv_release_blocks;
  out->workspace_bytes = bytes;
  if (!plan->filters || !plan->offsets || !plan->f || !plan->bias || !plan->x || !plan->y)
    return status;
  const ConvConstants* constants = (const ConvConstants*)shape->constants;
  plan->zeros = plan->bias + plan->count * plan->width;
  __builtin_memcpy(plan->bias, constants->bias, (size_t)v.m * sizeof(float));
  float* f = plan->f;
  for (int64_t g = 0; g < plan->count; ++g) {
    ConvFilters* filters = &plan->filters[g];
    filters->vecs = (filters->vecs + kernel->lanes - 1) / kernel->lanes;
    filters->f = f;
    conv_pack_filters(plan, g, (const float*)constants->f, v.r * v.s, f);
    f += (filters->end - filters->begin) * conv_block_floats(plan);
  }
  conv_fill_offsets(plan);
  return Status();
}

}  // namespace ridge
