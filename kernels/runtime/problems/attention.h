// The attention family's view of a launch: O = softmax(Q Kt / sqrt(d)) V, for each head of each
// sequence of a batch.
//
//   Shape::dim   {batch, heads, heads_kv, sequence, head_size, causal}; batch, heads, sequence >= 1,
//                heads_kv divides heads, head_size a multiple of 8 up to 256, causal 0 or 1
//   buffers[0]   Q, input:  [batch][heads][sequence][head_size], dense, row-major
//   buffers[1]   K, input:  [batch][heads_kv][sequence][head_size]
//   buffers[2]   V, input:  as K
//   buffers[3]   O, output: as Q; arrives filled with poison
//
//   buffers[4]   scales, input, fp8 only: fp32, [batch][heads_kv][3]: what the elements of that head of K and V
//                and of the queries that read it stand for are they times these (Q's, K's, V's)
//
// Query head h reads key and value head h / (heads / heads_kv) (grouped-query attention; Ainslie et al.,
// arXiv:2305.13245). causal: query i sees keys 0 .. i. All four are of Shape::dtype (fp32, bf16,
// fp16; fp8: e4m3, and O in bf16); scores, softmax and sums are kept in fp32; the weights P may be rounded to the type before they meet V.
//
// ISA-flagged files include this header: nothing with external linkage, no templates, no std::.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/harness/kernel/kernel.h"

namespace ridge {

enum AttentionDim {
  kAttentionBatch = 0,
  kAttentionHeads = 1,
  kAttentionHeadsKv = 2,
  kAttentionSequence = 3,
  kAttentionHeadSize = 4,
  kAttentionCausal = 5
};
enum AttentionBuffer {
  kAttentionQ = 0,
  kAttentionK = 1,
  kAttentionV = 2,
  kAttentionO = 3,
  kAttentionScales = 4
};

/// One call. Pointers are to host memory on the CPU, to device memory on CUDA; a kernel casts them to
/// its type.
struct Attention {
  int64_t heads;     ///< of queries, over the whole batch: batch * heads
  int64_t group;     ///< neighbouring query heads that share a head of keys and values
  int64_t sequence;  ///< queries, and keys, of a head
  int64_t d;         ///< head size
  int causal;
  float scale;  ///< 1 / sqrt(d)
  const void *q, *k, *v;
  void* o;
  const float* scales;  ///< null but for fp8
  int threads;          ///< CPU threads the kernel may use; GPU kernels ignore it
  void* stream;         ///< cudaStream_t on CUDA, null on the CPU
};

/// Since heads_kv divides heads, `head / group` is the place of keys and values over the whole batch.
static inline Attention attention_of(const Launch& launch) {
  const int64_t* dim = launch.shape.dim;
  Attention a;
  a.heads = dim[kAttentionBatch] * dim[kAttentionHeads];
  a.group = dim[kAttentionHeads] / dim[kAttentionHeadsKv];
  a.sequence = dim[kAttentionSequence];
  a.d = dim[kAttentionHeadSize];
  a.causal = dim[kAttentionCausal] != 0;
  a.scale = 1.0f / __builtin_sqrtf((float)a.d);
  a.q = launch.buffers[kAttentionQ];
  a.k = launch.buffers[kAttentionK];
  a.v = launch.buffers[kAttentionV];
  a.o = launch.buffers[kAttentionO];
  a.scales =
      launch.shape.dtype == DType::fp8 ? (const float*)launch.buffers[kAttentionScales] : NULL;
  a.threads = launch.shape.threads;
  a.stream = launch.stream;
  return a;
}

/// Keys that query `i` sees.
static inline int64_t attention_keys(const Attention& a, int64_t i) {
  return a.causal ? i + 1 : a.sequence;
}

}  // namespace ridge
