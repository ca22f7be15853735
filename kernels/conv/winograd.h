// Winograd's F(2 x 2, 3 x 3) around the register tile of tile.h: its transforms, in AVX-512, and the loops. Tiles
// go in batches whose transforms stay in the caches; for a batch
//
//   V[e][tile][channel]  = element e of B' x B
//   P[e][tile][filter]   = V[e] times U[e], packed
//   y                    = A' P A of each tile
//
// Threads take batches, each with a V and a P of its own, which no other core ever reads: 64 channels at 56 x 56 on two
// cores, 0.63 of oneDNN's F(4 x 4, 3 x 3), where two threads on each batch had made 0.26. Where there is not one for
// each, they share one: its tiles, its elements, its tiles again.
//
// C-like, static only: ISA-flagged files include it.
#pragma once

#include <immintrin.h>

#include "kernels/conv/blocks_plan.h"

namespace ridge {

typedef struct {
  ConvPlan* blocks;             ///< layouts, copies, which channels a block of filters sees
  int64_t down, across, batch;  ///< tiles of an image; tiles of a batch
  int64_t v_tile, v_element, p_tile, p_element;  ///< strides in floats
  int64_t u_element;                             ///< from element to element of the packed filters
  float *v, *p, *u;
  int32_t offsets[kConvPixels];
} Winograd;

typedef struct {
  const ConvKernel* kernel;
  const Winograd* plan;
  Conv c;
  int64_t first, count;  ///< tiles of this batch
  float *v, *p;
  int parts;  ///< threads that share it
} WinogradJob;

/// V and P of a batch: half of a 1 MiB L2 each. 256 KiB made no difference that noise did not.
static constexpr int64_t kWinogradBytes = 512 * 1024, kWinogradLeast = 8;

/// U = G f G', written to element e at u + e * step.
static inline void winograd_filter(const float* f, float* u, int64_t step) {
  float half[4][3];
  for (int j = 0; j < 3; ++j) {
    const float a = f[j], b = f[3 + j], c = f[6 + j];
    half[0][j] = a;
    half[1][j] = (a + b + c) / 2;
    half[2][j] = (a - b + c) / 2;
    half[3][j] = c;
  }
  for (int i = 0; i < 4; ++i) {
    const float a = half[i][0], b = half[i][1], c = half[i][2];
    u[(4 * i + 0) * step] = a;
    u[(4 * i + 1) * step] = (a + b + c) / 2;
    u[(4 * i + 2) * step] = (a - b + c) / 2;
    u[(4 * i + 3) * step] = c;
  }
}

/// B' d B of a 4 x 4 patch.
static inline __attribute__((always_inline)) void winograd_input(const __m512 d[4][4], float* to,
                                                                 int64_t step) {
  __m512 t[4][4];
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    t[0][j] = d[0][j] - d[2][j];
    t[1][j] = d[1][j] + d[2][j];
    t[2][j] = d[2][j] - d[1][j];
    t[3][j] = d[1][j] - d[3][j];
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    _mm512_storeu_ps(to + (4 * i + 0) * step, t[i][0] - t[i][2]);
    _mm512_storeu_ps(to + (4 * i + 1) * step, t[i][1] + t[i][2]);
    _mm512_storeu_ps(to + (4 * i + 2) * step, t[i][2] - t[i][1]);
    _mm512_storeu_ps(to + (4 * i + 3) * step, t[i][1] - t[i][3]);
  }
}

static inline void winograd_inputs(void* context, int index) {
  const WinogradJob* job = (const WinogradJob*)context;
  const Winograd* plan = job->plan;
  const Conv* c = &job->c;
  const bool copied = plan->blocks->copy_x;
  const float* x = copied ? plan->blocks->x : c->x;
  const int64_t step = conv_block_step(&c->x_at, copied, c->h * c->w);
  const int64_t pixel = conv_pixel_step(&c->x_at, copied);
  const int64_t image = copied ? plan->blocks->x_blocks * c->h * c->w * 16 : c->x_at.image;
  const int64_t end = job->count * (index + 1) / job->parts;
  for (int64_t i = job->count * index / job->parts; i < end; ++i) {
    const int64_t tile = job->first + i, n = tile / (plan->down * plan->across);
    const int64_t h0 = tile / plan->across % plan->down * 2 - c->pad;
    const int64_t w0 = tile % plan->across * 2 - c->pad;
    for (int64_t block = 0; block < plan->blocks->x_blocks; ++block) {
      const float* from = x + n * image + block * step;
      __m512 d[4][4];
#pragma GCC unroll 4
      for (int r = 0; r < 4; ++r)
#pragma GCC unroll 4
        for (int s = 0; s < 4; ++s) {
          const int64_t h = h0 + r, w = w0 + s;
          const bool inside = h >= 0 && h < c->h && w >= 0 && w < c->w;
          d[r][s] = _mm512_loadu_ps(inside ? from + (h * c->w + w) * pixel : plan->blocks->zeros);
        }
      winograd_input(d, job->v + i * plan->v_tile + block * 16, plan->v_element);
    }
  }
}

static inline void winograd_products(void* context, int index) {
  const WinogradJob* job = (const WinogradJob*)context;
  const Winograd* plan = job->plan;
  const ConvPlan* blocks = plan->blocks;
  const int64_t pieces = (job->count + kConvPixels - 1) / kConvPixels;
  ConvTile t = {};
  t.zeros = blocks->zeros;
  t.offsets = plan->offsets;
  t.taps = 1;
  t.x_block = 16;
  t.y_pixel = plan->p_tile, t.y_block = 16;
  t.first = 1;
  for (int64_t e = 16 * index / job->parts; e < 16 * (index + 1) / job->parts; ++e) {
    for (int64_t g = 0; g < blocks->count; ++g) {
      const ConvFilters* filters = &blocks->filters[g];
      t.blocks = filters->end - filters->begin;
      t.last_lanes = (int)conv_least(16, job->c.c - (filters->end - 1) * 16);
      t.vecs = filters->vecs;
      t.f = filters->f + e * plan->u_element;
      for (int64_t i = 0; i < pieces; ++i) {
        const int64_t from = job->count * i / pieces;
        t.pixels = (int)(job->count * (i + 1) / pieces - from);
        t.x = job->v + e * plan->v_element + from * plan->v_tile + filters->begin * 16;
        t.y = job->p + e * plan->p_element + from * plan->p_tile + g * blocks->width;
        job->kernel->tile(&t);
      }
    }
  }
}

/// A' m A: the four outputs of a tile.
static inline void winograd_outputs(void* context, int index) {
  const WinogradJob* job = (const WinogradJob*)context;
  const Winograd* plan = job->plan;
  const Conv* c = &job->c;
  const bool copied = plan->blocks->copy_y;
  const int64_t step = conv_block_step(&c->y_at, copied, c->p * c->q);
  const int64_t pixel = conv_pixel_step(&c->y_at, copied);
  const int64_t image = copied ? plan->blocks->y_blocks * c->p * c->q * 16 : c->y_at.image;
  const __m512 zero = _mm512_setzero_ps();
  const int64_t end = job->count * (index + 1) / job->parts;
  for (int64_t i = job->count * index / job->parts; i < end; ++i) {
    const int64_t tile = job->first + i, n = tile / (plan->down * plan->across);
    const int64_t p0 = tile / plan->across % plan->down * 2, q0 = tile % plan->across * 2;
    for (int64_t block = 0; block < plan->blocks->y_blocks; ++block) {
      const float* from = job->p + i * plan->p_tile + block * 16;
      __m512 t[2][4];
#pragma GCC unroll 4
      for (int s = 0; s < 4; ++s) {
        const __m512 m0 = _mm512_loadu_ps(from + s * plan->p_element);
        const __m512 m1 = _mm512_loadu_ps(from + (4 + s) * plan->p_element);
        const __m512 m2 = _mm512_loadu_ps(from + (8 + s) * plan->p_element);
        const __m512 m3 = _mm512_loadu_ps(from + (12 + s) * plan->p_element);
        t[0][s] = m0 + m1 + m2;
        t[1][s] = m1 - m2 - m3;
      }
      float* y = (copied ? plan->blocks->y : c->y) + n * image + block * step;
      const __m512 bias = _mm512_loadu_ps(plan->blocks->bias + block * 16);
      for (int64_t r = 0; r < 2 && p0 + r < c->p; ++r)
        for (int64_t s = 0; s < 2 && q0 + s < c->q; ++s) {
          __m512 sum = s == 0 ? t[r][0] + t[r][1] + t[r][2] : t[r][1] - t[r][2] - t[r][3];
          if (c->relu) {
            sum += bias;
            sum = _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(sum, zero, _CMP_NLE_UQ), sum);
          }
          _mm512_storeu_ps(y + ((p0 + r) * c->q + q0 + s) * pixel, sum);
        }
    }
  }
}

/// By one thread: every so many-th batch, by itself.
static inline void winograd_batches(void* context, int index) {
  WinogradJob job = *(const WinogradJob*)context;
  const Winograd* plan = job.plan;
  const int64_t tiles = job.c.n * plan->down * plan->across;
  const int64_t step = plan->batch * plan->blocks->threads;
  job.v += index * 16 * plan->v_element, job.p += index * 16 * plan->p_element;
  for (job.first = index * plan->batch; job.first < tiles; job.first += step) {
    job.count = conv_least(plan->batch, tiles - job.first);
    winograd_inputs(&job, 0);
    winograd_products(&job, 0);
    winograd_outputs(&job, 0);
  }
}

static inline Status winograd_run(const ConvKernel* kernel, const Launch* launch) {
  const Winograd* plan = (const Winograd*)launch->plan_state;
  const ConvPlan* blocks = plan->blocks;
  WinogradJob job = {kernel, plan, conv_of(launch), 0, 0, plan->v, plan->p, 1};
  ConvJob copies = {kernel, blocks, job.c};
  if (blocks->copy_x) team_run(blocks->threads, conv_copy_in, &copies);
  const int64_t tiles = job.c.n * plan->down * plan->across;
  if (tiles > plan->batch || blocks->threads == 1) {
    team_run(blocks->threads, winograd_batches, &job);
  } else {
    job.count = tiles, job.parts = blocks->threads;
    team_run(blocks->threads, winograd_inputs, &job);
    team_run(blocks->threads, winograd_products, &job);
    team_run(blocks->threads, winograd_outputs, &job);
  }
  if (blocks->copy_y) team_run(blocks->threads, conv_copy_out, &copies);
  return Status();
}

static inline void winograd_release(void* state) {
  Winograd* plan = (Winograd*)state;
  if (plan->blocks) conv_release_blocks(plan->blocks);
  free(plan->v);
  free(plan->p);
  free(plan->u);
  free(plan);
}

/// The packed filters: element by element, each block of filters as the tile reads it.
static inline Status winograd_pack(Winograd* plan, const float* f, size_t* bytes) {
  Status status;
  status.what = "out of memory", status.expression = "winograd_pack";
  ConvPlan* blocks = plan->blocks;
  const Conv* v = &blocks->v;
  const int64_t filters = v->m * v->group_c;
  plan->u_element = 0;
  for (int64_t g = 0; g < blocks->count; ++g)
    plan->u_element += (blocks->filters[g].end - blocks->filters[g].begin) * 16 * blocks->width;
  size_t scratch = 0;
  float* natural = conv_floats(16 * filters, &scratch);
  plan->u = conv_floats(16 * plan->u_element, bytes);
  if (natural && plan->u) {
    for (int64_t i = 0; i < filters; ++i) winograd_filter(f + 9 * i, natural + i, filters);
    for (int64_t e = 0; e < 16; ++e) {
      float* to = plan->u + e * plan->u_element;
      for (int64_t g = 0; g < blocks->count; ++g) {
        ConvFilters* seen = &blocks->filters[g];
        if (e == 0) seen->f = to;
        conv_pack_filters(blocks, g, natural + e * filters, 1, to);
        to += (seen->end - seen->begin) * 16 * blocks->width;
      }
    }
    status = Status();
  }
  free(natural);
  return status;
}

static inline Status winograd_prepare(const ConvKernel* kernel, const Shape* shape, Plan* out) {
  Status status;
  status.what = "out of memory", status.expression = "winograd_prepare";
  Winograd* plan = (Winograd*)calloc(1, sizeof(Winograd));
  if (!plan) return status;
  Plan inner = {};
  const Status made = conv_prepare_blocks(kernel, shape, shape->threads, &inner);
  plan->blocks = (ConvPlan*)inner.state;
  out->state = plan;
  out->release = winograd_release;
  if (!made.ok()) return made;
  const Conv* v = &plan->blocks->v;
  plan->down = (v->p + 1) / 2, plan->across = (v->q + 1) / 2;
  plan->v_tile = plan->blocks->x_blocks * 16, plan->p_tile = plan->blocks->y_blocks * 16;
  const int64_t wider = plan->v_tile > plan->p_tile ? plan->v_tile : plan->p_tile;
  // Weights are read once a batch, so that a batch is not small either. As many batches as threads, or a multiple.
  const int64_t tiles = v->n * plan->down * plan->across, threads = plan->blocks->threads;
  plan->batch = kWinogradBytes / (wider * 64) / kConvPixels * kConvPixels;
  if (plan->batch < kWinogradLeast * kConvPixels) plan->batch = kWinogradLeast * kConvPixels;
  const int64_t batches = (tiles + plan->batch - 1) / plan->batch;
  const int64_t rounds = (batches + threads - 1) / threads * (batches > 1 ? threads : 1);
  plan->batch = (tiles + rounds - 1) / rounds;
  // A line more than a power of two, so that the 16 elements do not meet in the same sets of the L1.
  plan->v_element = plan->batch * plan->v_tile + 16;
  plan->p_element = plan->batch * plan->p_tile + 16;
  size_t bytes = inner.workspace_bytes;
  plan->v = conv_floats(threads * 16 * plan->v_element, &bytes);
  plan->p = conv_floats(threads * 16 * plan->p_element, &bytes);
  for (int i = 0; i < kConvPixels; ++i) plan->offsets[i] = (int32_t)(i * plan->v_tile);
  if (!plan->v || !plan->p) return status;
  const Status packed =
      winograd_pack(plan, (const float*)((const ConvConstants*)shape->constants)->f, &bytes);
  out->workspace_bytes = bytes;
  return packed;
}

}  // namespace ridge
