// ridge: arch=90a needs=flash3
//
// Idea      The peer from its authors' source: FlashAttention-3's backward pass, whose shape our last rung has.
// Changed   Against the library through PyTorch: compiled here from its folder hopper/, without PyTorch, and called
//           as any rung. What its Python function does beyond the launches is left out: checks, and new tensors.
// Limits    As ours: shared memory, the tensor cores, and adding up dQ.
// Look at   heads_kv: its heads that share keys add up dK and dV in fp32 in memory, which is set to zero in each call.
// Source    Shah et al., FlashAttention-3, arXiv:2407.08608; github.com/Dao-AILab/flash-attention, hopper/.
#include <new>

#include "common/harness/kernel/cuda_check.h"
#include "kernels/attention_backward/backward.h"
#include "kernels/runtime/peers/flash_3.h"

template <>
void run_mha_bwd_<90, cutlass::bfloat16_t, 64, false>(Flash_bwd_params& params, cudaStream_t stream);
template <>
void run_mha_bwd_<90, cutlass::bfloat16_t, 128, false>(Flash_bwd_params& params, cudaStream_t stream);

namespace {

using namespace ridge;

/// Its tiles have 64, 80 or 128 queries and 128 keys: so many rows are whole ones of each.
constexpr int64_t kWholeTiles = 640;

struct FlashPlan {
  float *row_sums = nullptr, *d_rows = nullptr;  ///< L log2(e) and D, as it keeps them
  float *dq = nullptr, *dk = nullptr, *dv = nullptr;
  size_t kv_bytes = 0;  ///< of dk and dv: none where each head of queries has keys of its own
  int* turns = nullptr;
  int sms = 0, padded = 0;
};

void release(void* state) {
  auto* plan = static_cast<FlashPlan*>(state);
  for (void* memory : {static_cast<void*>(plan->row_sums), static_cast<void*>(plan->d_rows),
                       static_cast<void*>(plan->dq), static_cast<void*>(plan->dk), static_cast<void*>(plan->dv),
                       static_cast<void*>(plan->turns)})
    cudaFree(memory);
  delete plan;
}

Status prepare(const Shape& shape, Plan* plan) {
  const int64_t* dim = shape.dim;
  const int64_t d = dim[kAttentionHeadSize];
  if (d != 64 && d != 128) return refuse("takes head sizes 64 and 128");
  auto* state = new (std::nothrow) FlashPlan;
  if (!state) return {"out of memory", "new FlashPlan", __FILE__, __LINE__, false};
  *plan = {state, release, 0};
  const int64_t padded = (dim[kAttentionSequence] + kWholeTiles - 1) / kWholeTiles * kWholeTiles;
  const auto rows = static_cast<size_t>(dim[kAttentionBatch] * dim[kAttentionHeads] * padded);
  const auto kv_rows = static_cast<size_t>(dim[kAttentionBatch] * dim[kAttentionHeadsKv] * padded);
  const size_t row = static_cast<size_t>(d) * sizeof(float);
  state->padded = static_cast<int>(padded);
  state->kv_bytes = dim[kAttentionHeads] == dim[kAttentionHeadsKv] ? 0 : kv_rows * row;
  int device = 0;
  RIDGE_CUDA_CHECK(cudaGetDevice(&device));
  RIDGE_CUDA_CHECK(cudaDeviceGetAttribute(&state->sms, cudaDevAttrMultiProcessorCount, device));
  RIDGE_CUDA_CHECK(cudaMalloc(&state->row_sums, rows * sizeof(float)));
  RIDGE_CUDA_CHECK(cudaMalloc(&state->d_rows, rows * sizeof(float)));
  RIDGE_CUDA_CHECK(cudaMalloc(&state->turns, rows / 64 * sizeof(int)));
  RIDGE_CUDA_CHECK(cudaMalloc(&state->dq, rows * row));
  if (state->kv_bytes > 0) {
    RIDGE_CUDA_CHECK(cudaMalloc(&state->dk, state->kv_bytes));
    RIDGE_CUDA_CHECK(cudaMalloc(&state->dv, state->kv_bytes));
  }
  plan->workspace_bytes = rows * (2 * sizeof(float) + row) + rows / 64 * sizeof(int) + 2 * state->kv_bytes;
  return {};
}

Flash_bwd_params parameters(const Launch& launch, const FlashPlan& plan) {
  const AttentionBackward b = backward_of(launch);
  Flash_bwd_params p = {};
  set_flash_3(launch, plan.padded, plan.sms, const_cast<float*>(b.l), &p);
  p.do_ptr = const_cast<void*>(b.d_o), p.dq_ptr = b.dq, p.dk_ptr = b.dk, p.dv_ptr = b.dv;
  p.do_row_stride = p.dq_row_stride = p.dk_row_stride = p.dv_row_stride = p.q_row_stride;
  p.do_head_stride = p.dq_head_stride = p.dk_head_stride = p.dv_head_stride = p.q_head_stride;
  p.do_batch_stride = p.dq_batch_stride = p.q_batch_stride;
  p.dk_batch_stride = p.dv_batch_stride = p.k_batch_stride;
  p.dq_accum_ptr = plan.dq, p.dk_accum_ptr = plan.dk, p.dv_accum_ptr = plan.dv;
  p.softmax_lse_log2_ptr = plan.row_sums;
  p.dsoftmax_sum = plan.d_rows;
  p.dq_semaphore = plan.turns;
  return p;
}

Status launch(const Launch& launch) {
  const auto& plan = *static_cast<const FlashPlan*>(launch.plan_state);
  const auto stream = static_cast<cudaStream_t>(launch.stream);
  Flash_bwd_params p = parameters(launch, plan);
  if (plan.kv_bytes > 0) {
    RIDGE_CUDA_CHECK(cudaMemsetAsync(plan.dk, 0, plan.kv_bytes, stream));
    RIDGE_CUDA_CHECK(cudaMemsetAsync(plan.dv, 0, plan.kv_bytes, stream));
  }
  if (p.d == 64) {
    run_mha_bwd_<90, cutlass::bfloat16_t, 64, false>(p, stream);
  } else {
    run_mha_bwd_<90, cutlass::bfloat16_t, 128, false>(p, stream);
  }
  return RIDGE_CUDA_LAUNCHED(run_mha_bwd_);
}

const char* version() {
  return RIDGE_FLASH3_VERSION;
}

}  // namespace

RIDGE_KERNEL(attention_backward, cuda, flash_attention_3, .dtypes = "bf16", .library = "FlashAttention-3",
             .version = version, .prepare = prepare, .launch = launch);
