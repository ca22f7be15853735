#include "kernels/parallel/stages.h"

namespace ridge::parallel {

Holding holds_stage(const TrainingShape& s, int64_t rank, int64_t layer) {
  const Chunk own = chunk_of(s.layers, s.ranks, rank);
  const bool is_own = layer >= own.begin && layer < own.begin + own.count;
  return is_own ? holds_all(s, rank, layer) : Holding{};
}

Stage::Stage(TrainingRank* rank, int64_t index, int64_t stages)
    : r_(rank),
      index_(index),
      stages_(stages),
      layers_(chunk_of(rank->shape.layers, stages, index)) {
  for (int64_t i = 0; i < layers_.count; ++i)
    r_->layers[layers_.begin + i].g = r_->take_gradient(r_->shape.width * r_->shape.width);
}

Pass Stage::forward(int64_t part) {
  const int64_t first = layers_.begin, end = first + layers_.count;
  Pass pass = r_->begin(chunk_of(r_->shape.batch, r_->shape.parts, part));
  if (!is_first()) {
    pass.outputs[first] = r_->take(Use::activations, size(pass));
    r_->rank->receive(before(), pass.outputs[first], size(pass));
  }
  for (int64_t l = first; l < end; ++l) r_->forward(&pass, l, r_->layers[l].w);
  if (!is_last()) r_->rank->send(next(), pass.outputs[end], size(pass));
  return pass;
}

void Stage::backward(Pass* pass) {
  const int64_t first = layers_.begin, end = first + layers_.count;
  if (is_last()) {
    r_->judge(pass);
  } else {
    pass->gradient = r_->take(Use::activations, size(*pass));
    r_->rank->receive(next(), pass->gradient, size(*pass));
  }
  for (int64_t l = end; l-- > first;) r_->backward(pass, l, r_->layers[l].w, r_->layers[l].g);
  r_->give(pass->outputs[first]);
  if (is_first()) return r_->end(pass);
  if (on_its_way_ != nullptr) {
    r_->rank->wait_sent(before());
    r_->give(on_its_way_);
  }
  on_its_way_ = pass->gradient;
  r_->rank->send(before(), on_its_way_, size(*pass));
}

void Stage::update() {
  if (on_its_way_ != nullptr) {
    r_->rank->wait_sent(before());
    r_->give(on_its_way_);
  }
  for (int64_t i = 0; i < layers_.count; ++i) {
    Layer& layer = r_->layers[layers_.begin + i];
    r_->update(layers_.begin + i, layer.w, layer.g);
    r_->give(layer.g);
  }
}

}  // namespace ridge::parallel
