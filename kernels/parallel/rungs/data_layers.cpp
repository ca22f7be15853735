// ridge: flags=-O3
//
// Idea      Data parallel: every rank has all parameters and a part of the batch. Gradients are summed over the ranks, so that
//           each makes the same update.
// Changed   The batch is shared out. When the backward pass is over, the gradients of one layer after the other go round a
//           ring.
// Limits    A message has a delay, and each layer's sum takes 2 (n - 1) of them one after another. Nothing is computed meanwhile.
// Look at   The note: a rank sends almost two buffers of gradients, in many messages.
// Source    Patarasuk and Yuan, JPDC 69, 2009, for the ring; Dean et al., Large Scale Distributed Deep Networks, NIPS 2012.
#include "kernels/parallel/parallel.h"

namespace ridge::parallel {
namespace {

void step(TrainingRank& r) {
  const int64_t layers = r.shape.layers, width = r.shape.width;
  Pass pass = r.begin(chunk_of(r.shape.batch, r.shape.ranks, r.me));
  for (int64_t l = 0; l < layers; ++l) r.forward(&pass, l, r.layers[l].w);
  r.judge(&pass);
  for (int64_t l = layers; l-- > 0;) {
    r.layers[l].g = r.take_gradient(width * width);
    r.backward(&pass, l, r.layers[l].w, r.layers[l].g);
  }
  r.end(&pass);
  for (int64_t l = layers; l-- > 0;)
    RingSum(&r, r.layers[l].g, width, width, RingSum::Until::gathered).finish();
  for (int64_t l = 0; l < layers; ++l) {
    r.update(l, r.layers[l].w, r.layers[l].g);
    r.give(r.layers[l].g);
  }
}

Status prepare(const Shape& shape, Plan* plan) {
  return prepare_training(shape, {.holding = holds_all, .step = step}, plan);
}

RIDGE_KERNEL(parallel, cpu, data_layers, .time_calls = time_training,
             .unavailable = ranks_unavailable, .prepare = prepare, .launch = launch_training);

}  // namespace
}  // namespace ridge::parallel
