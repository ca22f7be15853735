// ridge: arch=90a needs=flash3 flags=--expt-relaxed-constexpr,--expt-extended-lambda,--use_fast_math
//
// The FlashAttention-3 decode peer's kernels: a file of their own, since they take minutes to compile.
#include "kernels/runtime/peers/flash_3.h"

#include <flash_fwd_combine_launch_template.h>
#include <flash_fwd_launch_template.h>

template void run_mha_fwd_<90, cutlass::bfloat16_t, 128, 128, false, false, false, true>(Flash_fwd_params& params,
                                                                                      cudaStream_t stream);
template void run_mha_fwd_<90, cutlass::bfloat16_t, 128, 128, true, false, false, true>(Flash_fwd_params& params,
                                                                                     cudaStream_t stream);
template void run_mha_fwd_combine_<cutlass::bfloat16_t, float, 128>(Flash_fwd_params& params, cudaStream_t stream,
                                                                    bool enable_pdl);
