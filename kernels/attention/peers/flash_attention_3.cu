// ridge: arch=90a needs=flash3
//
// Idea      The peer from its authors' source: FlashAttention-3, whose ideas our last rungs follow.
// Changed   Against the library through PyTorch: compiled here from its folder hopper/, without PyTorch, and called
//           as any rung. What its Python function does beyond the launch is left out: checks, and new tensors.
// Limits    As ours: the tensor cores and the exponentials.
// Look at   causal: it gives blocks their tiles by a counter, which is set to zero in each call.
// Source    Shah et al., FlashAttention-3, arXiv:2407.08608; github.com/Dao-AILab/flash-attention, hopper/.
#include <new>

#include "common/harness/kernel/cuda_check.h"
#include "kernels/attention/peers/flash_3.h"
#include "kernels/runtime/problems/attention.h"

namespace {

using namespace ridge;

struct FlashPlan {
  float* row_sums = nullptr;  ///< the logarithms of the rows' sums, which it writes too
  int* tiles = nullptr;       ///< given out so far
  int sms = 0;
};

void release(void* state) {
  auto* plan = static_cast<FlashPlan*>(state);
  cudaFree(plan->row_sums);
  cudaFree(plan->tiles);
  delete plan;
}

Status prepare(const Shape& shape, Plan* plan) {
  const int64_t d = shape.dim[kAttentionHeadSize];
  if (d != 64 && d != 128)
    return refuse("takes head sizes 64 and 128");
  auto* state = new (std::nothrow) FlashPlan;
  if (!state) return {"out of memory", "new FlashPlan", __FILE__, __LINE__, false};
  const auto rows = static_cast<size_t>(shape.dim[kAttentionBatch] * shape.dim[kAttentionHeads] *
                                        shape.dim[kAttentionSequence]);
  *plan = {state, release, (rows + 1) * sizeof(float)};
  int device = 0;
  RIDGE_CUDA_CHECK(cudaGetDevice(&device));
  RIDGE_CUDA_CHECK(cudaDeviceGetAttribute(&state->sms, cudaDevAttrMultiProcessorCount, device));
  RIDGE_CUDA_CHECK(cudaMalloc(&state->row_sums, rows * sizeof(float)));
  RIDGE_CUDA_CHECK(cudaMalloc(&state->tiles, sizeof(int)));
  return {};
}

int rounded(int64_t value) {
  return static_cast<int>((value + 127) / 128 * 128);
}

/// As flash_api.cpp fills them in for dense operands; strides in elements.
Flash_fwd_params parameters(const Launch& launch, const FlashPlan& plan) {
  const Attention a = attention_of(launch);
  const int64_t* dim = launch.shape.dim;
  const int64_t head = a.sequence * a.d;
  const auto size = static_cast<int>(a.sequence), d = static_cast<int>(a.d);
  Flash_fwd_params p = {};
  p.q_ptr = const_cast<void*>(a.q), p.k_ptr = const_cast<void*>(a.k), p.v_ptr = const_cast<void*>(a.v), p.o_ptr = a.o;
  p.softmax_lse_ptr = plan.row_sums;
  p.b = p.b_k = static_cast<int>(dim[kAttentionBatch]);
  p.h = static_cast<int>(dim[kAttentionHeads]), p.h_k = static_cast<int>(dim[kAttentionHeadsKv]);
  p.q_row_stride = p.k_row_stride = p.v_row_stride = p.o_row_stride = a.d;
  p.q_head_stride = p.k_head_stride = p.v_head_stride = p.o_head_stride = head;
  p.q_batch_stride = p.o_batch_stride = p.h * head;
  p.k_batch_stride = p.v_batch_stride = p.h_k * head;
  p.v_dim_stride = 1;
  p.seqlen_q = p.seqlen_k = size;
  p.seqlen_q_rounded = p.seqlen_k_rounded = rounded(a.sequence);
  p.total_q = p.total_k = p.b * size;
  p.d = p.dv = p.d_rounded = p.dv_rounded = d;
  p.scale_softmax = a.scale;
  p.p_dropout = p.rp_dropout = 1;
  p.p_dropout_in_uint8_t = 255;
  p.is_bf16 = true;
  p.is_causal = a.causal != 0;
  p.window_size_left = size - 1;
  p.window_size_right = p.is_causal ? 0 : size - 1;
  p.page_size = 1;
  p.num_splits = 1;
  p.tile_count_semaphore = p.is_causal ? plan.tiles : nullptr;
  p.head_swizzle = p.is_causal;
  p.varlen_sort_batches = true;
  p.arch = 90;
  p.num_sm = plan.sms;
  return p;
}

Status launch(const Launch& launch) {
  const auto& plan = *static_cast<const FlashPlan*>(launch.plan_state);
  const auto stream = static_cast<cudaStream_t>(launch.stream);
  Flash_fwd_params p = parameters(launch, plan);
  if (p.is_causal) RIDGE_CUDA_CHECK(cudaMemsetAsync(plan.tiles, 0, sizeof(int), stream));
  if (p.d == 64) {
    run_mha_fwd_<90, cutlass::bfloat16_t, 64, 64, false, false, false, false>(p, stream);
  } else {
    run_mha_fwd_<90, cutlass::bfloat16_t, 128, 128, false, false, false, false>(p, stream);
  }
  return RIDGE_CUDA_LAUNCHED(run_mha_fwd_);
}

const char* version() {
  return RIDGE_FLASH3_VERSION;
}

}  // namespace

RIDGE_KERNEL(attention, cuda, flash_attention_3, .dtypes = "bf16", .library = "FlashAttention-3", .version = version,
             .prepare = prepare, .launch = launch);
