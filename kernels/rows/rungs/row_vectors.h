// A row by vectors: what the AVX2 and AVX-512 rungs of rows and chain share. The including file has said,
// inside namespace ridge,
//   Vec, kLanes                          its vector of floats
//   load store stream (aligned) broadcast maximum fma(a, b, c)
//   exp_of         e^x for x up to 60, within 8 units in the last place; 0 for -inf
//   kGeluScale, GeluTable, gelu_table(), gelu_all(table, v, count)   gelu(x) from kGeluScale x, up to four
//                                  vectors at once; the table is what that keeps in registers
//   load_some(p, count, fill), store_some(p, count, v)   for the end of a row: count < kLanes
// and gets vector_row(). Each row is gone over two or three times; only the first time does it come from
// memory, if the cores' own caches hold it. ISA-flagged files include this: static only.
#pragma once

#include "kernels/runtime/cpu/row_task.h"

namespace ridge {

/// Elements a step: four sums, since an addition takes 4 cycles, and two may start in one.
static const int kStep = 4 * (int)kLanes;

/// What a pass does with each element; `c0`, `c1` are the row's statistics.
enum Pass {
  kPassMaximum,
  kPassExpSum,
  kPassSum,
  kPassVariance,
  kPassSquares,
  kPassBiasSum,
  kPassBiasVariance,
  kPassSoftmax,
  kPassLayerNorm,
  kPassRmsNorm,
  kPassGelu,
  kPassChain
};

/// The element's part in a sum or maximum, or its result. weight and bias are read where they count.
static inline __attribute__((always_inline)) Vec element(enum Pass pass, Vec x, Vec weight,
                                                         Vec bias, Vec c0, Vec c1) {
  switch (pass) {
    case kPassMaximum:
    case kPassSum:
      return x;
    case kPassExpSum:
      return exp_of(x - c0);
    case kPassVariance:
      return (x - c0) * (x - c0);
    case kPassSquares:
      return x * x;
    case kPassBiasSum:
      return x + bias;
    case kPassBiasVariance:
      return (x + bias - c0) * (x + bias - c0);
    case kPassSoftmax:
      return exp_of(x - c0) * c1;
    case kPassLayerNorm:
      return fma((x - c0) * c1, weight, bias);
    case kPassRmsNorm:
      return x * c1 * weight;
    case kPassGelu:  // gelu_all() follows, and after kPassChain
      return x * broadcast(kGeluScale);
    case kPassChain:
      return (x + bias - c0) * c1 * weight;
  }
  return x;
}

static inline __attribute__((always_inline)) Vec element_at(enum Pass pass, const RowTask* t,
                                                            int64_t j, Vec c0, Vec c1) {
  const bool biased = pass == kPassBiasSum || pass == kPassBiasVariance || pass == kPassChain;
  const bool weighted = pass == kPassLayerNorm || pass == kPassRmsNorm || pass == kPassChain;
  const Vec zero = broadcast(0.0f);
  return element(pass, load(t->x + j), weighted ? load(t->weight + j) : zero,
                 biased || pass == kPassLayerNorm ? load(t->bias + j) : zero, c0, c1);
}

/// The last elements of a row, fewer than a vector; `fill` stands where there are none.
static inline __attribute__((always_inline)) Vec element_end(enum Pass pass, const RowTask* t,
                                                             int64_t j, int count, float fill,
                                                             Vec c0, Vec c1) {
  return element(pass, load_some(t->x + j, count, fill), load_some(t->weight + j, count, 0),
                 load_some(t->bias + j, count, 0), c0, c1);
}

static inline float lanes_of(Vec v, bool is_maximum) {
  float lane[kLanes];
  store(lane, v);
  float result = lane[0];
  for (int i = 1; i < kLanes; ++i) {
    if (!is_maximum)
      result += lane[i];
    else if (lane[i] > result)
      result = lane[i];
  }
  return result;
}

static inline __attribute__((always_inline)) Vec gather(enum Pass pass, Vec into, Vec v) {
  return pass == kPassMaximum ? maximum(into, v) : into + v;
}

/// Sum or maximum over the row, `a` standing for the mean or maximum where the pass needs one.
static inline __attribute__((always_inline)) float reduce(enum Pass pass, const RowTask* t,
                                                          float a) {
  const Vec c0 = broadcast(a), start = broadcast(pass == kPassMaximum ? -__builtin_inff() : 0.0f);
  Vec s0 = start, s1 = start, s2 = start, s3 = start;
  int64_t j = 0;
  for (; j + kStep <= t->n; j += kStep) {
    s0 = gather(pass, s0, element_at(pass, t, j, c0, c0));
    s1 = gather(pass, s1, element_at(pass, t, j + kLanes, c0, c0));
    s2 = gather(pass, s2, element_at(pass, t, j + 2 * kLanes, c0, c0));
    s3 = gather(pass, s3, element_at(pass, t, j + 3 * kLanes, c0, c0));
  }
  for (; j + kLanes <= t->n; j += kLanes) s0 = gather(pass, s0, element_at(pass, t, j, c0, c0));
  float rest = pass == kPassMaximum ? -__builtin_inff() : 0.0f;
  if (j < t->n) {
    float lane[kLanes];
    store(lane,
          element_end(pass, t, j, (int)(t->n - j), pass == kPassMaximum ? rest : 0.0f, c0, c0));
    for (int i = 0; i < t->n - j; ++i) {
      if (pass != kPassMaximum)
        rest += lane[i];
      else if (lane[i] > rest)
        rest = lane[i];
    }
  }
  const float all =
      lanes_of(gather(pass, gather(pass, s0, s1), gather(pass, s2, s3)), pass == kPassMaximum);
  if (pass != kPassMaximum) return all + rest;
  return all > rest ? all : rest;
}

typedef struct {
  float mean, variance;
} Moments;

/// Mean and variance in one pass: sums of x - k and of its square, k being the mean of the row's first
/// elements. Where k is far from the mean after all, squares would cancel: then a second pass.
static inline __attribute__((always_inline)) Moments moments(enum Pass sum, enum Pass variance,
                                                             const RowTask* t) {
  const float n = (float)t->n;
  RowTask start = *t;
  if (start.n > kStep) start.n = kStep;
  const float k = reduce(sum, &start, 0) / (float)start.n;
  Moments m = {k, 0};
  if (t->n > kStep) {
    const Vec c0 = broadcast(k), zero = broadcast(0.0f);
    Vec s0 = zero, s1 = zero, s2 = zero, s3 = zero, q0 = zero, q1 = zero, q2 = zero, q3 = zero;
    int64_t j = 0;
    for (; j + kStep <= t->n; j += kStep) {
      const Vec v0 = element_at(sum, t, j, c0, c0) - c0;
      const Vec v1 = element_at(sum, t, j + kLanes, c0, c0) - c0;
      const Vec v2 = element_at(sum, t, j + 2 * kLanes, c0, c0) - c0;
      const Vec v3 = element_at(sum, t, j + 3 * kLanes, c0, c0) - c0;
      s0 += v0, s1 += v1, s2 += v2, s3 += v3;
      q0 = fma(v0, v0, q0), q1 = fma(v1, v1, q1), q2 = fma(v2, v2, q2), q3 = fma(v3, v3, q3);
    }
    RowTask rest = *t;  // fewer than kStep elements
    rest.x += j, rest.weight += j, rest.bias += j, rest.n -= j;
    const float tail = rest.n > 0 ? reduce(sum, &rest, 0) - k * (float)rest.n : 0;
    const float squares = rest.n > 0 ? reduce(variance, &rest, k) : 0;
    const float off = (lanes_of((s0 + s1) + (s2 + s3), false) + tail) / n;
    m.mean = k + off;
    m.variance = (lanes_of((q0 + q1) + (q2 + q3), false) + squares) / n - off * off;
    if (off * off <= 16 * m.variance) return m;
  }
  m.variance = reduce(variance, t, m.mean) / n;
  return m;
}

/// y from x, the statistics being known.
static inline __attribute__((always_inline)) void write(enum Pass pass, const RowTask* t, float a,
                                                        float b) {
  const Vec c0 = broadcast(a), c1 = broadcast(b);
  const bool has_gelu = pass == kPassGelu || pass == kPassChain;
  const GeluTable table = gelu_table();
  int64_t j = 0;
  for (; j + kStep <= t->n; j += kStep) {
    Vec v[4];
    for (int q = 0; q < 4; ++q) v[q] = element_at(pass, t, j + q * kLanes, c0, c1);
    if (has_gelu) gelu_all(&table, v, 4);
    for (int q = 0; q < 4; ++q) store(t->y + j + q * kLanes, v[q]);
  }
  for (; j < t->n; j += kLanes) {
    const int count = t->n - j < kLanes ? (int)(t->n - j) : (int)kLanes;
    Vec v = element_end(pass, t, j, count, 0, c0, c1);
    if (has_gelu) gelu_all(&table, &v, 1);
    store_some(t->y + j, count, v);
  }
}

static inline float inverse_root(float mean_square) {
  return 1.0f / __builtin_sqrtf(mean_square + kRowEpsilon);
}

static inline void chain_row(RowTask t) {
  for (int64_t layer = 0; layer < t.layers; ++layer) {
    const Moments m = moments(kPassBiasSum, kPassBiasVariance, &t);
    write(kPassChain, &t, m.mean, kGeluScale * inverse_root(m.variance));
    t.x = t.y;
  }
}

static void vector_row(const RowTask* t) {
  const float n = (float)t->n;
  switch (t->op) {
    case RowOp::softmax: {
      const float most = reduce(kPassMaximum, t, 0);
      return write(kPassSoftmax, t, most, 1.0f / reduce(kPassExpSum, t, most));
    }
    case RowOp::layernorm: {
      const Moments m = moments(kPassSum, kPassVariance, t);
      return write(kPassLayerNorm, t, m.mean, inverse_root(m.variance));
    }
    case RowOp::rmsnorm:
      return write(kPassRmsNorm, t, 0, inverse_root(reduce(kPassSquares, t, 0) / n));
    case RowOp::gelu:
      return write(kPassGelu, t, 0, 0);
    case RowOp::chain:
      return chain_row(*t);
    case RowOp::copy:
    case RowOp::transpose:
      return;
  }
}

}  // namespace ridge
