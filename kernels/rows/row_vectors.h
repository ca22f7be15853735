// A row by vectors: what the AVX2 and AVX-512 rungs of rows and chain share. The including file has said,
// inside namespace ridge,
//   Vec, kLanes                          its vector of floats
//   load store stream (aligned) broadcast maximum fma(a, b, c) exp2_of
//   load_some(p, count, fill), store_some(p, count, v)   for the end of a row: count < kLanes
// and gets vector_row(). Each row is gone over two or three times; only the first time does it come from
// memory, if the cores' own caches hold it. ISA-flagged files include this: static only.
//
// Exponentials: 2^x = 2^round(x) 2^f, |f| <= 1/2, the latter by its Taylor polynomial of degree 7: an error
// of 4e-9, under fp32's rounding.
#pragma once

#include "kernels/rows/row_task.h"

namespace ridge {

/// Elements a step: four sums, since an addition takes 4 cycles, and two may start in one.
static const int kStep = 4 * (int)kLanes;

static const float kLog2E = 1.44269504f;

static inline Vec poly_exp2(Vec f) {
  Vec p = broadcast(1.52527338e-5f);
  p = fma(p, f, broadcast(1.54035304e-4f));
  p = fma(p, f, broadcast(1.33335581e-3f));
  p = fma(p, f, broadcast(9.61812911e-3f));
  p = fma(p, f, broadcast(5.55041087e-2f));
  p = fma(p, f, broadcast(2.40226507e-1f));
  p = fma(p, f, broadcast(6.93147181e-1f));
  return fma(p, f, broadcast(1.0f));
}

static inline Vec gelu_of(Vec x) {
  const Vec slope = fma(x * x, broadcast(kGeluB), broadcast(kGeluA));
  return x / (broadcast(1.0f) + exp2_of(broadcast(0.0f) - x * slope));
}

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
      return exp2_of((x - c0) * broadcast(kLog2E));
    case kPassVariance:
      return (x - c0) * (x - c0);
    case kPassSquares:
      return x * x;
    case kPassBiasSum:
      return x + bias;
    case kPassBiasVariance:
      return (x + bias - c0) * (x + bias - c0);
    case kPassSoftmax:
      return exp2_of((x - c0) * broadcast(kLog2E)) * c1;
    case kPassLayerNorm:
      return fma((x - c0) * c1, weight, bias);
    case kPassRmsNorm:
      return x * c1 * weight;
    case kPassGelu:
      return gelu_of(x);
    case kPassChain:
      return gelu_of((x + bias - c0) * c1 * weight);
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
                                                             int64_t j, float fill, Vec c0,
                                                             Vec c1) {
  const int count = (int)(t->n - j);
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
    store(lane, element_end(pass, t, j, pass == kPassMaximum ? rest : 0.0f, c0, c0));
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

/// y from x, the statistics being known; the next row is fetched meanwhile.
static inline __attribute__((always_inline)) void write(enum Pass pass, const RowTask* t, float a,
                                                        float b, bool is_last) {
  const Vec c0 = broadcast(a), c1 = broadcast(b);
  const bool streams = is_last && t->stream && (size_t)t->y % sizeof(Vec) == 0;
  int64_t j = 0;
  for (; j + kLanes <= t->n; j += kLanes) {
    if (is_last && t->next) __builtin_prefetch(t->next + j, 0, 2);
    const Vec v = element_at(pass, t, j, c0, c1);
    if (streams)
      stream(t->y + j, v);
    else
      store(t->y + j, v);
  }
  if (j < t->n) store_some(t->y + j, (int)(t->n - j), element_end(pass, t, j, 0, c0, c1));
}

static inline float inverse_root(float sum, int64_t n) {
  return 1.0f / __builtin_sqrtf(sum / (float)n + kRowEpsilon);
}

static inline void chain_row(RowTask t) {
  for (int64_t layer = 0; layer < t.layers; ++layer) {
    const float mean = reduce(kPassBiasSum, &t, 0) / (float)t.n;
    const float scale = inverse_root(reduce(kPassBiasVariance, &t, mean), t.n);
    write(kPassChain, &t, mean, scale, layer + 1 == t.layers);
    t.x = t.y;
  }
}

static void vector_row(const RowTask* t) {
  const float n = (float)t->n;
  switch (t->op) {
    case RowOp::softmax: {
      const float most = reduce(kPassMaximum, t, 0);
      return write(kPassSoftmax, t, most, 1.0f / reduce(kPassExpSum, t, most), true);
    }
    case RowOp::layernorm: {
      const float mean = reduce(kPassSum, t, 0) / n;
      return write(kPassLayerNorm, t, mean, inverse_root(reduce(kPassVariance, t, mean), t->n),
                   true);
    }
    case RowOp::rmsnorm:
      return write(kPassRmsNorm, t, 0, inverse_root(reduce(kPassSquares, t, 0), t->n), true);
    case RowOp::gelu:
      return write(kPassGelu, t, 0, 0, true);
    case RowOp::chain:
      return chain_row(*t);
    case RowOp::copy:
    case RowOp::transpose:
      return;
  }
}

}  // namespace ridge
