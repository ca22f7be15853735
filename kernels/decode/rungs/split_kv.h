// The CPU rungs' loops: each worker attends over its share of all keys (shares.h), a piece of 16 at a time for a
// whole group of query heads, and leaves a partial result for each head it met; then the partial results of a
// head are merged. C-like, static only: ISA-flagged files include it.
#pragma once

#include <stdlib.h>

#include "kernels/decode/rungs/shares.h"
#include "kernels/runtime/cpu/team.h"

namespace ridge {

/// A slot's partial results: of each query head of the group.
struct DecodePartial {
  float *running_max, *sum, *o;  ///< group, group, group x d; scores in units of log2(e)
};

/// `count` keys (1 to 16), whose rows of K and V follow each other, for `group` heads of queries. Those `next_k` and
/// `next_v` of the next piece are wanted soon (null: there is none).
typedef void (*DecodePiece)(const float* q, const float* k, const float* v, const float* next_k,
                            const float* next_v, int64_t count, int64_t group, int64_t d,
                            float scale, DecodePartial* partial);
/// o (d) = weighted sum of all slots' partial results of head `head` of the group.
typedef void (*DecodeMerge)(const DecodePartial* slots, int64_t count, int64_t head, int64_t d,
                            float* o);

struct DecodeCpu {
  DecodePiece piece;
  DecodeMerge merge;
};

struct DecodeJob {
  const DecodeCpu* cpu;
  Decode a;
  int threads;
  DecodePartial* slots;  ///< threads + batch * heads_kv
};

static inline void decode_part(void* context, int index) {
  const DecodeJob* job = (const DecodeJob*)context;
  const Decode* a = &job->a;
  DecodeShare share = decode_share(*a, index, job->threads);
  DecodeStretch at;
  while (decode_next(*a, &share, &at)) {
    DecodePartial* slot = &job->slots[index + at.sequence * a->heads_kv + at.head_kv];
    const float* q = (const float*)a->q + (at.sequence * a->heads + at.head_kv * a->group) * a->d;
    for (int64_t i = 0; i < a->group; ++i) slot->running_max[i] = -__builtin_inff(), slot->sum[i] = 0;
    for (int64_t i = 0; i < a->group * a->d; ++i) slot->o[i] = 0;
    int64_t row = decode_row(*a, at.sequence, at.head_kv, at.first) * a->d;
    for (int64_t key = at.first; key < at.end; key += RIDGE_DECODE_PIECE) {
      const int64_t left = at.end - key, after = key + RIDGE_DECODE_PIECE;
      const int64_t next =
          after < at.end ? decode_row(*a, at.sequence, at.head_kv, after) * a->d : -1;
      const float *k = (const float*)a->k, *v = (const float*)a->v;
      job->cpu->piece(q, k + row, v + row, next < 0 ? NULL : k + next, next < 0 ? NULL : v + next,
                      left < RIDGE_DECODE_PIECE ? left : RIDGE_DECODE_PIECE, a->group, a->d,
                      a->scale * 1.44269504f, slot);
      row = next;
    }
  }
}

/// Which slots an item has: those of the workers whose ranges its pieces, from `begin` on of `all`, are in.
static inline void decode_merge_item(const DecodeJob* job, int64_t item, int64_t begin,
                                     int64_t all) {
  const Decode* a = &job->a;
  const int64_t pieces = decode_pieces(a->lengths[item / a->heads_kv]), last = begin + pieces - 1;
  // Worker w has the pieces from floor(all w / threads) on: piece p is w's for the largest such w.
  const int64_t from = ((begin + 1) * job->threads - 1) / all,
                to = ((last + 1) * job->threads - 1) / all;
  for (int64_t i = 0; i < a->group; ++i) {
    float* o = (float*)a->o + (item * a->group + i) * a->d;
    job->cpu->merge(job->slots + from + item, to - from + 1, i, a->d, o);
  }
}

static inline int64_t decode_slots(const Shape& shape, int threads) {
  return threads + shape.dim[kDecodeBatch] * shape.dim[kDecodeHeadsKv];
}

/// Slots first, then their numbers.
static inline Status decode_prepare(const Shape& shape, int threads, Plan* plan) {
  const int64_t group = shape.dim[kDecodeHeads] / shape.dim[kDecodeHeadsKv],
                d = shape.dim[kDecodeHeadSize];
  const int64_t slots = decode_slots(shape, threads);
  const int64_t floats = (group * (d + 2) + 15) / 16 * 16;
  const size_t head = ((size_t)slots * sizeof(DecodePartial) + 63) / 64 * 64;
  plan->workspace_bytes = head + (size_t)(slots * floats) * sizeof(float);
  plan->state = aligned_alloc(64, plan->workspace_bytes);
  plan->release = free;
  Status status;
  if (plan->state == NULL) {
    status.what = "out of memory";
    status.expression = "aligned_alloc";
    return status;
  }
  DecodePartial* slot = (DecodePartial*)plan->state;
  for (int64_t i = 0; i < slots; ++i) {
    slot[i].o = (float*)((char*)plan->state + head) + i * floats;
    slot[i].running_max = slot[i].o + group * d;
    slot[i].sum = slot[i].running_max + group;
  }
  return status;
}

static inline Status decode_run(const DecodeCpu* cpu, const Launch& launch, int threads) {
  DecodeJob job;
  job.cpu = cpu;
  job.a = decode_of(launch);
  job.slots = (DecodePartial*)launch.plan_state;
  const int64_t all = decode_all_pieces(job.a);
  job.threads =
      all < threads ? (int)all : threads;  // a worker without a piece would leave a slot empty
  team_run(job.threads, decode_part, &job);
  int64_t begin = 0;
  for (int64_t item = 0; item < job.a.batch * job.a.heads_kv; ++item) {
    decode_merge_item(&job, item, begin, all);
    begin += decode_pieces(job.a.lengths[item / job.a.heads_kv]);
  }
  return Status();
}

}  // namespace ridge
