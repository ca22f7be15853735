// ridge: isa=avx512f flags=-O2
//
// Idea      Blocks of filters have nothing to do with each other, and neither have pixels.
// Changed   avx512 on as many threads as allowed. Where the blocks of 64 filters go round, a thread takes some
//           of them, and no weight is read by two; else each takes a piece of the pixels of every block.
// Limits    As avx512, in each core. Then the slowest thread, and what is shared: the L3 cache and memory.
// Look at   64 filters are one block: both threads read the same weights, and split the image.
// Source    As avx2.
#include "kernels/conv/rungs/blocks_plan.h"

namespace ridge {

extern const ConvKernel conv_avx512;  // avx512.cpp

static Status prepare(const Shape& shape, Plan* plan) {
  return conv_prepare_blocks(&conv_avx512, &shape, shape.threads, plan);
}

static Status launch(const Launch& launch) {
  return conv_run_blocks(&conv_avx512, &launch);
}

RIDGE_KERNEL(conv, cpu, threads, .prepare = prepare, .launch = launch);

}  // namespace ridge
