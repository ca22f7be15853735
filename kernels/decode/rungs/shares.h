// A call's work in equal shares, whatever the lengths: all pieces of 16 keys, in the order of sequence, head of
// keys, key, are dealt to the workers in contiguous ranges. Where a range ends within a head, the head is split.
//
// A head of keys of a sequence is an *item*; worker w and item i meet in slot w + i, and nobody else does: from one
// meeting to the next either w or i grows by one. The slots of an item follow each other. A slot holds, for each
// query head of the group, the largest score, the sum of weights and the weighted sum that this stretch of keys
// gives; merging them is the online softmax once more.
//
// Sources: split KV, Dao et al., Flash-Decoding (2023); equal contiguous shares of all work, Osama et al.,
// Stream-K, arXiv:2301.03598. C-like: ISA-flagged files include this.
#pragma once

#include "kernels/decode/decode.h"

namespace ridge {

static inline RIDGE_HOST_DEVICE int64_t decode_pieces(int64_t keys) {
  return (keys + RIDGE_DECODE_PIECE - 1) / RIDGE_DECODE_PIECE;
}

/// Keys `first` to `end` of a head: all of it that one worker has.
struct DecodeStretch {
  int64_t sequence, head_kv, first, end;
};

/// Where a worker is in its range.
struct DecodeShare {
  int64_t sequence, piece;  ///< the piece counted over all heads of the sequence
  int64_t left;             ///< pieces
};

static inline int64_t decode_all_pieces(const Decode& a) {
  int64_t sum = 0;
  for (int64_t i = 0; i < a.batch; ++i) sum += decode_pieces(a.lengths[i]) * a.heads_kv;
  return sum;
}

static inline DecodeShare decode_share(const Decode& a, int64_t worker, int64_t workers) {
  const int64_t all = decode_all_pieces(a), begin = all * worker / workers;
  DecodeShare share;
  share.left = all * (worker + 1) / workers - begin;
  share.sequence = 0;
  share.piece = begin;
  while (share.sequence < a.batch) {
    const int64_t pieces = decode_pieces(a.lengths[share.sequence]) * a.heads_kv;
    if (share.piece < pieces) break;
    share.piece -= pieces;
    ++share.sequence;
  }
  return share;
}

/// The next stretch of a share; 0: there is none.
static inline int decode_next(const Decode& a, DecodeShare* share, DecodeStretch* stretch) {
  if (share->left <= 0) return 0;
  const int64_t keys = a.lengths[share->sequence], pieces = decode_pieces(keys);
  const int64_t from = share->piece % pieces;
  const int64_t count = pieces - from < share->left ? pieces - from : share->left;
  stretch->sequence = share->sequence;
  stretch->head_kv = share->piece / pieces;
  stretch->first = from * RIDGE_DECODE_PIECE;
  stretch->end = (from + count) * RIDGE_DECODE_PIECE;
  if (stretch->end > keys) stretch->end = keys;
  share->left -= count;
  share->piece += count;
  if (share->piece == pieces * a.heads_kv) {
    ++share->sequence;
    share->piece = 0;
  }
  return 1;
}

}  // namespace ridge
