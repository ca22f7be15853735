// Rows that stream: what rows.cpu.streamed and chain.cpu.streamed run for a matrix that no cache holds. As
// row_vectors.h, which it includes, for Vec of the including file; gives stream_rows().
//
// A row is read, then written: taken one by one, no y is written during the first loop, and no x of the
// next row is asked for during the second. Here a sweep *begins* one row and *finishes* an earlier one,
// element by element, so that each line read comes with a line written. Two rows at a time, a chunk of each,
// share what they load of weight and bias: from the L2 those cost as much as x. What comes next is fetched
// twice: into the L2 a pair of rows ahead, into the L1 a chunk ahead. (Measured on two cores of an EPYC, Zen 4:
// a third stream of loads keeps the hardware from fetching ahead; these two instructions do it for it.)
//
//   softmax     begins by keeping exp(x - k), k a value of the row: finishing is a product
//   layernorm, rmsnorm, chain   finish from x itself, which the L2 still has
//   chain's inner layers        finish and begin in one sweep: y of one is x of the next
//
// Source: software pipelining (Lam, 1988), by rows instead of instructions; online softmax (Milakov and
// Gimelshein, 2018) for not knowing the maximum: k replaces it unless some x is over k + 60.
#pragma once

#include "kernels/rows/rungs/row_vectors.h"

namespace ridge {

static const int kLine = 16, kChunk = 256, kPair = 2;
enum {
  kBegin = 1,
  kFinish = 2,
  kCarry = 4
};  // kCarry: begin from what was finished, which is kept

/// A row on its way.
typedef struct {
  const float* from;  ///< x, or `kept` after the first layer
  float *kept, *y;
  Vec sum, other;  ///< while it begins: of the values; of their squares, or (softmax) their maximum
  float k, c0, c1;  ///< softmax's k; then y from v: v c1 (softmax, rmsnorm), v c1 + c0 (the others)
} StreamedRow;

static inline __attribute__((always_inline)) void begin_line(RowOp op, const Rows* r, Vec v,
                                                             int64_t j, StreamedRow* b) {
  if (op == RowOp::softmax) {
    b->other = maximum(b->other, v);
    v = exp_of(v - broadcast(b->k));
    store(b->kept + j, v);
  }
  if (op == RowOp::chain) v += load(r->bias + j);
  if (op != RowOp::rmsnorm) b->sum += v;
  if (op != RowOp::softmax) b->other = fma(v, v, b->other);
}

static inline __attribute__((always_inline)) Vec finished_line(RowOp op, const Rows* r,
                                                               const GeluTable* table, int64_t j,
                                                               const StreamedRow* f) {
  const Vec c0 = broadcast(f->c0), c1 = broadcast(f->c1);
  if (op == RowOp::softmax) return load(f->kept + j) * c1;
  const Vec v = load(f->from + j), weight = load(r->weight + j);
  if (op == RowOp::rmsnorm) return v * c1 * weight;
  if (op == RowOp::layernorm) return fma(fma(v, c1, c0), weight, load(r->bias + j));
  Vec result = fma(v + load(r->bias + j), c1, c0) * weight;
  gelu_all(table, &result, 1);
  return result;
}

/// Elements start <= j < end of one row that begins and of one that is finished. Rows come by value, so that
/// what they hold stays in registers.
static inline __attribute__((always_inline)) void sweep(RowOp op, int what, const Rows* r,
                                                        int64_t start, int64_t end,
                                                        StreamedRow* begins,
                                                        const StreamedRow* finishes) {
  StreamedRow b = *begins;
  const StreamedRow f = *finishes;
  // A chunk adds up on its own: the longer a sum, the more each addition rounds away (mean 50, n = 8000, eight
  // lanes: 1.5 times the limit without).
  if (op != RowOp::softmax) b.sum = b.other = broadcast(0);
  const GeluTable table = gelu_table();
  const int64_t ahead = op == RowOp::softmax ? r->n : kPair * r->n;
  for (int64_t line = start; line < end; line += kLine) {
    if (what & kBegin) __builtin_prefetch(b.from + line + ahead, 0, 2);
    if (op != RowOp::softmax && !(what & kCarry)) {
      if (what & kBegin) __builtin_prefetch(b.from + line + kChunk, 0, 3);
      if (what & kFinish) __builtin_prefetch(f.from + line + kChunk, 0, 3);
    }
    for (int64_t j = line; j < line + kLine; j += kLanes) {
      Vec y = broadcast(0);
      if (what & kFinish) y = finished_line(op, r, &table, j, &f);
      if (what & kCarry) store(b.kept + j, y);
      if (what & (kBegin | kCarry)) begin_line(op, r, what & kCarry ? y : load(b.from + j), j, &b);
      if (what == kFinish || what == (kBegin | kFinish)) stream(f.y + j, y);
    }
  }
  begins->sum = op == RowOp::softmax ? b.sum : begins->sum + b.sum;
  begins->other = op == RowOp::softmax ? b.other : begins->other + b.other;
}

static inline __attribute__((always_inline)) void start_row(RowOp op, StreamedRow* row) {
  row->sum = broadcast(0);
  row->other = broadcast(op == RowOp::softmax ? -__builtin_inff() : 0.0f);
  if (op != RowOp::softmax) return;
  const float k = lanes_of(maximum(load(row->from), load(row->from + kLanes)), true);
  row->k = k > -3e38f ? k : -3e38f;  // all masked: the difference of two infinities would be NaN
}

/// The statistics from a row's sums. Where those cannot be trusted, it is gone over once more.
static inline __attribute__((always_inline)) void settle(RowOp op, const Rows* r,
                                                         StreamedRow* row) {
  const float n = (float)r->n;
  RowTask again = {op, r->n, 1, row->from, r->weight, r->bias, row->kept};
  if (op == RowOp::softmax) {
    const float most = lanes_of(row->other, true);
    row->c1 = 1.0f / lanes_of(row->sum, false);
    if (most <= row->k + 60) return;
    row->c1 = 1.0f / reduce(kPassExpSum, &again, most);
    return write(kPassSoftmax, &again, most, 1.0f);
  }
  const float mean = lanes_of(row->sum, false) / n, squares = lanes_of(row->other, false) / n;
  if (op == RowOp::rmsnorm) {
    row->c1 = inverse_root(squares);
    return;
  }
  float variance = squares - mean * mean;
  if (!(mean * mean <= 16 * variance))  // two large numbers' difference
    variance = reduce(op == RowOp::chain ? kPassBiasVariance : kPassVariance, &again, mean) / n;
  row->c1 = inverse_root(variance) * (op == RowOp::chain ? kGeluScale : 1.0f);
  row->c0 = -mean * row->c1;
}

/// One sweep over up to kPair rows that begin, and those that began a pair before.
static inline __attribute__((always_inline)) void sweep_pair(RowOp op, int what, const Rows* r,
                                                             int count, StreamedRow* begin,
                                                             const StreamedRow* finish) {
  const int64_t chunk = op == RowOp::softmax ? r->n : kChunk;
  for (int64_t j = 0; j < r->n; j += chunk) {
    const int64_t end = j + chunk < r->n ? j + chunk : r->n;
    for (int q = 0; q < count; ++q) sweep(op, what, r, j, end, begin + q, finish + q);
  }
  for (int q = 0; q < count && what != kFinish; ++q) settle(op, r, begin + q);
}

/// softmax goes row by row: what it keeps then stays in the L1.
static inline __attribute__((always_inline)) void stream_op(RowOp op, const Rows* r, int64_t begin,
                                                            int64_t end) {
  const int pair = op == RowOp::softmax ? 1 : kPair;
  float kept[kPair * (int)kStreamedRow] __attribute__((aligned(64)));
  StreamedRow rows[2][kPair];
  int last = 0;  // rows that wait to be finished
  for (int64_t i = begin, turn = 0; i < end || last > 0; i += pair, turn ^= 1) {
    const int count = end - i < pair ? (end > i ? (int)(end - i) : 0) : pair;
    StreamedRow *now = rows[turn], *before = rows[turn ^ 1];
    for (int q = 0; q < count; ++q) {
      now[q].from = r->x + (i + q) * r->n, now[q].y = r->y + (i + q) * r->n;
      now[q].kept = kept + q * r->n;
      start_row(op, now + q);
    }
    const int both = count < last ? count : last;
    sweep_pair(op, kBegin | kFinish, r, both, now, before);
    sweep_pair(op, kBegin, r, count - both, now + both, before);
    sweep_pair(op, kFinish, r, last - both, now, before + both);
    for (int64_t layer = 1; op == RowOp::chain && layer < r->layers; ++layer) {
      StreamedRow next[kPair];
      for (int q = 0; q < count; ++q) {
        next[q] = now[q], next[q].from = now[q].kept;
        start_row(op, next + q);
      }
      sweep_pair(op, kFinish | kCarry, r, count, next, now);
      for (int q = 0; q < count; ++q) now[q] = next[q];
    }
    last = count;
  }
}

static void stream_gelu(const Rows* r, int64_t begin, int64_t end) {
  const GeluTable table = gelu_table();
  for (int64_t j = begin * r->n; j < end * r->n; j += kLine) {
    for (int64_t i = j; i < j + kLine; i += kLanes) {
      Vec v = load(r->x + i) * broadcast(kGeluScale);
      gelu_all(&table, &v, 1);
      stream(r->y + i, v);
    }
  }
}

static void stream_rows(const Rows* r, int64_t begin, int64_t end) {
  switch (r->op) {
    case RowOp::softmax:
      return stream_op(RowOp::softmax, r, begin, end);
    case RowOp::layernorm:
      return stream_op(RowOp::layernorm, r, begin, end);
    case RowOp::rmsnorm:
      return stream_op(RowOp::rmsnorm, r, begin, end);
    case RowOp::gelu:
      return stream_gelu(r, begin, end);
    case RowOp::chain:
      return stream_op(RowOp::chain, r, begin, end);
    case RowOp::copy:
    case RowOp::transpose:
      return;
  }
}

}  // namespace ridge
