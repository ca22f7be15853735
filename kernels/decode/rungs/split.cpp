// ridge: isa=avx512f flags=-O2
//
// Idea      One sequence of one head is work for all threads: each attends over a share of the keys, and what they
//           found is merged by the same rule by which a block of keys meets those before it.
// Changed   avx512 on as many threads as allowed. Shares are equal in keys, over all sequences and heads together,
//           so that one long sequence among short ones keeps nobody waiting.
// Limits    Memory: every byte of the cache is read once, and nothing is used again for another query.
// Look at   The share of the reading ceiling; then heads_kv = 1 against heads_kv = heads.
// Source    Dao et al., Flash-Decoding for long-context inference (2023); shares: arXiv:2301.03598.
#include "kernels/decode/rungs/split_kv.h"

namespace ridge {

extern const DecodeCpu decode_avx512;  // avx512.cpp

namespace {

Status prepare_split(const Shape& shape, Plan* plan) {
  return decode_prepare(shape, shape.threads, plan);
}

Status launch_split(const Launch& launch) {
  return decode_run(&decode_avx512, launch, launch.shape.threads);
}

RIDGE_KERNEL(decode, cpu, split, .prepare = prepare_split, .launch = launch_split);

}  // namespace
}  // namespace ridge
