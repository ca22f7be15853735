// The element-wise work itself. The including file has said, in namespace ridge, what an `Item` in memory is and
// read(Item), write(float) and join(Item, Item), an item of one or two, beside what tile.h needs. It is compiled
// for one instruction set, whose vectors the compiler uses.
#pragma once

#include <math.h>
#include <string.h>

#include "kernels/runtime/networks/tile.h"

namespace ridge {

/// What is narrow in memory is rounded as it is written.
static inline Item put(float x, Rounding rounded) {
  return write(sizeof(Item) < 4 || rounded.is_identity ? x : round_to(x, rounded));
}

static void widen(const uint8_t* pixels, int64_t count, Rounding rounded, void* out) {
  Item* to = (Item*)out;
  for (int64_t i = 0; i < count; ++i) {
    const float x = ((float)pixels[i] - kPixelMean) * (1 / kPixelDeviation);
    to[i] = put(x, rounded);
  }
}

/// Elements of an item.
enum { kPair = 4 / sizeof(Item) };

static void transpose(const void* w, int64_t stride, int64_t rows, int64_t chunks, int64_t chunk, int64_t width,
                      void* panel) {
  enum { kLine = 16 };  // items of a line of the cache
  const int64_t steps = (chunk + kPair - 1) / kPair;
  for (int64_t t = 0; t < chunks; ++t) {
    for (int64_t p0 = 0; p0 < steps; p0 += kLine) {
      const int64_t p1 = p0 + kLine < steps ? p0 + kLine : steps;
      uint32_t* to = (uint32_t*)panel + (t * steps + p0) * width;
      for (int64_t j = 0; j < width; ++j) {
        const Item* from = (const Item*)w + j * stride + t * chunk;
        for (int64_t p = p0; p < p1; ++p)
          to[(p - p0) * width + j] =
              j >= rows ? 0
                        : join(from[p * kPair],
                               kPair * (p + 1) <= chunk ? from[p * kPair + kPair - 1] : Item());
      }
    }
  }
}

static void pack(const void* x, int64_t stride, int64_t rows, int64_t columns, int64_t steps,
                 int64_t width, void* panel) {
  uint32_t* to = (uint32_t*)panel;
  for (int64_t p = 0; p < steps; ++p, to += width) {
    const int64_t has = rows - p * kPair, filled = has > 0 ? columns : 0;
    const Item* from = (const Item*)x + p * kPair * stride;
    // An odd last row is paired with zeros.
    for (int64_t j = 0; j < filled; ++j)
      to[j] = join(from[j], kPair == 1 || has > 1 ? from[(kPair - 1) * stride + j] : Item());
    for (int64_t j = filled; j < width; ++j) to[j] = 0;
  }
}

static void pair(const void* x, int64_t count, int64_t apart, void* items) {
  const Item* from = (const Item*)x;
  for (int64_t i = 0; i < count; ++i) ((uint32_t*)items)[i] = join(from[i], from[i + apart]);
}

static void frame(const void* x, int side, int channels, int padded, void* to) {
  const Item* from = (const Item*)x;
  Item* out = (Item*)to;
  const int64_t line = (int64_t)(side + 2) * padded;
  memset(out, 0, sizeof(Item) * (size_t)line);
  memset(out + (side + 1) * line, 0, sizeof(Item) * (size_t)line);
  for (int row = 0; row < side; ++row) {
    out += line;
    for (int c = 0; c < padded; ++c) out[c] = out[line - padded + c] = Item();
    if (padded == channels) {
      memcpy(out + padded, from, sizeof(Item) * (size_t)(side * channels));
      from += side * channels;
      continue;
    }
    for (int column = 1; column <= side; ++column, from += channels) {
      for (int c = 0; c < padded; ++c) out[column * padded + c] = c < channels ? from[c] : Item();
    }
  }
}

static void finish(const float* sum, int64_t acc_stride, int64_t rows, int columns, const float* bias, bool relu,
                   Rounding rounded, void* y, int64_t y_stride) {
  for (int64_t i = 0; i < rows; ++i, sum += acc_stride) {
    Item* row = (Item*)y + i * y_stride;
    if (!bias) {
#pragma GCC ivdep
      for (int j = 0; j < columns; ++j) row[j] = put(sum[j], rounded);
      continue;
    }
#pragma GCC ivdep
    for (int j = 0; j < columns; ++j) {
      const float x = sum[j] + bias[j];
      row[j] = put(relu && x < 0 ? 0 : x, rounded);
    }
  }
}

static void operand(const void* x, int64_t count, Rounding rounded, float scale, void* to) {
  const float back = 1 / scale;
  for (int64_t i = 0; i < count; ++i) {
    ((Item*)to)[i] = write(round_to(read(((const Item*)x)[i]) * scale, rounded) * back);
  }
}

static float most(const void* x, int64_t count) {
  float high = 0;
  for (int64_t i = 0; i < count; ++i) {
    const float a = fabsf(read(((const Item*)x)[i]));
    high = a > high ? a : high;
  }
  return high;
}

static void pool(const void* x, int side, int channels, int64_t images, void* y) {
  const int64_t line = (int64_t)side * channels;
  const Item* __restrict from = (const Item*)x;
  Item* __restrict to = (Item*)y;
  for (int64_t at = 0; at < images * (side / 2); ++at, from += 2 * line) {
    for (int column = 0; column < side / 2; ++column, to += channels) {
      const Item* __restrict p = from + 2 * column * channels;
#pragma GCC ivdep
      for (int c = 0; c < channels; ++c) {
        const float a = read(p[c]), b = read(p[channels + c]);
        const float d = read(p[line + c]), e = read(p[line + channels + c]);
        const float above = a > b ? a : b, below = d > e ? d : e, sum = (a + b) + (d + e);
        const float high = above > below ? above : below, kept = high > 0 ? high : 0;
        // NaN must come through: a diverged network has to show as one.
        to[c] = write(sum != sum ? sum : kept);
      }
    }
  }
}

static void unpool(const void* x, const void* y, const void* dy, int side, int channels,
                   int64_t images, void* dx) {
  const int64_t line = (int64_t)side * channels;
  const Item* __restrict high = (const Item*)y, * __restrict slope = (const Item*)dy;
  for (int64_t at = 0; at < images * (side / 2); ++at) {
    for (int column = 0; column < side / 2; ++column, high += channels, slope += channels) {
      const int64_t p = 2 * (at * line + column * channels);
      const Item* __restrict from = (const Item*)x + p;
      Item* __restrict to = (Item*)dx + p;
#pragma GCC ivdep
      for (int c = 0; c < channels; ++c) {
        const float m = read(high[c]), by_y = read(slope[c]), g = m > 0 ? by_y : 0;
        const float a = read(from[c]), b = read(from[channels + c]), d = read(from[line + c]);
        // What is left of it for those behind.
        const float after_a = a == m ? 0 : g, after_b = b == m ? 0 : after_a;
        to[c] = write(a == m ? g : 0);
        to[c + channels] = write(b == m ? after_a : 0);
        to[c + line] = write(d == m ? after_b : 0);
        to[c + line + channels] = write(d == m ? 0 : after_b);
      }
    }
  }
}

static void mask(const void* y, int64_t count, void* dy) {
  Item* slope = (Item*)dy;
  for (int64_t i = 0; i < count; ++i) slope[i] = read(((const Item*)y)[i]) > 0 ? slope[i] : Item();
}

static double softmax(void* scores, const uint8_t* labels, int64_t rows, int classes, float scale,
                      Rounding rounded, int64_t* right) {
  double loss = 0;
  for (int64_t i = 0; i < rows; ++i) {
    Item* row = (Item*)scores + i * classes;
    float value[16] = {}, high = read(row[0]), sum = 0;
    int best = 0;
    for (int c = 0; c < classes; ++c) {
      value[c] = read(row[c]);
      if (value[c] > high) high = value[c], best = c;
    }
    const float of_label = value[labels[i]] - high;
    for (int c = 0; c < classes; ++c) sum += value[c] = expf(value[c] - high);
    loss += (double)(logf(sum) - of_label);
    *right += best == labels[i] ? 1 : 0;
    for (int c = 0; c < classes; ++c) {
      const float g = (value[c] / sum - (c == labels[i] ? 1.0f : 0.0f)) * scale;
      row[c] = put(g, rounded);
    }
  }
  return loss;
}

static void sum_rows(const void* y, int64_t rows, int columns, float* sum) {
  const Item* from = (const Item*)y;
  // Four rows at a time: each sum waits for itself only once.
  for (int64_t i = 0; i < rows; i += 4, from += 4 * columns) {
    for (int j = 0; j < columns && i + 4 <= rows; ++j)
      sum[j] += (read(from[j]) + read(from[columns + j])) +
                (read(from[2 * columns + j]) + read(from[3 * columns + j]));
    for (int64_t r = 0; i + 4 > rows && r < rows - i; ++r) {
      for (int j = 0; j < columns; ++j) sum[j] += read(from[r * columns + j]);
    }
  }
}

static void settle(const float* sums, int64_t stride, int64_t count, Rounding rounded, bool adds,
                   bool narrow, float* gradient) {
  for (int64_t i = 0; i < count && stride == 1 && !adds; ++i)
    gradient[i] = rounded.is_identity ? sums[i] : round_to(sums[i], rounded);
  if (stride == 1 && !adds) return;
  for (int64_t i = 0; i < count; ++i) {
    const float sum = sums[i * stride];
    const float part = rounded.is_identity ? sum : round_to(sum, rounded);
    const float all = adds ? gradient[i] + part : part;
    gradient[i] = narrow && adds ? round_to(all, rounded) : all;
  }
}

static void store(const float* values, int64_t count, Rounding rounded, void* out) {
  for (int64_t i = 0; i < count; ++i) {
    ((Item*)out)[i] = put(values[i], rounded);
  }
}

static void count_exponents(const void* x, int64_t count, int64_t* exponents, int64_t* zeros) {
  for (int64_t i = 0; i < count; ++i) {
    const float value = read(((const Item*)x)[i]);
    uint32_t bits;
    __builtin_memcpy(&bits, &value, sizeof(bits));
    const int place = (int)(bits >> 23 & 0xff) - 127 - kMinExponent;
    if ((bits & 0x7fffffff) == 0)
      ++*zeros;
    else
      ++exponents[place < 0 ? 0 : place >= kExponents ? kExponents - 1 : place];
  }
}

static bool update(const SgdStep* step, int64_t count, const float* gradient, float* velocity,
                   float* weight) {
  const SgdStep s = *step;
  uint32_t beyond = 0;
  for (int64_t i = 0; i < count; ++i) {
    const float g = gradient[i] * s.unscale;
    float v = s.momentum * velocity[i] + g, w;
    if (s.rounded.is_identity) {
      w = weight[i] - s.rate * v;
    } else {
      v = round_to(round_to(s.momentum * velocity[i], s.rounded) + round_to(g, s.rounded),
                   s.rounded);
      w = round_to(weight[i] - round_to(s.rate * v, s.rounded), s.rounded);
    }
    velocity[i] = v, weight[i] = w;
    beyond |= w - w == 0 ? 0 : 1;
  }
  return beyond == 0;
}

}  // namespace ridge

/// Defines the table; the including file has its name.
#define RIDGE_MIXED_OPS(name)                         \
  extern const MixedOps name;                         \
  const MixedOps name = {sizeof(Item),                \
                         kRows,                       \
                         kLanes,                      \
                         tile,                        \
                         transpose,                   \
                         pack,                        \
                         kPair == 1 ? nullptr : pair, \
                         frame,                       \
                         widen,                       \
                         finish,                      \
                         operand,                     \
                         most,                        \
                         pool,                        \
                         unpool,                      \
                         mask,                        \
                         softmax,                     \
                         sum_rows,                    \
                         settle,                      \
                         store,                       \
                         count_exponents,             \
                         update};
