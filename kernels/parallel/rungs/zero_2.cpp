// ridge: flags=-O3
//
// Idea      Of a gradient a rank needs only the rows that it updates.
// Changed   ZeRO, stage 2: as soon as a layer's gradient is there it is summed halfway round the ring. The rank keeps its own
//           rows and gives the rest back, before the next layer's gradient is made.
// Limits    One layer's gradient in full, and all parameters.
// Look at   The note: gradients shrink to an n-th and one layer. The bytes are the same.
// Source    Rajbhandari et al., ZeRO, SC 2020.
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
    Layer& layer = r.layers[l];
    float* g = r.take_gradient(width * width);
    r.backward(&pass, l, layer.w, g);
    RingSum(&r, g, width, width, RingSum::Until::scattered).finish();
    const Block& own = layer.holding.optimizer;
    layer.g = r.take(Use::gradients, own.size());
    Rank::copy(layer.g, g + own.row * width, own.size());
    r.give(g);
  }
  r.end(&pass);
  for (int64_t l = 0; l < layers; ++l) {
    Layer& layer = r.layers[l];
    r.update(l, layer.w + layer.holding.optimizer.row * width, layer.g);
    r.give(layer.g);
    RingGather(&r, layer.w, width, width).finish();
  }
}

Status prepare(const Shape& shape, Plan* plan) {
  return prepare_training(shape, {.holding = holding, .step = step}, plan);
}

RIDGE_KERNEL(parallel, cpu, zero_2, .time_calls = time_training, .unavailable = ranks_unavailable,
             .prepare = prepare, .launch = launch_training);

}  // namespace
}  // namespace ridge::parallel
