// ridge: flags=-O3
//
// Idea      A step of training: forward through all layers, the loss, backward, and Adam on every parameter.
// Changed   Nothing yet. Rank 0 does everything, and the others wait: what all other rungs are held against.
// Limits    One rank's speed, and one rank's memory: parameters, gradients, and twice as much for Adam.
// Look at   The note has the memory by its use. The outputs of a layer are kept until its gradient is known.
// Source    Kingma and Ba, Adam: A Method for Stochastic Optimization, ICLR 2015.
#include "kernels/parallel/parallel.h"

namespace ridge::parallel {
namespace {

Holding holding(const TrainingShape& s, int64_t rank, int64_t layer) {
  return rank == 0 ? holds_all(s, rank, layer) : Holding{};
}

void step(TrainingRank& r) {
  if (r.me != 0) return;
  const int64_t layers = r.shape.layers, weights = r.shape.width * r.shape.width;
  Pass pass = r.begin({0, r.shape.batch});
  for (int64_t l = 0; l < layers; ++l) r.forward(&pass, l, r.layers[l].w);
  r.judge(&pass);
  for (int64_t l = layers; l-- > 0;) {
    r.layers[l].g = r.take_gradient(weights);
    r.backward(&pass, l, r.layers[l].w, r.layers[l].g);
  }
  r.end(&pass);
  for (int64_t l = 0; l < layers; ++l) {
    r.update(l, r.layers[l].w, r.layers[l].g);
    r.give(r.layers[l].g);
  }
}

Status prepare(const Shape& shape, Plan* plan) {
  return prepare_training(shape, {.holding = holding, .step = step}, plan);
}

RIDGE_KERNEL(parallel, cpu, one, .time_calls = time_training, .unavailable = ranks_unavailable,
             .prepare = prepare, .launch = launch_training);

}  // namespace
}  // namespace ridge::parallel
