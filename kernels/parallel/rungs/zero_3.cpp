// ridge: flags=-O3
//
// Idea      A layer's parameters are needed when it is its turn, and nowhere else in a step.
// Changed   ZeRO, stage 3: a rank keeps its rows of every layer and nothing more. Before a layer runs, forward and backward, its
//           matrix is gathered from all ranks, and given back after.
// Limits    Half as many bytes more: parameters travel twice, gradients once. Each gather has to be waited for.
// Look at   The note: everything is an n-th, but for one gathered layer, its gradient, and the outputs.
// Source    Rajbhandari et al., ZeRO, SC 2020; Zhao et al., PyTorch FSDP, VLDB 2023.
#include "kernels/parallel/parallel.h"

namespace ridge::parallel {
namespace {

Holding holding(const TrainingShape& s, int64_t rank, int64_t) {
  const Block own = rows_of(s, chunk_of(s.width, s.ranks, rank));
  return {own, own};
}

/// The whole matrix of a layer, to be given back.
float* gathered(TrainingRank& r, int64_t l) {
  const Layer& layer = r.layers[l];
  const int64_t width = r.shape.width;
  float* w = r.take(Use::gathered, width * width);
  Rank::copy(w + layer.holding.parameters.row * width, layer.w, layer.holding.parameters.size());
  RingGather(&r, w, width, width).finish();
  return w;
}

void step(TrainingRank& r) {
  const int64_t layers = r.shape.layers, width = r.shape.width;
  Pass pass = r.begin(chunk_of(r.shape.batch, r.shape.ranks, r.me));
  for (int64_t l = 0; l < layers; ++l) {
    float* w = gathered(r, l);
    r.forward(&pass, l, w);
    r.give(w);
  }
  r.judge(&pass);
  for (int64_t l = layers; l-- > 0;) {
    Layer& layer = r.layers[l];
    float* w = gathered(r, l);
    float* g = r.take_gradient(width * width);
    r.backward(&pass, l, w, g);
    r.give(w);
    RingSum(&r, g, width, width, RingSum::Until::scattered).finish();
    r.update(l, layer.w, g + layer.holding.optimizer.row * width);
    r.give(g);
  }
  r.end(&pass);
}

Status prepare(const Shape& shape, Plan* plan) {
  return prepare_training(shape, {.holding = holding, .step = step}, plan);
}

RIDGE_KERNEL(parallel, cpu, zero_3, .time_calls = time_training, .unavailable = ranks_unavailable,
             .prepare = prepare, .launch = launch_training);

}  // namespace
}  // namespace ridge::parallel
