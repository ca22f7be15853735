// ridge: isa=avx512f flags=-O2,-Wno-uninitialized,-Wno-maybe-uninitialized variants=fp32:-DRIDGE_GEMV_KIND=fp32,bf16:-DRIDGE_GEMV_KIND=bf16,int8:-DRIDGE_GEMV_KIND=int8,int4:-DRIDGE_GEMV_KIND=int4
//
// Idea      As AVX2, sixteen weights a multiply-add.
// Changed   Half the instructions for a weight: there is room to unpack 4 bits as fast as they come.
// Limits    Memory.
// Look at   Bandwidth: it is the same for all four types, and tokens a second go with the bytes.
// Source    As AVX2.
#include "kernels/gemv/rungs/cpu_lanes.h"

#define RIDGE_TEXT_OF(x) #x
#define RIDGE_TEXT(x) RIDGE_TEXT_OF(x)

namespace ridge {

RIDGE_KERNEL(gemv, cpu, avx512, .dtypes = RIDGE_TEXT(RIDGE_GEMV_KIND), .prepare = gemv_prepare_cpu,
             .launch = gemv_launch_lanes);

}  // namespace ridge
