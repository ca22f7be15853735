// ridge: flags=-O3
//
// Idea      All ranks make the same update. It is enough if each makes it for a part of the parameters, and then Adam's means
//           of that part are all that it keeps.
// Changed   ZeRO, stage 1: a rank keeps one n-th of the optimizer. The sum stops halfway round the ring, where each rank has its
//           rows. It updates them, and the new parameters go round.
// Limits    The same bytes as before. Parameters and gradients are still there in full.
// Look at   The note: the optimizer's part is an n-th.
// Source    Rajbhandari et al., ZeRO: Memory Optimizations Toward Training Trillion Parameter Models, SC 2020.
#include "kernels/parallel/parallel.h"

namespace ridge::parallel {
namespace {

Holding holding(const TrainingShape& s, int64_t rank, int64_t) {
  return {whole(s), rows_of(s, chunk_of(s.width, s.ranks, rank))};
}

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
  for (int64_t l = layers; l-- > 0;) {
    Layer& layer = r.layers[l];
    const int64_t own = layer.holding.optimizer.row * width;
    RingSum(&r, layer.g, width, width, RingSum::Until::scattered).finish();
    r.update(l, layer.w + own, layer.g + own);
    r.give(layer.g);
    RingGather(&r, layer.w, width, width).finish();
  }
}

Status prepare(const Shape& shape, Plan* plan) {
  return prepare_training(shape, {.holding = holding, .step = step}, plan);
}

RIDGE_KERNEL(parallel, cpu, zero_1, .time_calls = time_training, .unavailable = ranks_unavailable,
             .prepare = prepare, .launch = launch_training);

}  // namespace
}  // namespace ridge::parallel
