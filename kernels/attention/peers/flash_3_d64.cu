// ridge: arch=90a needs=flash3 flags=--expt-relaxed-constexpr,--expt-extended-lambda,--use_fast_math
//
// The FlashAttention-3 peer's kernels for heads of 64: a file of their own, since they take minutes to compile.
#include "kernels/runtime/peers/flash_3.h"

#include <flash_fwd_launch_template.h>

template void run_mha_fwd_<90, cutlass::bfloat16_t, 64, 64, false, false, false, false>(Flash_fwd_params& params,
                                                                                       cudaStream_t stream);
