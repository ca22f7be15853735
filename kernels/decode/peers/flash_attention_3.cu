// ridge: arch=90a needs=flash3 flags=--expt-relaxed-constexpr
//
// Idea      FlashAttention-3's own decode: split KV, the group's heads packed into the rows of a product.
// Changed   Compiled here from its folder hopper/ and called without PyTorch, as its flash_attn_with_kvcache calls it.
// Limits    Memory.
// Look at   splits: its rule gives a part of the keys to another block only where blocks would be too few.
// Source    Shah et al., FlashAttention-3, arXiv:2407.08608; Dao et al., Flash-Decoding (2023);
//           github.com/Dao-AILab/flash-attention, hopper/ (heuristics.h, flash_api.cpp).
#include <cstdio>
#include <new>

#include "common/harness/kernel/cuda_check.h"
#include "kernels/decode/decode.h"
#include "kernels/runtime/peers/flash_3.h"

#include <heuristics.h>
#include <tile_size.h>

namespace {

using namespace ridge;

constexpr int kHeadSize = 128;

struct FlashDecodePlan {
  float* row_sums = nullptr;      ///< the logarithms of the rows' sums, which it writes too
  float* partial = nullptr;       ///< [splits][batch][heads][head size]
  float* partial_sums = nullptr;  ///< [splits][batch][heads]
  int splits = 1;
  int sms = 0;
};

void release(void* state) {
  auto* plan = static_cast<FlashDecodePlan*>(state);
  cudaFree(plan->row_sums);
  cudaFree(plan->partial);
  cudaFree(plan->partial_sums);
  delete plan;
}

/// As its get_num_splits() asks its own rule.
int splits_of(const Shape& shape, int sms) {
  const int64_t* dim = shape.dim;
  const auto tile = tile_size_fwd_sm90(kHeadSize, kHeadSize, false, false, 2, false, false, false);
  const auto group = static_cast<int>(dim[kDecodeHeads] / dim[kDecodeHeadsKv]);
  const auto length = static_cast<int>(dim[kDecodeLength]);
  const int m_blocks = (group + std::get<0>(tile) - 1) / std::get<0>(tile);
  const int n_blocks = (length + std::get<1>(tile) - 1) / std::get<1>(tile);
  const auto blocks = static_cast<int>(dim[kDecodeBatch] * dim[kDecodeHeadsKv]) * m_blocks;
  return num_splits_heuristic(blocks, sms, n_blocks, m_blocks, length * 2 * kHeadSize * 2, false, 128);
}

Status prepare(const Shape& shape, Plan* plan) {
  const int64_t* dim = shape.dim;
  if (dim[kDecodeHeadSize] != kHeadSize) return refuse("takes head size 128");
  if (dim[kDecodePage] != 0 || dim[kDecodeMixed] != 0) {
    return refuse("takes a cache in one piece and sequences of equal lengths: page=0, lengths=equal");
  }
  auto* state = new (std::nothrow) FlashDecodePlan;
  if (!state) return {"out of memory", "new FlashDecodePlan", __FILE__, __LINE__, false};
  *plan = {state, release, 0};
  int device = 0;
  RIDGE_CUDA_CHECK(cudaGetDevice(&device));
  RIDGE_CUDA_CHECK(cudaDeviceGetAttribute(&state->sms, cudaDevAttrMultiProcessorCount, device));
  state->splits = splits_of(shape, state->sms);
  const size_t rows = size_t(dim[kDecodeBatch] * dim[kDecodeHeads]), all = rows * size_t(state->splits);
  std::snprintf(plan->note, sizeof(plan->note), "%d %s", state->splits, state->splits == 1 ? "split" : "splits");
  RIDGE_CUDA_CHECK(cudaMalloc(&state->row_sums, rows * sizeof(float)));
  plan->workspace_bytes = rows * sizeof(float);
  if (state->splits == 1) return {};
  RIDGE_CUDA_CHECK(cudaMalloc(&state->partial, all * kHeadSize * sizeof(float)));
  RIDGE_CUDA_CHECK(cudaMalloc(&state->partial_sums, all * sizeof(float)));
  plan->workspace_bytes += all * (kHeadSize + 1) * sizeof(float);
  return {};
}

/// One query a sequence: its rows are the heads. Strides in elements.
Flash_fwd_params parameters(const Launch& launch, const FlashDecodePlan& plan) {
  const Decode a = decode_of(launch);
  Flash_fwd_params p = {};
  p.q_ptr = const_cast<void*>(a.q), p.k_ptr = const_cast<void*>(a.k), p.v_ptr = const_cast<void*>(a.v);
  p.o_ptr = a.o;
  p.softmax_lse_ptr = plan.row_sums;
  p.b = p.b_k = int(a.batch), p.h = int(a.heads), p.h_k = int(a.heads_kv);
  p.q_row_stride = p.o_row_stride = a.heads * a.d;
  p.q_head_stride = p.o_head_stride = p.k_row_stride = p.v_row_stride = a.d;
  p.q_batch_stride = p.o_batch_stride = a.heads * a.d;
  p.k_head_stride = p.v_head_stride = a.length * a.d;
  p.k_batch_stride = p.v_batch_stride = a.heads_kv * a.length * a.d;
  p.v_dim_stride = 1;
  p.seqlen_q = 1, p.seqlen_k = int(a.length);
  p.seqlen_q_rounded = 128, p.seqlen_k_rounded = int(a.length + 127) / 128 * 128;
  p.total_q = p.b, p.total_k = p.b * p.seqlen_k;
  p.d = p.dv = p.d_rounded = p.dv_rounded = kHeadSize;
  p.scale_softmax = a.scale;
  p.p_dropout = p.rp_dropout = 1;
  p.p_dropout_in_uint8_t = 255;
  p.is_bf16 = true;
  p.window_size_left = p.seqlen_k - 1;
  p.arch = 90;
  p.num_sm = plan.sms;
  p.page_size = 1;
  p.num_splits = plan.splits;
  p.pack_gqa = true;
  p.varlen_sort_batches = true;
  p.oaccum_ptr = plan.partial, p.softmax_lseaccum_ptr = plan.partial_sums;
  p.oaccum_row_stride = p.oaccum_head_stride = a.d;
  p.oaccum_batch_stride = a.heads * a.d, p.oaccum_split_stride = a.batch * a.heads * a.d;
  p.lseaccum_head_stride = 1, p.lseaccum_batch_stride = a.heads, p.lseaccum_split_stride = a.batch * a.heads;
  return p;
}

Status launch(const Launch& launch) {
  const auto& plan = *static_cast<const FlashDecodePlan*>(launch.plan_state);
  const auto stream = static_cast<cudaStream_t>(launch.stream);
  Flash_fwd_params p = parameters(launch, plan);
  if (plan.splits == 1) {
    run_mha_fwd_<90, cutlass::bfloat16_t, kHeadSize, kHeadSize, false, false, false, true>(p, stream);
  } else {
    run_mha_fwd_<90, cutlass::bfloat16_t, kHeadSize, kHeadSize, true, false, false, true>(p, stream);
    run_mha_fwd_combine_<cutlass::bfloat16_t, float, kHeadSize>(p, stream, true);
  }
  return RIDGE_CUDA_LAUNCHED(run_mha_fwd_);
}

const char* version() {
  return RIDGE_FLASH3_VERSION;
}

}  // namespace

RIDGE_KERNEL(decode, cuda, flash_attention_3, .dtypes = "bf16", .library = "FlashAttention-3", .version = version,
             .prepare = prepare, .launch = launch);
