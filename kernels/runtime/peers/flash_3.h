// What the FlashAttention-3 peers share: its parameters for dense operands, as its flash_api.cpp fills them in, and what
// is left out of a compilation: windows, pages, splits, sequences of several lengths.
//
// With asserts (no NDEBUG) kernels of CUTLASS call functions, and ptxas then puts a wait after each wgmma. The other
// definitions are those of its own setup.py.
#pragma once

#ifndef NDEBUG
#define NDEBUG
#endif
#define CUTE_SM90_EXTENDED_MMA_SHAPES_ENABLED
#define CUTLASS_ENABLE_GDC_FOR_SM90
#define FLASHATTENTION_DISABLE_APPENDKV
#define FLASHATTENTION_DISABLE_LOCAL
#define FLASHATTENTION_DISABLE_SOFTCAP
#define FLASHATTENTION_DISABLE_VARLEN

#include <cuda_runtime.h>

#include <cutlass/numeric_types.h>
#include <flash.h>

#include "kernels/runtime/problems/attention.h"

namespace ridge {

/// Sets what a forward and a backward pass have in common. Strides in elements; `padded`: the sequence, rounded up as
/// its buffers are.
inline void set_flash_3(const Launch& launch, int padded, int sms, float* row_sums, Flash_fwd_params* p) {
  const Attention a = attention_of(launch);
  const int64_t* dim = launch.shape.dim;
  const int64_t head = a.sequence * a.d;
  const auto size = static_cast<int>(a.sequence), d = static_cast<int>(a.d);
  p->q_ptr = const_cast<void*>(a.q), p->k_ptr = const_cast<void*>(a.k), p->v_ptr = const_cast<void*>(a.v);
  p->o_ptr = a.o;
  p->softmax_lse_ptr = row_sums;
  p->b = p->b_k = static_cast<int>(dim[kAttentionBatch]);
  p->h = static_cast<int>(dim[kAttentionHeads]), p->h_k = static_cast<int>(dim[kAttentionHeadsKv]);
  p->q_row_stride = p->k_row_stride = p->v_row_stride = p->o_row_stride = a.d;
  p->q_head_stride = p->k_head_stride = p->v_head_stride = p->o_head_stride = head;
  p->q_batch_stride = p->o_batch_stride = p->h * head;
  p->k_batch_stride = p->v_batch_stride = p->h_k * head;
  p->v_dim_stride = 1;
  p->seqlen_q = p->seqlen_k = size;
  p->seqlen_q_rounded = p->seqlen_k_rounded = padded;
  p->total_q = p->total_k = p->b * size;
  p->d = p->dv = p->d_rounded = p->dv_rounded = d;
  p->scale_softmax = a.scale;
  p->p_dropout = p->rp_dropout = 1;
  p->p_dropout_in_uint8_t = 255;
  p->is_bf16 = true;
  p->is_causal = a.causal != 0;
  p->window_size_left = size - 1;
  p->window_size_right = p->is_causal ? 0 : size - 1;
  p->arch = 90;
  p->num_sm = sms;
}

}  // namespace ridge
