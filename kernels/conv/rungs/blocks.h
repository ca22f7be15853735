// The loops around the register tile of tile.h, shared by the vectorised rungs.
//
//   for each block of filters (as wide as the tile), for each chunk of channels whose weights fit the L2 cache
//     for each six pixels: one tile
//
// Work on x and y happens in blocks of 16 channels: as they lie in nchw16c, and in nhwc where the channels are
// whole blocks. Else x is copied into blocks before and y out of them afterwards, both timed.
//
// Groups are a dense convolution whose filters are zero outside their group; each block of filters visits the
// channels that some filter of it sees. Depthwise, where one product of 16 or 64 would count, a block is 16 channels
// and the same 16 filters, and vectors of x meet vectors of weights (ConvKernel::each).
//
// ISA-flagged files include this header: C-like, static only.
#pragma once

#include <stdlib.h>

#include "kernels/runtime/cpu/team.h"
#include "kernels/runtime/problems/conv.h"

namespace ridge {

/// One tile: `pixels` pixels times `vecs` vectors of filters, over some blocks of channels.
struct ConvTile {
  const float *x, *zeros;  ///< the image, at its first block of channels; 16 zeros
  const int32_t* offsets;  ///< of each tap, of each pixel: floats from x, below 0 outside the image
  int64_t offsets_tap;     ///< from tap to tap
  int64_t taps, blocks;
  int64_t x_block;  ///< floats between blocks of channels
  int last_lanes;   ///< channels in the last block
  const float* f;   ///< weights: [block][tap][16][filters of a tile]
  float* y;
  int64_t y_pixel, y_block;  ///< floats between pixels, between blocks of 16 filters
  const float* bias;         ///< null: neither bias nor relu
  int pixels, vecs, first;   ///< first: y holds nothing yet
};

struct ConvKernel {
  int lanes, vecs;  ///< of a vector; vectors of filters in a tile
  void (*tile)(const ConvTile* tile);
  void (*each)(const ConvTile* tile);  ///< depthwise, of 16 channels; its weights: [tap][16]
};

static constexpr int kConvPixels = 6;
/// Weights in a chunk of channels: a quarter of a 1 MiB L2, through which x and y pass as well.
static constexpr int64_t kConvChunkBytes = 256 * 1024;

/// A block of filters: what it sees, and where its weights are.
struct ConvFilters {
  int64_t begin, end;  ///< blocks of 16 channels
  int vecs;
  const float* f;
};

struct ConvPlan {
  Conv v;
  int threads;
  int64_t width, count;        ///< filters in a block; blocks of them
  int64_t x_blocks, y_blocks;  ///< of 16 channels
  bool copy_x, copy_y, depthwise;
  ConvFilters* filters;
  int32_t* offsets;  ///< [tap][p][q]
  float *f, *bias, *zeros, *x, *y;
};

struct ConvJob {
  const ConvKernel* kernel;
  const ConvPlan* plan;
  Conv v;
};

static inline bool conv_is_depthwise(const Conv* v) {
  return v->group_c == 1 && v->group_m == 1;
}

/// Weights that a block of filters has for 16 channels.
static inline int64_t conv_block_floats(const ConvPlan* plan) {
  return plan->v.r * plan->v.s * 16 * (plan->depthwise ? 1 : plan->width);
}

static inline int64_t conv_min(int64_t a, int64_t b) {
  return a < b ? a : b;
}

/// Where the tiles find block 0 of x or y, and how far on blocks and pixels are.
static inline int64_t conv_block_step(const ConvPlaces* at, bool copied, int64_t area) {
  return copied || at->shift ? area * 16 : 16;
}
static inline int64_t conv_pixel_step(const ConvPlaces* at, bool copied) {
  return copied ? 16 : at->pixel;
}

/// Work items: (block of filters, piece of the pixels); pieces only where the blocks do not go round.
static inline int64_t conv_pieces(const ConvPlan* plan) {
  return plan->count % plan->threads == 0 ? 1 : plan->threads;
}

static inline void conv_item(const ConvJob* job, int64_t item) {
  const ConvPlan* plan = job->plan;
  const Conv* v = &job->v;
  const int64_t pieces = conv_pieces(plan), area = v->p * v->q, taps = v->r * v->s;
  const int64_t g = item / pieces, piece = item % pieces, all = v->n * area;
  const ConvFilters* filters = &plan->filters[g];
  const int64_t block_floats = conv_block_floats(plan);
  void (*const tile)(const ConvTile*) = plan->depthwise ? job->kernel->each : job->kernel->tile;
  int64_t chunk = kConvChunkBytes / (block_floats * 4);
  chunk = chunk < 1 ? 1 : chunk;
  const int64_t x_image = plan->copy_x ? plan->x_blocks * v->h * v->w * 16 : v->x_at.image;
  const int64_t y_image = plan->copy_y ? plan->y_blocks * area * 16 : v->y_at.image;
  const int64_t y_block = conv_block_step(&v->y_at, plan->copy_y, area);
  ConvTile t;
  t.zeros = plan->zeros;
  t.offsets_tap = area;
  t.taps = taps;
  t.x_block = conv_block_step(&v->x_at, plan->copy_x, v->h * v->w);
  t.y_pixel = conv_pixel_step(&v->y_at, plan->copy_y);
  t.y_block = y_block;
  t.vecs = filters->vecs;
  for (int64_t block = filters->begin; block < filters->end; block += chunk) {
    t.blocks = conv_min(chunk, filters->end - block);
    const int64_t left = v->c - (block + t.blocks - 1) * 16;
    t.last_lanes = (int)conv_min(16, left);
    t.f = filters->f + (block - filters->begin) * block_floats;
    t.first = block == filters->begin;
    t.bias = v->relu && block + t.blocks == filters->end ? plan->bias + g * plan->width : NULL;
    const int64_t last = all * (piece + 1) / pieces;
    for (int64_t at = all * piece / pieces; at < last;) {
      const int64_t n = at / area, pixel = at % area;
      const int64_t count = conv_min(area - pixel, last - at);  // of this image
      const int64_t tiles = (count + kConvPixels - 1) / kConvPixels;
      t.x = (plan->copy_x ? plan->x : v->x) + n * x_image + block * t.x_block;
      float* y = (plan->copy_y ? plan->y : v->y) + n * y_image + g * plan->width / 16 * y_block;
      for (int64_t i = 0; i < tiles; ++i) {  // tiles of nearly equal size
        const int64_t from = pixel + count * i / tiles;
        t.pixels = (int)(pixel + count * (i + 1) / tiles - from);
        t.offsets = plan->offsets + from;
        t.y = y + from * t.y_pixel;
        tile(&t);
      }
      at += count;
    }
  }
}

static inline void conv_items(void* context, int index) {
  const ConvJob* job = (const ConvJob*)context;
  const int64_t items = job->plan->count * conv_pieces(job->plan);
  for (int64_t i = items * index / job->plan->threads; i < items * (index + 1) / job->plan->threads;
       ++i) {
    conv_item(job, i);
  }
}

/// Blocks of 16 channels of x from any layout; of y to any layout.
static inline void conv_copy_in(void* context, int index) {
  const ConvJob* job = (const ConvJob*)context;
  const Conv* v = &job->v;
  const int64_t area = v->h * v->w, blocks = job->plan->x_blocks, count = v->n * blocks;
  for (int64_t i = count * index / job->plan->threads; i < count * (index + 1) / job->plan->threads;
       ++i) {
    float* to = job->plan->x + i * area * 16;
    const int64_t channels = conv_min(16, v->c - i % blocks * 16);
    const float* from = v->x + conv_place(&v->x_at, i / blocks, i % blocks * 16, 0, 0);
    for (int64_t pixel = 0; pixel < area; ++pixel) {
      for (int64_t c = 0; c < 16; ++c)
        to[pixel * 16 + c] = c < channels ? from[c * v->x_at.outer + pixel * v->x_at.pixel] : 0;
    }
  }
}

static inline void conv_copy_out(void* context, int index) {
  const ConvJob* job = (const ConvJob*)context;
  const Conv* v = &job->v;
  const int64_t area = v->p * v->q, blocks = job->plan->y_blocks, count = v->n * blocks;
  for (int64_t i = count * index / job->plan->threads; i < count * (index + 1) / job->plan->threads;
       ++i) {
    const float* from = job->plan->y + i * area * 16;
    const int64_t channels = conv_min(16, v->m - i % blocks * 16);
    float* to = v->y + conv_place(&v->y_at, i / blocks, i % blocks * 16, 0, 0);
    for (int64_t pixel = 0; pixel < area; ++pixel) {
      for (int64_t c = 0; c < channels; ++c)
        to[c * v->y_at.outer + pixel * v->y_at.pixel] = from[pixel * 16 + c];
    }
  }
}

static inline Status conv_run_blocks(const ConvKernel* kernel, const Launch* launch) {
  ConvJob job;
  job.kernel = kernel;
  job.plan = (const ConvPlan*)launch->plan_state;
  job.v = conv_of(launch);
  if (job.plan->copy_x) team_run(job.plan->threads, conv_copy_in, &job);
  team_run(job.plan->threads, conv_items, &job);
  if (job.plan->copy_y) team_run(job.plan->threads, conv_copy_out, &job);
  return Status();
}

}  // namespace ridge
