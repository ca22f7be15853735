// The convolution family's view of a launch: y = x convolved with filters f (a cross-correlation, as every
// network has it).
//
//   y(n, m, p, q) = sum over c, r, s of x(n, c, p * stride + r - pad, q * stride + s - pad) * f(m, c, r, s)
//
//   Shape::dim        see ConvDim. Outside the image x is zero. groups divides c and m: filter m sees the
//                     c / groups channels of its own group only (groups = c = m: depthwise)
//   Shape::constants  the ConvConstants. Filters and bias do not change between calls, as in inference:
//                     prepare() may pack them, untimed; so may the peers'
//   buffers[0]   x, input, laid out as `layout` says
//   buffers[1]   f, input: [m][c / groups][r][s], dense; what Shape::constants holds
//   buffers[2]   bias, input: m numbers; added if relu is set
//   buffers[3]   y, output, laid out as x; arrives filled with poison. With relu: max(0, sum + bias)
//
//   layout  nchw     [n][c][h][w]
//           nhwc     [n][h][w][c]
//           nchw16c  [n][c / 16][h][w][16]: oneDNN's blocks. Channels are filled up to whole blocks; those
//                    of x are zero, those of y have to become zero
//
// All of Shape::dtype (fp32, bf16, fp16); sums are kept in fp32.
//
// ISA-flagged files include this header: nothing with external linkage, no templates, no std::.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/harness/kernel/kernel.h"

namespace ridge {

enum ConvDim {
  kConvN,  ///< images
  kConvC,  ///< channels of x
  kConvH,
  kConvW,
  kConvM,  ///< filters: channels of y
  kConvR,  ///< a filter's height
  kConvS,  ///< and width
  kConvStride,
  kConvPad,
  kConvGroups,
  kConvLayoutDim,
  kConvRelu
};
enum ConvLayout { kConvNchw, kConvNhwc, kConvNchw16c };
enum ConvBuffer { kConvX, kConvF, kConvBias, kConvY };

/// On the host, of Shape::dtype; as long-lived as the problem.
struct ConvConstants {
  const void *f, *bias;
};

/// Where the elements of x or y stand: at n * image + (c >> shift) * outer + (c & mask) + h * row + w * pixel.
struct ConvPlaces {
  int64_t image, outer, row, pixel, mask;
  int shift;
};

struct Conv {
  int64_t n, c, h, w, m, r, s, stride, pad, groups;
  int64_t group_c, group_m;  ///< channels and filters of a group
  int64_t p, q;              ///< height and width of y
  int layout, relu;
  ConvPlaces x_at, y_at;
  const float *x, *f,
      *bias;  ///< typed for fp32; a kernel of another type casts launch.buffers itself
  float* y;
  int threads;
  void* stream;  ///< cudaStream_t on CUDA, null on the CPU
};

/// Channels as stored: whole blocks in nchw16c.
static inline int64_t conv_stored(int64_t channels, int64_t layout) {
  return layout == kConvNchw16c ? (channels + 15) / 16 * 16 : channels;
}

static inline ConvPlaces conv_places(int64_t layout, int64_t channels, int64_t h, int64_t w) {
  ConvPlaces at;
  at.shift = layout == kConvNchw16c ? 4 : 0;
  at.mask = layout == kConvNchw16c ? 15 : 0;
  at.pixel = layout == kConvNhwc ? channels : layout == kConvNchw16c ? 16 : 1;
  at.row = w * at.pixel;
  at.outer = layout == kConvNhwc ? 1 : h * at.row;
  at.image = conv_stored(channels, layout) * h * w;
  return at;
}

static inline int64_t conv_place(const ConvPlaces* at, int64_t n, int64_t c, int64_t h, int64_t w) {
  return n * at->image + (c >> at->shift) * at->outer + (c & at->mask) + h * at->row +
         w * at->pixel;
}

static inline int64_t conv_out(int64_t size, int64_t filter, int64_t stride, int64_t pad) {
  return (size + 2 * pad - filter) / stride + 1;
}

/// Everything but the pointers.
static inline Conv conv_shape(const Shape* shape) {
  const int64_t* dim = shape->dim;
  Conv v = {};
  v.n = dim[kConvN], v.c = dim[kConvC], v.h = dim[kConvH], v.w = dim[kConvW];
  v.m = dim[kConvM], v.r = dim[kConvR], v.s = dim[kConvS];
  v.stride = dim[kConvStride], v.pad = dim[kConvPad], v.groups = dim[kConvGroups];
  v.layout = (int)dim[kConvLayoutDim], v.relu = (int)dim[kConvRelu];
  v.group_c = v.c / v.groups, v.group_m = v.m / v.groups;
  v.p = conv_out(v.h, v.r, v.stride, v.pad);
  v.q = conv_out(v.w, v.s, v.stride, v.pad);
  v.x_at = conv_places(v.layout, v.c, v.h, v.w);
  v.y_at = conv_places(v.layout, v.m, v.p, v.q);
  v.threads = shape->threads;
  return v;
}

static inline Conv conv_of(const Launch* launch) {
  Conv v = conv_shape(&launch->shape);
  v.x = (const float*)launch->buffers[kConvX];
  v.f = (const float*)launch->buffers[kConvF];
  v.bias = (const float*)launch->buffers[kConvBias];
  v.y = (float*)launch->buffers[kConvY];
  v.stream = launch->stream;
  return v;
}

static inline float conv_finish(const Conv* v, int64_t m, float sum) {
  if (!v->relu) return sum;
  sum += v->bias[m];
  return sum <= 0 ? 0 : sum;  // NaN stays
}

}  // namespace ridge
