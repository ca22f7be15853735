// ridge: isa=avx512f flags=-O2,-Wno-uninitialized,-Wno-maybe-uninitialized variants=fp32:-DRIDGE_GEMV_KIND=fp32,bf16:-DRIDGE_GEMV_KIND=bf16,int8:-DRIDGE_GEMV_KIND=int8,int4:-DRIDGE_GEMV_KIND=int4
//
// Idea      As AVX2, sixteen weights a multiply-add.
// Changed   Half the instructions for a weight.
// Limits    fp32: memory, by the count. The smaller the type, the more the work for each weight, which does not shrink.
// Look at   Bandwidth, type by type: where it falls as the bits do, memory is no longer the only limit. Then the same
//           type in AVX2: nearly the same time means that the number of instructions is not the limit either.
// Source    As AVX2.
#include "kernels/gemv/rungs/cpu_lanes.h"

#define RIDGE_TEXT_OF(x) #x
#define RIDGE_TEXT(x) RIDGE_TEXT_OF(x)

namespace ridge {

RIDGE_KERNEL(gemv, cpu, avx512, .dtypes = RIDGE_TEXT(RIDGE_GEMV_KIND), .prepare = gemv_prepare_cpu,
             .launch = gemv_launch_lanes);

}  // namespace ridge
