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
#include "kernels/runtime/peers/flash_3.h"

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

Flash_fwd_params parameters(const Launch& launch, const FlashPlan& plan) {
  Flash_fwd_params p = {};
  const int64_t padded = (launch.shape.dim[kAttentionSequence] + 127) / 128 * 128;
  set_flash_3(launch, static_cast<int>(padded), plan.sms, plan.row_sums, &p);
  p.page_size = 1;
  p.num_splits = 1;
  p.tile_count_semaphore = p.is_causal ? plan.tiles : nullptr;
  p.head_swizzle = p.is_causal;
  p.varlen_sort_batches = true;
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
