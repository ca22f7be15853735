// The loops around attention's CPU micro-kernels: queries in blocks, keys and values in blocks too, packed so
// that every vector is full. C-like, static only: ISA-flagged files include it.
//
//   for each head, for each block of queries          (a thread takes a range of these)
//     copy the queries, times scale * log2(e)
//     for each block of keys, for each strip of queries
//       S = Q Kt, P = 2^(S - shift) and its sums, O = O + P V
//       where the sums are too large: S again, a larger shift, the sums and O rescaled, P again
//     divide by the sums
//
// Packed: keys in panels, an element of all of a panel's keys beside each other; values block by block, in
// panels of elements of the head. Both are padded with zeros to whole panels.
#pragma once

#include <stdlib.h>
#include <string.h>

#include "common/core/ceil_div.h"
#include "kernels/runtime/cpu/huge_pages.h"
#include "kernels/runtime/cpu/team.h"
#include "kernels/runtime/problems/attention.h"

namespace ridge {

/// Queries in the highest strip.
static constexpr int64_t kMaxRows = 14;
/// Floats from row to row of queries, scores and O. A constant, so that a tile's rows are one
/// pointer and displacements (with 14 pointers some were reloaded from the stack at each step); not a power
/// of two, so that they do not meet in the same sets of the cache.
static constexpr int64_t kRowStride = 256 + 16;

/// A strip of queries that meets a block of keys. Rows of q, s and o are kRowStride apart.
struct AttentionStrip {
  const float* q;
  float *s, *o;
  float* shift;  ///< weights are 2^(score - shift); any shift gives the same result: see weights()
  float* sum;    ///< of a row's weights, in 16 parts, added up at the end
  const float *term, *scale;  ///< of complete_query()
  const int64_t* keys;        ///< row i has keys[i] keys in this block
  int64_t columns;            ///< keys of this block, in whole panels
  int64_t d;
  bool first;  ///< block of keys: O is overwritten
};

/// The register tile and the code around it.
struct AttentionKernel {
  int64_t rows;         ///< queries in a strip, kMaxRows at most
  int64_t query_block;  ///< whole strips
  int64_t panel;        ///< keys, or elements of the head, of a panel
  int64_t width;        ///< floats from row to row of a packed panel
  int64_t key_block;    ///< whole panels, kRowStride at most
  int64_t extra;  ///< rows that a packed panel has beside its d elements, or its key_block keys
  /// to[c * width + r] = from[r * stride + c] for 16 rows and columns, or `columns` where those are fewer;
  /// zeros for rows from `rows` on.
  void (*transpose)(const float* from, int64_t stride, int64_t rows, int64_t columns, float* to,
                    int64_t width);
  /// Where operands have to be about equally large (null: taken as they are): by what keys and values of a
  /// head, `count` floats, are multiplied when they are packed;
  float (*unit)(const float* from, int64_t count);
  /// a packed panel of `length` rows is multiplied by it, and completed;
  void (*complete)(float* panel, int64_t length, float unit);
  /// and so is a query: its keys have been multiplied by `unit`.
  void (*complete_query)(float* q, int64_t d, float unit, float* term, float* scale);
  /// s = q times the block's keys.
  void (*scores)(const AttentionStrip* strip, const float* k);
  /// Scores become weights, added to `sum`; those of keys that a row does not have become 0. False, and `sum`
  /// as it was, where they are too large: while they are not, the shift stays what a block before made it.
  bool (*weights)(const AttentionStrip* strip);
  /// Raises each shift to the row's largest score (`first`: sets it), and shrinks `sum`; `rescale` is by how
  /// much.
  void (*raise)(const AttentionStrip* strip, float* rescale);
  /// o += weights times the block's values.
  void (*values)(const AttentionStrip* strip, const float* v);
};

/// A thread's own memory.
struct AttentionMemory {
  float *k, *v;                  ///< packed: of a head
  float k_unit = 1, v_unit = 1;  ///< what they have been multiplied by
  float *q, *o, *s, *shift, *sum, *term, *scale;
};

struct AttentionJob {
  const AttentionKernel* kernel;
  Attention a;
  int threads;
  char* memory;
  int64_t part_floats, value_floats;
};

/// Floats of a head's packed keys, and of a block of its packed values.
static inline int64_t attention_key_floats(const AttentionKernel* kernel, int64_t sequence,
                                           int64_t d) {
  return ceil_div(sequence, kernel->panel) * kernel->width * (d + kernel->extra);
}

static inline int64_t attention_value_floats(const AttentionKernel* kernel, int64_t d) {
  return (kernel->key_block + kernel->extra) * round_up(d, kernel->panel) / kernel->panel * kernel->width;
}

static inline int64_t attention_part_floats(const AttentionKernel* kernel, const Shape& shape) {
  const int64_t s = shape.dim[kAttentionSequence], d = shape.dim[kAttentionHeadSize];
  const int64_t blocks = round_up(s, kernel->key_block) / kernel->key_block;
  const int64_t packed =
      attention_key_floats(kernel, s, d) + blocks * attention_value_floats(kernel, d);
  const int64_t rows = kernel->query_block * (2 * kRowStride + 3 + 16) + kernel->rows * kRowStride;
  return round_up(packed + rows + 64, 64);
}

static inline Status attention_prepare_blocks(const AttentionKernel* kernel, const Shape& shape,
                                              int threads, Plan* plan) {
  const size_t bytes = (size_t)(attention_part_floats(kernel, shape) * threads) * sizeof(float);
  plan->state = huge_page_alloc(bytes);
  plan->release = free;
  plan->workspace_bytes = bytes;
  Status status;
  if (plan->state) return status;
  status.what = "out of memory";
  status.expression = "huge_page_alloc";
  return status;
}

/// A panel of values: elements e on of the key_block keys from `key` on.
static inline void attention_pack_values(const AttentionJob* job, const float* v, int64_t key,
                                         int64_t e, float* to) {
  const int64_t d = job->a.d, panel = job->kernel->panel;
  const int64_t most = d - e < panel ? d - e : panel;
  for (int64_t i = 0; i < job->kernel->key_block; ++i, to += job->kernel->width) {
    const int64_t count = key + i < job->a.sequence ? most : 0;
    const float* from = v + (key + i) * d + e;
    if (count == panel) {
      memcpy(to, from, (size_t)panel * sizeof(float));
    } else {
      for (int64_t j = 0; j < panel; ++j) to[j] = j < count ? from[j] : 0;
    }
  }
}

/// Keys and values of a head.
static inline void attention_pack(const AttentionJob* job, int64_t head, AttentionMemory* m) {
  const AttentionKernel* kernel = job->kernel;
  const int64_t s = job->a.sequence, d = job->a.d, panel = kernel->panel, width = kernel->width;
  const float* k = (const float*)job->a.k + head * s * d;
  const float* v = (const float*)job->a.v + head * s * d;
  m->k_unit = kernel->unit ? kernel->unit(k, s * d) : 1;
  m->v_unit = kernel->unit ? kernel->unit(v, s * d) : 1;
  for (int64_t key = 0; key < s; key += panel) {
    float* to = m->k + key / panel * width * (d + kernel->extra);
    for (int64_t i = 0; i < panel; i += 16) {
      for (int64_t e = 0; e < d; e += 16) {
        kernel->transpose(k + (key + i) * d + e, d, s - key - i, d - e, to + e * width + i, width);
      }
    }
    if (kernel->complete) kernel->complete(to, d, m->k_unit);
  }
  float* to = m->v;
  for (int64_t key = 0; key < s; key += kernel->key_block) {
    for (int64_t e = 0; e < d; e += panel, to += (kernel->key_block + kernel->extra) * width) {
      attention_pack_values(job, v, key, e, to);
      if (kernel->complete) kernel->complete(to, kernel->key_block, m->v_unit);
    }
  }
}

/// The shift grows, and what was summed before shrinks.
static inline void attention_raise(const AttentionJob* job, const AttentionStrip* strip) {
  float rescale[kMaxRows];
  job->kernel->raise(strip, rescale);
  for (int64_t i = 0; !strip->first && i < job->kernel->rows; ++i) {
    float* o = strip->o + i * kRowStride;
    for (int64_t e = 0; e < round_up(strip->d, job->kernel->panel); ++e) o[e] *= rescale[i];
  }
}

/// The strip of queries at `row` of the block meets a block of keys.
static inline void attention_strip(const AttentionJob* job, AttentionMemory* m, int64_t query,
                                   int64_t row, int64_t key) {
  const AttentionKernel* kernel = job->kernel;
  const int64_t d = job->a.d, end = round_up(job->a.sequence - key, kernel->panel);
  const int64_t last = job->a.causal ? query + row + kernel->rows : job->a.sequence;
  int64_t columns = round_up(last - key, kernel->panel);  // panels that some row sees
  if (columns > end) columns = end;
  if (columns > kernel->key_block) columns = kernel->key_block;
  if (columns <= 0) return;
  int64_t keys[kMaxRows];
  for (int64_t i = 0; i < kernel->rows; ++i) {
    const int64_t query_i = query + row + i;
    keys[i] =
        attention_keys(job->a, query_i < job->a.sequence ? query_i : job->a.sequence - 1) - key;
  }
  const int64_t at = row * kRowStride;
  const AttentionStrip strip = {
      m->q + at,     m->s,           m->o + at, m->shift + row, m->sum + 16 * row,
      m->term + row, m->scale + row, keys,      columns,        d,
      key == 0};
  for (bool raise = strip.first;; raise = true) {
    kernel->scores(&strip, m->k + key / kernel->panel * kernel->width * (d + kernel->extra));
    if (raise) attention_raise(job, &strip);
    if (kernel->weights(&strip) || raise) break;
  }
  kernel->values(&strip, m->v + key / kernel->key_block * job->value_floats);
}

static inline void attention_query_block(const AttentionJob* job, AttentionMemory* m, int64_t head,
                                         int64_t query) {
  const Attention* a = &job->a;
  const AttentionKernel* kernel = job->kernel;
  const int64_t first = (head * a->sequence + query) * a->d, most = kernel->query_block;
  const int64_t left = a->sequence - query, rows = left < most ? left : most;
  const float factor = a->scale * 1.44269504f;  // log2(e): 2^x is the exponential there is
  for (int64_t i = 0; i < most; ++i) {
    const float* from = (const float*)a->q + first + i * a->d;
    float* q = m->q + i * kRowStride;
    for (int64_t e = 0; e < a->d; ++e) q[e] = i < rows ? from[e] * factor : 0;
    if (kernel->complete_query) {
      kernel->complete_query(q, a->d, m->k_unit, m->term + i, m->scale + i);
    }
  }
  memset(m->shift, 0, (size_t)most * sizeof(float));
  memset(m->sum, 0, (size_t)(most * 16) * sizeof(float));
  const int64_t last = a->causal ? query + rows : a->sequence;
  for (int64_t key = 0; key < last; key += kernel->key_block) {
    for (int64_t row = 0; row < rows; row += kernel->rows) {
      attention_strip(job, m, query, row, key);
    }
  }
  for (int64_t i = 0; i < rows; ++i) {
    float* o = (float*)a->o + first + i * a->d;
    float sum = 0;
    for (int64_t part = 0; part < 16; ++part) sum += m->sum[16 * i + part];
    const float share = 1 / (sum * m->v_unit);
    for (int64_t e = 0; e < a->d; ++e) o[e] = m->o[i * kRowStride + e] * share;
  }
}

/// What thread `index` does: neighbouring blocks, so that a head is packed by as few as possible. Under a
/// causal mask the blocks are dealt in turn, late (long) with early (short) ones.
static inline void attention_part(void* context, int index) {
  const AttentionJob* job = (const AttentionJob*)context;
  const AttentionKernel* kernel = job->kernel;
  const int64_t s = job->a.sequence, d = job->a.d, block = kernel->query_block;
  AttentionMemory m;
  m.k = (float*)job->memory + index * job->part_floats;
  m.v = m.k + attention_key_floats(kernel, s, d);
  m.q = m.v + round_up(s, kernel->key_block) / kernel->key_block * job->value_floats;
  m.o = m.q + block * kRowStride;
  m.s = m.o + block * kRowStride;
  m.sum = m.s + kernel->rows * kRowStride;
  m.shift = m.sum + block * 16;
  m.term = m.shift + block;
  m.scale = m.term + block;
  const int64_t blocks = (s + block - 1) / block, all = blocks * job->a.heads;
  int64_t packed = -1;
  for (int64_t i = all * index / job->threads; i < all * (index + 1) / job->threads; ++i) {
    const int64_t head = i / blocks;
    if (head / job->a.group != packed) attention_pack(job, packed = head / job->a.group, &m);
    attention_query_block(job, &m, head, i % blocks * block);
  }
}

static inline Status attention_run_blocks(const AttentionKernel* kernel, const Launch& launch,
                                          int threads) {
  AttentionJob job;
  job.kernel = kernel;
  job.a = attention_of(launch);
  job.threads = threads;
  job.memory = (char*)launch.plan_state;
  job.value_floats = attention_value_floats(kernel, job.a.d);
  job.part_floats = attention_part_floats(kernel, launch.shape);
  team_run(threads, attention_part, &job);
  return Status();
}

}  // namespace ridge
