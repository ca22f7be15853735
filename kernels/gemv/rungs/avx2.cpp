// ridge: isa=avx2 flags=-O2 variants=fp32:-DRIDGE_GEMV_KIND=fp32,int8:-DRIDGE_GEMV_KIND=int8,int4:-DRIDGE_GEMV_KIND=int4
//
// Idea      Eight weights a multiply-add, four sums side by side; what is stored small is made floats in registers,
//           on the way from memory.
// Changed   Arithmetic is no longer what is waited for; so now the type decides: int4 is an eighth of fp32's bytes.
// Limits    fp32: memory, one core's share of it. int8 and int4: also the work for each weight, which does not shrink.
// Look at   Time of fp32, int8, int4 beside their bytes; then threads = 2; then copies = 1, where a small matrix stays
//           in the cache and the bytes' advantage goes.
// Source    Frantar et al., GPTQ, arXiv:2210.17323 (weights of 4 bits, activations left alone).
#include "kernels/gemv/rungs/cpu_lanes.h"

#define RIDGE_TEXT_OF(x) #x
#define RIDGE_TEXT(x) RIDGE_TEXT_OF(x)

namespace ridge {

RIDGE_KERNEL(gemv, cpu, avx2, .dtypes = RIDGE_TEXT(RIDGE_GEMV_KIND), .prepare = gemv_prepare_cpu,
             .launch = gemv_launch_lanes);

}  // namespace ridge
