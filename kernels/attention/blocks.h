// The loops around attention's CPU micro-kernels: queries in blocks of 112 rows, keys and values in blocks
// of 256, packed so that every vector is full. C-like, static only: ISA-flagged files include it.
//
//   for each head, for each block of queries          (a thread takes a range of these)
//     copy the queries, times scale * log2(e)
//     for each block of keys, for each strip of 14 queries
//       S = Q Kt - shift (14 x 256), P = 2^S and its sums, O = O + P V
//       where the sums are too large: S again, a larger shift, the sums and O rescaled, P again
//     divide by the sums
//
// Packed: keys in panels of 32, an element of all 32 beside each other; values in panels of 32 elements of
// the head. Both are padded with zeros to whole panels.
#pragma once

#include <stdlib.h>
#include <string.h>

#include "kernels/attention/attention.h"
#include "kernels/gemm/huge_pages.h"
#include "kernels/gemm/team.h"

namespace ridge {

static constexpr int64_t kStripRows = 14, kPanel = 32, kKeyBlock = 256;
static constexpr int64_t kQueryBlock = 8 * kStripRows;
/// Floats from row to row of queries, scores and O. A constant, so that a tile's 14 rows are one
/// pointer and 14 displacements (with 14 pointers some were reloaded from the stack at each step); not a power
/// of two, so that they do not meet in the same sets of the cache.
static constexpr int64_t kRowStride = 256 + 16;

/// A row's weights are 2^(score - shift). Any shift gives the same result; the one in use is the largest score
/// of some block before. While no 16th of a row's weights of a block adds up to more than this, it stays.
static constexpr float kMostWeight = 1024;

/// The micro-kernels for a strip. Rows of a, s and o are kRowStride apart; each row's `sum` has 16 parts, added
/// up at the end; row i has keys[i] keys in this block.
struct AttentionKernel {
  /// to[c * kPanel + r] = from[r * stride + c] for 16 rows and columns, or `columns` where those are fewer;
  /// zeros for rows from `rows` on.
  void (*transpose)(const float* from, int64_t stride, int64_t rows, int64_t columns, float* to);
  /// s (14 x columns) = a (14 x k) * b (k x 32, panel after panel) - shift[row]
  void (*scores)(const float* a, const float* b, float* s, int64_t k, int64_t columns,
                 const float* shift);
  /// o (14 x columns) += a (14 x k) * b (k x 32, panels `stride` apart); `first`: =
  void (*values)(const float* a, const float* b, float* o, int64_t k, int64_t columns,
                 int64_t stride, bool first);
  /// Scores become weights, added to `sum`; those of keys that a row does not have become 0. False, and `sum`
  /// as it was, where they are too large.
  bool (*weights)(float* s, const int64_t* keys, int64_t columns, float* sum);
  /// Raises each shift to the row's largest score (`first`: sets it), subtracts that from the scores, and
  /// shrinks `sum`; `rescale` is by how much.
  void (*raise)(float* s, const int64_t* keys, int64_t columns, bool first, float* shift,
                float* sum, float* rescale);
};

/// A thread's own memory.
struct AttentionMemory {
  float *k, *v;  ///< packed: of a head
  float *q, *o, *s, *shift, *sum;
};

struct AttentionJob {
  const AttentionKernel* kernel;
  Attention a;
  int threads;
  char* memory;
  int64_t keys, columns;  ///< sequence and d in whole blocks and panels
  int64_t part_floats;
};

static inline int64_t attention_rounded(int64_t value, int64_t to) {
  return (value + to - 1) / to * to;
}

static inline int64_t attention_part_floats(const Shape& shape) {
  const int64_t keys = attention_rounded(shape.dim[kAttentionSequence], kKeyBlock);
  const int64_t d = shape.dim[kAttentionHeadSize], columns = attention_rounded(d, kPanel);
  return attention_rounded(
      keys * (d + columns) + kQueryBlock * (2 * kRowStride + 1 + 16) + kStripRows * kRowStride + 64,
      64);
}

static inline Status attention_prepare_blocks(const Shape& shape, int threads, Plan* plan) {
  const size_t bytes = (size_t)(attention_part_floats(shape) * threads) * sizeof(float);
  plan->state = huge_page_alloc(bytes);
  plan->release = free;
  plan->workspace_bytes = bytes;
  Status status;
  if (plan->state) return status;
  status.what = "out of memory";
  status.expression = "huge_page_alloc";
  return status;
}

/// Keys and values of a head.
static inline void attention_pack(const AttentionJob* job, int64_t head, AttentionMemory* m) {
  const int64_t s = job->a.sequence, d = job->a.d;
  const float* k = (const float*)job->a.k + head * s * d;
  const float* v = (const float*)job->a.v + head * s * d;
  for (int64_t key = 0; key < job->keys; key += 16) {
    float* to = m->k + key / kPanel * kPanel * d + key % kPanel;
    for (int64_t e = 0; e < d; e += 16) {
      job->kernel->transpose(k + key * d + e, d, s - key, d - e, to + e * kPanel);
    }
  }
  for (int64_t key = 0; key < job->keys; ++key) {
    for (int64_t e = 0; e < d; e += kPanel) {
      const float* from = v + key * d + e;
      float* to = m->v + e * job->keys + key * kPanel;
      const int64_t count = key < s ? d - e : 0;
      if (count >= kPanel) {
        memcpy(to, from, kPanel * sizeof(float));
      } else {
        for (int64_t i = 0; i < kPanel; ++i) to[i] = i < count ? from[i] : 0;
      }
    }
  }
}

/// The shift grows, and what was summed before shrinks.
static inline void attention_raise(const AttentionJob* job, AttentionMemory* m, const int64_t* keys,
                                   int64_t columns, int64_t row, bool first) {
  float rescale[kStripRows];
  job->kernel->raise(m->s, keys, columns, first, m->shift + row, m->sum + 16 * row, rescale);
  for (int64_t i = 0; !first && i < kStripRows; ++i) {
    float* o = m->o + (row + i) * kRowStride;
    for (int64_t e = 0; e < job->columns; ++e) o[e] *= rescale[i];
  }
}

/// A strip of queries meets a block of keys.
static inline void attention_strip(const AttentionJob* job, AttentionMemory* m, int64_t query,
                                   int64_t row, int64_t key) {
  const int64_t d = job->a.d, end = attention_rounded(job->a.sequence - key, kPanel);
  const int64_t last = job->a.causal ? query + row + kStripRows : job->a.sequence;
  int64_t columns = attention_rounded(last - key, kPanel);  // only panels that some row sees
  if (columns > end) columns = end;
  if (columns > kKeyBlock) columns = kKeyBlock;
  if (columns <= 0) return;
  int64_t keys[kStripRows];
  for (int64_t i = 0; i < kStripRows; ++i) {
    const int64_t query_i = query + row + i;
    keys[i] =
        attention_keys(job->a, query_i < job->a.sequence ? query_i : job->a.sequence - 1) - key;
  }
  const AttentionKernel* kernel = job->kernel;
  float *shift = m->shift + row, *sum = m->sum + 16 * row, *o = m->o + row * kRowStride;
  for (bool first = key == 0, raise = first;; raise = true) {
    kernel->scores(m->q + row * kRowStride, m->k + key * d, m->s, d, columns, shift);
    if (raise) attention_raise(job, m, keys, columns, row, first);
    if (kernel->weights(m->s, keys, columns, sum) || raise) break;
  }
  kernel->values(m->s, m->v + key * kPanel, o, columns, job->columns, job->keys * kPanel, key == 0);
}

static inline void attention_query_block(const AttentionJob* job, AttentionMemory* m, int64_t head,
                                         int64_t query) {
  const Attention* a = &job->a;
  const int64_t first = (head * a->sequence + query) * a->d;
  const int64_t left = a->sequence - query, rows = left < kQueryBlock ? left : kQueryBlock;
  const float factor = a->scale * 1.44269504f;  // log2(e): 2^x is the exponential there is
  for (int64_t i = 0; i < rows; ++i) {
    const float* q = (const float*)a->q + first + i * a->d;
    for (int64_t e = 0; e < a->d; ++e) m->q[i * kRowStride + e] = q[e] * factor;
  }
  for (int64_t e = rows * kRowStride; e < kQueryBlock * kRowStride; ++e) m->q[e] = 0;
  for (int64_t i = 0; i < kQueryBlock; ++i) m->shift[i] = 0;
  for (int64_t i = 0; i < kQueryBlock * 16; ++i) m->sum[i] = 0;
  const int64_t last = a->causal ? query + rows : a->sequence;
  for (int64_t key = 0; key < last; key += kKeyBlock) {
    for (int64_t row = 0; row < rows; row += kStripRows) attention_strip(job, m, query, row, key);
  }
  for (int64_t i = 0; i < rows; ++i) {
    float* o = (float*)a->o + first + i * a->d;
    float sum = 0;
    for (int64_t part = 0; part < 16; ++part) sum += m->sum[16 * i + part];
    const float share = 1 / sum;
    for (int64_t e = 0; e < a->d; ++e) o[e] = m->o[i * kRowStride + e] * share;
  }
}

/// What thread `index` does: neighbouring blocks, so that a head is packed by as few as possible. Under a
/// causal mask the blocks are dealt in turn, late (long) with early (short) ones.
static inline void attention_part(void* context, int index) {
  const AttentionJob* job = (const AttentionJob*)context;
  const int64_t s = job->a.sequence, d = job->a.d;
  AttentionMemory m;
  m.k = (float*)job->memory + index * job->part_floats;
  m.v = m.k + job->keys * d;
  m.q = m.v + job->keys * job->columns;
  m.o = m.q + kQueryBlock * kRowStride;
  m.s = m.o + kQueryBlock * kRowStride;
  m.shift = m.s + kStripRows * kRowStride;
  m.sum = m.shift + kQueryBlock;
  const int64_t blocks = (s + kQueryBlock - 1) / kQueryBlock, all = blocks * job->a.heads;
  int64_t packed = -1;
  for (int64_t i = all * index / job->threads; i < all * (index + 1) / job->threads; ++i) {
    const int64_t head = i / blocks;
    if (head / job->a.group != packed) attention_pack(job, packed = head / job->a.group, &m);
    attention_query_block(job, &m, head, i % blocks * kQueryBlock);
  }
}

static inline Status attention_run_blocks(const AttentionKernel* kernel, const Launch& launch,
                                          int threads) {
  AttentionJob job;
  job.kernel = kernel;
  job.a = attention_of(launch);
  job.threads = threads;
  job.memory = (char*)launch.plan_state;
  job.keys = attention_rounded(job.a.sequence, kKeyBlock);
  job.columns = attention_rounded(job.a.d, kPanel);
  job.part_floats = attention_part_floats(launch.shape);
  team_run(threads, attention_part, &job);
  return Status();
}

}  // namespace ridge
