// ridge: isa=avx512f flags=-O3
//
// Idea      Heads and blocks of queries have nothing to do with each other: each thread takes a range.
// Changed   avx512 on as many threads as allowed. Each packs the keys and values of the heads it works on:
//           nothing is shared, nobody waits but at the end.
// Limits    The slowest thread; with few heads and many threads, a head is packed by several of them.
// Look at   causal: later queries see more keys. The ranges are equal in rows, not in work.
// Source    Dao, FlashAttention-2, arXiv:2307.08691, section 3.2: parallel over the sequence as well.
#include "kernels/attention/rungs/blocks.h"

namespace ridge {

extern const AttentionKernel attention_avx512;  // avx512.cpp

namespace {

Status prepare_threads(const Shape& shape, Plan* plan) {
  return attention_prepare_blocks(&attention_avx512, shape, shape.threads, plan);
}

Status launch_threads(const Launch& launch) {
  return attention_run_blocks(&attention_avx512, launch, launch.shape.threads);
}

RIDGE_KERNEL(attention, cpu, threads, .prepare = prepare_threads, .launch = launch_threads);

}  // namespace
}  // namespace ridge
