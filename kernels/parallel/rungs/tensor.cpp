// ridge: flags=-O3
//
// Idea      A product can be shared out by its columns: each rank computes some outputs of all rows. Then the next layer has
//           its inputs in parts, and is shared out by its rows; the partial results are summed.
// Changed   Tensor parallel: layers in pairs, the first by columns, the second by rows. One sum over the ranks for each pair and
//           direction, of outputs and not of gradients.
// Limits    The sums stand in the way: the next layer waits for them. Every rank keeps the outputs between the pairs in full.
// Look at   Bytes grow with the batch and not with the parameters. This is why it stays within one machine's fast links.
// Source    Shoeybi et al., Megatron-LM, arXiv:1909.08053.
#include "kernels/parallel/parallel.h"

namespace ridge::parallel {
namespace {

bool is_by_columns(int64_t layer) {
  return layer % 2 == 0;
}

Holding holding(const TrainingShape& s, int64_t rank, int64_t layer) {
  const Chunk part = chunk_of(s.width, s.ranks, rank);
  const Block own = is_by_columns(layer) ? columns_of(s, part) : rows_of(s, part);
  return {own, own};
}

/// Two layers: a rank's columns of the first, then its share of the second's sums.
void forward_pair(TrainingRank& r, Pass* pass, int64_t l) {
  const int64_t rows = pass->rows.count, width = r.shape.width;
  const int64_t own = r.layers[l].holding.parameters.columns;
  float* between = pass->outputs[l + 1] = r.take(Use::activations, rows * own);
  float* y = pass->outputs[l + 2] = r.take(Use::activations, rows * width);
  r.times(pass->outputs[l], r.layers[l].w, rows, width, own, between);
  r.activate(between, rows * own);
  r.times(between, r.layers[l + 1].w, rows, own, width, y);
  RingSum(&r, y, rows, width, RingSum::Until::gathered).finish();
  if (l + 2 < r.shape.layers) r.activate(y, rows * width);
}

void backward_pair(TrainingRank& r, Pass* pass, int64_t l) {
  const int64_t rows = pass->rows.count, width = r.shape.width;
  Layer &first = r.layers[l], &second = r.layers[l + 1];
  const int64_t own = first.holding.parameters.columns;
  if (l + 2 < r.shape.layers) r.activate_back(pass->outputs[l + 2], pass->gradient, rows * width);
  r.give(pass->outputs[l + 2]);
  float* between = r.take(Use::activations, rows * own);
  second.g = r.take_gradient(second.holding.parameters.size());
  r.add_outer(pass->outputs[l + 1], pass->gradient, rows, own, width, second.g);
  r.times_transposed(pass->gradient, second.w, rows, own, width, between);
  r.activate_back(pass->outputs[l + 1], between, rows * own);
  r.give(pass->outputs[l + 1]);
  first.g = r.take_gradient(first.holding.parameters.size());
  r.add_outer(pass->outputs[l], between, rows, width, own, first.g);
  r.times_transposed(between, first.w, rows, width, own, pass->gradient);
  r.give(between);
  RingSum(&r, pass->gradient, rows, width, RingSum::Until::gathered).finish();
}

void step(TrainingRank& r) {
  const int64_t layers = r.shape.layers;
  Pass pass = r.begin({0, r.shape.batch});
  for (int64_t l = 0; l < layers; l += 2) forward_pair(r, &pass, l);
  r.judge(&pass, r.me == 0);  // all have the same outputs
  for (int64_t l = layers; l > 0; l -= 2) backward_pair(r, &pass, l - 2);
  r.end(&pass);
  for (int64_t l = 0; l < layers; ++l) {
    r.update(l, r.layers[l].w, r.layers[l].g);
    r.give(r.layers[l].g);
  }
}

Status prepare(const Shape& shape, Plan* plan) {
  if (shape.dim[kParallelLayers] % 2 != 0) return refuse("takes layers in pairs");
  return prepare_training(shape, {.holding = holding, .step = step}, plan);
}

RIDGE_KERNEL(parallel, cpu, tensor, .time_calls = time_training, .unavailable = ranks_unavailable,
             .prepare = prepare, .launch = launch_training);

}  // namespace
}  // namespace ridge::parallel
