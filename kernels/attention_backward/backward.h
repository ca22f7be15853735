// The attention_backward family's view of a launch: the gradients of attention (kernels/runtime/problems/attention.h)
// with respect to Q, K and V, for a gradient dO that comes from the layer above.
//
//   Shape::dim   as attention's: {batch, heads, heads_kv, sequence, head_size, causal}
//   buffers[0]   Q,  input:  [batch][heads][sequence][head_size], dense, row-major
//   buffers[1]   K,  input:  [batch][heads_kv][sequence][head_size]
//   buffers[2]   V,  input:  as K
//   buffers[3]   O,  input:  as Q: what the forward pass wrote, rounded to the type
//   buffers[4]   dO, input:  as Q
//   buffers[5]   L,  input:  fp32, [batch][heads][sequence]: ln of a row's sum of exponentials, the one number
//                            that the forward pass keeps of its scores
//   buffers[6]   dQ, output: as Q; arrives filled with poison, as the other two
//   buffers[7]   dK, output: as K: the sum over the heads of queries that share it
//   buffers[8]   dV, output: as K
//
//   P = exp(Q Kt / sqrt(d) - L)      D_i = sum of dO_i * O_i over the head      dS = P (dO Vt - D)
//   dV = Pt dO      dK = dSt Q / sqrt(d)      dQ = dS K / sqrt(d)
//
// All but L are of Shape::dtype (fp32, bf16, fp16); P and dS may be rounded to it before the three products.
// Dao et al., FlashAttention, arXiv:2205.14135, appendix B.
#pragma once

#include "kernels/runtime/problems/attention.h"

namespace ridge {

enum BackwardBuffer {
  kBackwardDO = 4,
  kBackwardL = 5,
  kBackwardDQ = 6,
  kBackwardDK = 7,
  kBackwardDV = 8,
  kBackwardBuffers = 9
};

/// One call: attention's inputs and O in `a`, the rest beside it. Pointers as there.
struct AttentionBackward {
  Attention a;
  const void* d_o;
  const float* l;
  void *dq, *dk, *dv;
};

static inline AttentionBackward backward_of(const Launch& launch) {
  AttentionBackward b;
  b.a = attention_of(launch);
  b.d_o = launch.buffers[kBackwardDO];
  b.l = (const float*)launch.buffers[kBackwardL];
  b.dq = launch.buffers[kBackwardDQ];
  b.dk = launch.buffers[kBackwardDK];
  b.dv = launch.buffers[kBackwardDV];
  return b;
}

}  // namespace ridge
