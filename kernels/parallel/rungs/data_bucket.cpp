// ridge: flags=-O3
//
// Idea      What costs a delay is the message, whatever its size. So all gradients travel as one.
// Changed   The gradients of all layers lie side by side, in one bucket, and one ring sums it.
// Limits    The ring begins when the backward pass is over. Until then the links have nothing to do, and then the ranks.
// Look at   The same bytes in fewer messages. At a delay of 0 nothing is won.
// Source    Li et al., PyTorch Distributed: Experiences on Accelerating Data Parallel Training, VLDB 2020 (buckets).
#include "kernels/parallel/parallel.h"

namespace ridge::parallel {
namespace {

void step(TrainingRank& r) {
  const int64_t layers = r.shape.layers, width = r.shape.width, weights = width * width;
  float* bucket = r.take_gradient(layers * weights);
  Pass pass = r.begin(chunk_of(r.shape.batch, r.shape.ranks, r.me));
  for (int64_t l = 0; l < layers; ++l) r.forward(&pass, l, r.layers[l].w);
  r.judge(&pass);
  for (int64_t l = layers; l-- > 0;) r.backward(&pass, l, r.layers[l].w, bucket + l * weights);
  r.end(&pass);
  RingSum(&r, bucket, layers * width, width, RingSum::Until::gathered).finish();
  for (int64_t l = 0; l < layers; ++l) r.update(l, r.layers[l].w, bucket + l * weights);
  r.give(bucket);
}

Status prepare(const Shape& shape, Plan* plan) {
  return prepare_training(shape, {.holding = holds_all, .step = step}, plan);
}

RIDGE_KERNEL(parallel, cpu, data_bucket, .time_calls = time_training,
             .unavailable = ranks_unavailable, .prepare = prepare, .launch = launch_training);

}  // namespace
}  // namespace ridge::parallel
