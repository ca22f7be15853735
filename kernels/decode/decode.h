// The decode family's view of a launch: one new query a sequence, against all keys and values that the sequence
// has in its cache. A batch of sequences of different lengths; the cache in one piece or in pages.
//
//   Shape::dim   {batch, heads, heads_kv, length, head_size, page, mixed}; heads_kv divides heads; length is the
//                longest that a sequence may have, >= 1; head_size a multiple of 8 up to 256; page 0 (the cache
//                is in one piece) or a multiple of 16; mixed is the problem's affair alone (decode_length())
//   buffers[0]   Q, input:       [batch][heads][head_size]
//   buffers[1]   K, input:       page = 0: [batch][heads_kv][length][head_size]
//                                else:     [pages][heads_kv][page][head_size]
//   buffers[2]   V, input:       as K
//   buffers[3]   O, output:      as Q; arrives filled with poison
//   buffers[4]   lengths, input: int32, [batch], 1 .. length: how many keys each sequence has
//   buffers[5]   table, input:   int32, [batch][ceil(length / page)]: which page holds keys i * page and on;
//                                -1 behind the sequence's last page. page = 0: one word without a meaning
//
// Q, K, V and O are of Shape::dtype (fp32, bf16, fp16); scores, softmax and sums are kept in fp32. Lengths and
// table change from step to step: prepare() does not see them, launch() may not look at them on the host of a
// GPU. Rows of the cache behind a sequence's end may hold anything, also what is not a number.
//
// Pages: Kwon et al., PagedAttention, arXiv:2309.06180. ISA-flagged files include this header: nothing with
// external linkage, no templates, no std::.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/core/host_device.h"
#include "common/harness/kernel/kernel.h"

namespace ridge {

enum DecodeDim {
  kDecodeBatch = 0,
  kDecodeHeads = 1,
  kDecodeHeadsKv = 2,
  kDecodeLength = 3,
  kDecodeHeadSize = 4,
  kDecodePage = 5,
  kDecodeMixed = 6
};
enum DecodeBuffer {
  kDecodeQ = 0,
  kDecodeK = 1,
  kDecodeV = 2,
  kDecodeO = 3,
  kDecodeLengths = 4,
  kDecodeTable = 5
};

/// Pages hold whole multiples of this many keys.
#define RIDGE_DECODE_PIECE 16

/// One call. Pointers are to host memory on the CPU, to device memory on CUDA; a kernel casts q, k, v and o to
/// its type.
struct Decode {
  int64_t batch, heads, heads_kv, length;
  int64_t group;  ///< neighbouring query heads that share a head of keys and values
  int64_t d;      ///< head size
  int64_t page;   ///< keys of a page; 0: no pages
  int64_t table_width;
  float scale;  ///< 1 / sqrt(d)
  const void *q, *k, *v;
  void* o;
  const int32_t *lengths, *table;
  int threads;   ///< CPU threads the kernel may use; GPU kernels ignore it
  void* stream;  ///< cudaStream_t on CUDA, null on the CPU
};

static inline int64_t decode_table_width(const Shape& shape) {
  const int64_t page = shape.dim[kDecodePage];
  return page > 0 ? (shape.dim[kDecodeLength] + page - 1) / page : 1;
}

static inline Decode decode_of(const Launch& launch) {
  const int64_t* dim = launch.shape.dim;
  Decode a;
  a.batch = dim[kDecodeBatch];
  a.heads = dim[kDecodeHeads];
  a.heads_kv = dim[kDecodeHeadsKv];
  a.group = a.heads / a.heads_kv;
  a.length = dim[kDecodeLength];
  a.d = dim[kDecodeHeadSize];
  a.page = dim[kDecodePage];
  a.table_width = decode_table_width(launch.shape);
  a.scale = 1.0f / __builtin_sqrtf((float)a.d);
  a.q = launch.buffers[kDecodeQ];
  a.k = launch.buffers[kDecodeK];
  a.v = launch.buffers[kDecodeV];
  a.o = launch.buffers[kDecodeO];
  a.lengths = (const int32_t*)launch.buffers[kDecodeLengths];
  a.table = (const int32_t*)launch.buffers[kDecodeTable];
  a.threads = launch.shape.threads;
  a.stream = launch.stream;
  return a;
}

/// The row of K and of V (of head_size elements) that holds key `key` of a sequence, for a head of keys. Rows
/// up to the end of its page, or of the sequence, follow.
static inline RIDGE_HOST_DEVICE int64_t decode_row(const Decode& a, int64_t sequence,
                                                   int64_t head_kv, int64_t key) {
  if (a.page == 0) return (sequence * a.heads_kv + head_kv) * a.length + key;
  const int64_t page = a.table[sequence * a.table_width + key / a.page];
  return (page * a.heads_kv + head_kv) * a.page + key % a.page;
}

}  // namespace ridge
