#include "kernels/runtime/networks/model.h"

#include <algorithm>
#include <cmath>

#include "common/core/random.h"
#include "common/harness/data/fashion_mnist.h"

namespace ridge::mixed {
namespace {

void add(Model* model, Layer layer) {
  layer.weight = model->parameters;
  layer.bias = layer.weight + layer.weights();
  if (layer.kind != Layer::Kind::pool) model->parameters = layer.bias + layer.out;
  model->layers.push_back(layer);
}

}  // namespace

double Model::flop_per_image() const {
  double flop = 0;
  for (size_t l = 0; l < layers.size(); ++l) {
    // Forward, weights' gradient, and but for the first layer the input's gradient.
    flop += (l == 0 ? 4.0 : 6.0) * double(layers[l].weights()) * double(layers[l].pixels());
  }
  return flop;
}

int64_t Model::largest() const {
  int64_t most = 0;
  for (const Layer& layer : layers) most = std::max(most, layer.out_size());
  return most;
}

Model make_model(const std::string& name, int width, int depth) {
  Model model;
  model.name = name;
  int in = kGarmentPixels;
  if (name == "cnn") {
    int side = kGarmentSide, channels = 1;
    for (int stage = 0; stage < 2; ++stage, side /= 2) {
      const int out = width << stage;
      for (int i = 0; i < depth; ++i, channels = out)
        add(&model, {.kind = Layer::Kind::conv,
                     .side = side,
                     .in = channels,
                     .out = out,
                     .relu = i + 1 < depth});
      add(&model, {.kind = Layer::Kind::pool, .side = side, .in = out, .out = out, .relu = true});
    }
    in = side * side * channels;
  } else {
    for (int i = 0; i < depth; ++i, in = width) add(&model, {.in = in, .out = width, .relu = true});
  }
  add(&model, {.in = in, .out = kClasses});
  return model;
}

std::vector<float> initial_parameters(const Model& model, uint64_t seed) {
  std::vector<float> all(static_cast<size_t>(model.parameters));
  const uint64_t key = random_key(seed);
  for (const Layer& layer : model.layers) {
    const bool is_last = &layer == &model.layers.back();
    const float range = std::sqrt((is_last ? 1.0f : 6.0f) / static_cast<float>(layer.inputs()));
    for (int64_t i = layer.weight; i < layer.weight + layer.weights(); ++i)
      all[size_t(i)] = range * (2 * random_unit(key, uint64_t(i)) - 1);
  }
  return all;
}

std::vector<bool> checkpoints(const Model& model) {
  const size_t count = model.layers.size();
  const auto every = static_cast<size_t>(std::ceil(std::sqrt(double(count))));
  const bool pools = model.name == "cnn";
  std::vector<bool> kept(count);
  for (size_t l = 0; l < count; ++l) {
    kept[l] = l + 1 == count ||
              (pools ? model.layers[l].kind == Layer::Kind::pool : (l + 1) % every == 0);
  }
  return kept;
}

int64_t Outputs::total() const {
  int64_t all = 0;
  for (const int64_t size : own) all += size;
  for (const int64_t size : between) all += size;
  return all;
}

Outputs outputs_of(const Model& model, bool checkpointing, bool pools_fused) {
  Outputs outputs;
  const std::vector<bool> kept = checkpoints(model);
  size_t at = 0;
  for (size_t l = 0; l < model.layers.size(); ++l) {
    const bool none = pools_fused && model.is_pooled(l);
    const int64_t size = none ? 0 : model.layers[l].out_size();
    const bool own = !checkpointing || kept[l] || none;
    outputs.own.push_back(own ? size : 0);
    outputs.place.push_back(own ? -1 : static_cast<int64_t>(at));
    if (own) {
      if (!none) at = 0;
      continue;
    }
    if (at == outputs.between.size()) outputs.between.push_back(0);
    outputs.between[at] = std::max(outputs.between[at], size);
    ++at;
  }
  return outputs;
}

}  // namespace ridge::mixed
