// Winograd's F(m x m, 3 x 3) around the register tile of avx512.cpp: the transforms of patches of (m + 2) x (m + 2), in
// AVX-512, and the loops. The including file has said, in namespace ridge,
//
//   kWinogradTile                  m: outputs of a tile, each way
//   kWinogradChannels              the fewest channels that a filter may see (of fewer, the direct tile is right)
//   filter_row(g, u)  input_row(d, v)  output_row(p, y)
//                                  what G, B' and A' make of 3, m + 2 and m + 2 numbers: applied to rows and columns
//
// Tiles go in batches whose transforms stay in the caches; for a batch
//
//   V[e][tile][channel]  = element e of B' x B
//   P[e][tile][filter]   = V[e] times U[e], packed
//   y                    = A' P A of each tile
//
// Threads take batches, each with a V and a P of its own, which no other core ever reads: 64 channels at 56 x 56 on two
// cores, F(2 x 2), 0.63 of oneDNN's F(4 x 4), where two threads on each batch had made 0.26. Where there is not one for
// each, they share one: its tiles, its elements, its tiles again.
//
// C-like, static only: ISA-flagged files include it.
#pragma once

#include <immintrin.h>
#include <stdio.h>

#include "kernels/conv/rungs/blocks_plan.h"

namespace ridge {

extern const ConvKernel conv_avx512;  // avx512.cpp

static constexpr int kPatch = kWinogradTile + 2, kElements = kPatch * kPatch;

typedef struct {
  ConvPlan* blocks;             ///< layouts, copies, which channels a block of filters sees
  int64_t down, across, batch;  ///< tiles of an image; tiles of a batch
  int64_t v_tile, v_element, p_tile, p_element;  ///< strides in floats
  int64_t u_element;                             ///< from element to element of the packed filters
  float *v, *p, *u;
  int32_t offsets[kConvPixels];
} Winograd;

typedef struct {
  const Winograd* plan;
  Conv c;
  int64_t first, count;  ///< tiles of this batch
  float *v, *p;
  int parts;  ///< threads that share it
} WinogradJob;

/// V and P of a batch: half of a 1 MiB L2 each. 256 KiB made no difference that noise did not.
static constexpr int64_t kWinogradBytes = 512 * 1024, kWinogradMin = 8;

/// U = G f G', written to element e at u + e * step. Rounded once.
static inline void winograd_filter(const float* f, float* u, int64_t step) {
  double columns[3][kPatch];
  for (int j = 0; j < 3; ++j) {
    const double column[] = {f[j], f[3 + j], f[6 + j]};
    filter_row(column, columns[j]);
  }
  for (int i = 0; i < kPatch; ++i) {
    const double row[] = {columns[0][i], columns[1][i], columns[2][i]};
    double of_row[kPatch];
    filter_row(row, of_row);
    for (int j = 0; j < kPatch; ++j) u[(kPatch * i + j) * step] = (float)of_row[j];
  }
}

/// B' d B of the patch whose elements lie at from + offset; where that is below 0, outside the image.
static inline __attribute__((always_inline)) void winograd_input(const float* from,
                                                                 const int32_t* offset,
                                                                 const float* zeros, float* to,
                                                                 int64_t step) {
  __m512 t[kPatch][kPatch], d[kPatch], v[kPatch];
#pragma GCC unroll 6
  for (int s = 0; s < kPatch; ++s) {
#pragma GCC unroll 6
    for (int r = 0; r < kPatch; ++r) {
      const int32_t at = offset[r * kPatch + s];
      d[r] = _mm512_loadu_ps(at >= 0 ? from + at : zeros);
    }
    input_row(d, v);
#pragma GCC unroll 6
    for (int i = 0; i < kPatch; ++i) t[i][s] = v[i];
  }
#pragma GCC unroll 6
  for (int i = 0; i < kPatch; ++i) {
    input_row(t[i], v);
#pragma GCC unroll 6
    for (int j = 0; j < kPatch; ++j) _mm512_storeu_ps(to + (kPatch * i + j) * step, v[j]);
  }
}

/// A' P A of the tile whose element e lies at from + e * step.
static inline __attribute__((always_inline)) void winograd_output(
    const float* from, int64_t step, __m512 y[kWinogradTile][kWinogradTile]) {
  __m512 t[kWinogradTile][kPatch], p[kPatch], acc[kWinogradTile];
#pragma GCC unroll 6
  for (int s = 0; s < kPatch; ++s) {
#pragma GCC unroll 6
    for (int r = 0; r < kPatch; ++r) p[r] = _mm512_loadu_ps(from + (kPatch * r + s) * step);
    output_row(p, acc);
#pragma GCC unroll 6
    for (int i = 0; i < kWinogradTile; ++i) t[i][s] = acc[i];
  }
#pragma GCC unroll 6
  for (int i = 0; i < kWinogradTile; ++i) output_row(t[i], y[i]);
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
    const int64_t h0 = tile / plan->across % plan->down * kWinogradTile - c->pad;
    const int64_t w0 = tile % plan->across * kWinogradTile - c->pad;
    int32_t offset[kElements];
    for (int e = 0; e < kElements; ++e) {
      const int64_t h = h0 + e / kPatch, w = w0 + e % kPatch;
      const bool inside = h >= 0 && h < c->h && w >= 0 && w < c->w;
      offset[e] = inside ? (int32_t)((h * c->w + w) * pixel) : -1;
    }
    float* to = job->v + i * plan->v_tile;
    for (int64_t block = 0; block < plan->blocks->x_blocks; ++block) {
      const float* from = x + n * image + block * step;
      // The next tile's columns: runs of 256 bytes in six rows are too short for the CPU to see coming. With that
      // below, 1.10x [1.07, 1.11] at 64 channels on 56 x 56, 1.03x at 128 on 28 x 28.
#pragma GCC unroll 6
      for (int r = 0; r < kPatch; ++r)
#pragma GCC unroll 6
        for (int s = 2; s < kPatch; ++s)
          __builtin_prefetch(from + offset[r * kPatch + s] + kWinogradTile * pixel);
      winograd_input(from, offset, plan->blocks->zeros, to + block * 16, plan->v_element);
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
  for (int64_t e = kElements * index / job->parts; e < kElements * (index + 1) / job->parts; ++e) {
    for (int64_t g = 0; g < blocks->count; ++g) {
      const ConvFilters* filters = &blocks->filters[g];
      t.blocks = filters->end - filters->begin;
      t.last_lanes = (int)conv_min(16, job->c.c - (filters->end - 1) * 16);
      t.vecs = filters->vecs;
      t.f = filters->f + e * plan->u_element;
      for (int64_t i = 0; i < pieces; ++i) {
        const int64_t from = job->count * i / pieces;
        t.pixels = (int)(job->count * (i + 1) / pieces - from);
        t.x = job->v + e * plan->v_element + from * plan->v_tile + filters->begin * 16;
        t.y = job->p + e * plan->p_element + from * plan->p_tile + g * blocks->width;
        conv_avx512.tile(&t);
      }
    }
  }
}

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
    const int64_t p0 = tile / plan->across % plan->down * kWinogradTile;
    const int64_t q0 = tile % plan->across * kWinogradTile;
    const int64_t rows = conv_min(kWinogradTile, c->p - p0);
    const int64_t columns = conv_min(kWinogradTile, c->q - q0);
    for (int64_t block = 0; block < plan->blocks->y_blocks; ++block) {
      __m512 acc[kWinogradTile][kWinogradTile];
      winograd_output(job->p + i * plan->p_tile + block * 16, plan->p_element, acc);
      float* y = (copied ? plan->blocks->y : c->y) + n * image + block * step;
      const __m512 bias = _mm512_loadu_ps(plan->blocks->bias + block * 16);
#pragma GCC unroll 6
      for (int r = 0; r < kWinogradTile; ++r)
#pragma GCC unroll 6
        for (int s = 0; s < kWinogradTile; ++s)
          __builtin_prefetch(y + ((p0 + r) * c->q + q0 + s + kWinogradTile) * pixel, 1);
#pragma GCC unroll 6
      for (int r = 0; r < kWinogradTile; ++r)
#pragma GCC unroll 6
        for (int s = 0; s < kWinogradTile; ++s) {
          if (r >= rows || s >= columns) continue;
          __m512 sum = acc[r][s];
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
  job.v += index * kElements * plan->v_element, job.p += index * kElements * plan->p_element;
  for (job.first = index * plan->batch; job.first < tiles; job.first += step) {
    job.count = conv_min(plan->batch, tiles - job.first);
    winograd_inputs(&job, 0);
    winograd_products(&job, 0);
    winograd_outputs(&job, 0);
  }
}

/// Others: the direct tile, and a note that says so. Of three pixels of padding an output sees nothing of the image
/// and is zero, which sums of its neighbours are only nearly.
static inline bool winograd_fits(const Conv* v) {
  return v->r == 3 && v->s == 3 && v->stride == 1 && v->pad < 3 && v->group_c >= kWinogradChannels;
}

static inline Status winograd_launch(const Launch& launch) {
  const Conv v = conv_of(&launch);
  if (!winograd_fits(&v)) return conv_run_blocks(&conv_avx512, &launch);
  const Winograd* plan = (const Winograd*)launch.plan_state;
  const ConvPlan* blocks = plan->blocks;
  WinogradJob job = {plan, v, 0, 0, plan->v, plan->p, 1};
  ConvJob copies = {&conv_avx512, blocks, job.c};
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
  float* natural = conv_floats(kElements * filters, &scratch);
  plan->u = conv_floats(kElements * plan->u_element, bytes);
  if (natural && plan->u) {
    for (int64_t i = 0; i < filters; ++i) winograd_filter(f + 9 * i, natural + i, filters);
    for (int64_t e = 0; e < kElements; ++e) {
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

static inline Status winograd_prepare(const Shape& shape, Plan* out) {
  Status status;
  status.what = "out of memory", status.expression = "winograd_prepare";
  const Conv asked = conv_shape(&shape);
  if (!winograd_fits(&asked)) {
    snprintf(out->note, sizeof out->note,
             "the direct tile: F(%dx%d, 3x3) takes 3 x 3 filters of %d channels or more, stride 1, "
             "padding to 2",
             kWinogradTile, kWinogradTile, kWinogradChannels);
    return conv_prepare_blocks(&conv_avx512, &shape, shape.threads, out);
  }
  Winograd* plan = (Winograd*)calloc(1, sizeof(Winograd));
  if (!plan) return status;
  Plan inner = {};
  const Status made = conv_prepare_blocks(&conv_avx512, &shape, shape.threads, &inner);
  plan->blocks = (ConvPlan*)inner.state;
  out->state = plan;
  out->release = winograd_release;
  if (!made.ok()) return made;
  const Conv* v = &plan->blocks->v;
  plan->down = (v->p + kWinogradTile - 1) / kWinogradTile;
  plan->across = (v->q + kWinogradTile - 1) / kWinogradTile;
  plan->v_tile = plan->blocks->x_blocks * 16, plan->p_tile = plan->blocks->y_blocks * 16;
  const int64_t wider = plan->v_tile > plan->p_tile ? plan->v_tile : plan->p_tile;
  // Weights are read once a batch, so that a batch is not small either. As many batches as threads, or a multiple.
  const int64_t tiles = v->n * plan->down * plan->across, threads = plan->blocks->threads;
  plan->batch = kWinogradBytes / (wider * kElements * 4) / kConvPixels * kConvPixels;
  if (plan->batch < kWinogradMin * kConvPixels) plan->batch = kWinogradMin * kConvPixels;
  const int64_t batches = (tiles + plan->batch - 1) / plan->batch;
  const int64_t rounds = (batches + threads - 1) / threads * (batches > 1 ? threads : 1);
  plan->batch = (tiles + rounds - 1) / rounds;
  // A line more than a power of two, so that the elements do not meet in the same sets of the L1.
  plan->v_element = plan->batch * plan->v_tile + 16;
  plan->p_element = plan->batch * plan->p_tile + 16;
  size_t bytes = inner.workspace_bytes;
  plan->v = conv_floats(threads * kElements * plan->v_element, &bytes);
  plan->p = conv_floats(threads * kElements * plan->p_element, &bytes);
  for (int i = 0; i < kConvPixels; ++i) plan->offsets[i] = (int32_t)(i * plan->v_tile);
  if (!plan->v || !plan->p) return status;
  const Status packed =
      winograd_pack(plan, (const float*)((const ConvConstants*)shape.constants)->f, &bytes);
  out->workspace_bytes = bytes;
  return packed;
}

}  // namespace ridge
