// ridge: flags=-O3
#include "kernels/mlp/network.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "common/core/random.h"
#include "kernels/runtime/networks/trainer.h"

namespace ridge::mlp {
namespace {

constexpr int64_t kBatch = 256;
constexpr float kRate = 0.1f;

/// The trainer's weights, outputs x inputs of normalised pixels, as this family has them: inputs x outputs of
/// pixels as they are.
std::shared_ptr<Perceptron> perceptron_of(const mixed::Model& model,
                                          const std::vector<float>& all) {
  auto network = std::make_shared<Perceptron>();
  const auto take = [&](const mixed::Layer& layer, std::vector<float>* w, std::vector<float>* b) {
    w->resize(size_t(layer.weights()));
    for (int64_t o = 0; o < layer.out; ++o) {
      for (int64_t i = 0; i < layer.in; ++i)
        (*w)[size_t(i * layer.out + o)] = all[size_t(layer.weight + o * layer.in + i)];
    }
    b->assign(all.begin() + layer.bias, all.begin() + layer.bias + layer.out);
  };
  take(model.layers[0], &network->w1, &network->b1);
  take(model.layers[1], &network->w2, &network->b2);
  for (float& w : network->w1) w /= kPixelDeviation;
  for (size_t i = 0; i < network->w1.size(); ++i)
    network->b1[i % kMlpHidden] -= kPixelMean * network->w1[i];
  return network;
}

}  // namespace

std::shared_ptr<Perceptron> train(const PerceptronConfig& config, const ImageSet& set, int threads,
                                  const FamilyProgress* progress) {
  const int64_t an_epoch = set.count() / kBatch, steps = an_epoch * config.epochs;
  mixed::TrainerSetup setup;
  setup.model = mixed::make_model("mlp", kMlpHidden, 1);
  setup.batch = kBatch, setup.threads = threads;
  setup.parameters = mixed::initial_parameters(setup.model, config.seed);
  const auto trainer = mixed::make_cpu_trainer(setup);
  if (!trainer) return nullptr;
  std::vector<int32_t> order;
  for (int64_t step = 0; step < steps; ++step) {
    if (step % an_epoch == 0)
      order = shuffled(set.count(), config.seed * 1000 + static_cast<uint64_t>(step / an_epoch));
    const double share = static_cast<double>(step) / static_cast<double>(steps);
    const auto rate = kRate * static_cast<float>((1 + std::cos(std::numbers::pi * share)) / 2);
    (void)(*trainer)->step(set, &order[static_cast<size_t>(step % an_epoch * kBatch)], rate, false);
    if (progress != nullptr && !(*progress)("training the perceptron, once", share)) return nullptr;
  }
  auto network = perceptron_of(setup.model, (*trainer)->parameters());
  network->quantize(set);
  return network;
}

MlpModel Perceptron::model() const {
  return {w1.data(), b1.data(),    w2.data(),     b2.data(),  q1.data(),
          q2.data(), scale.data(), offset.data(), q_b2.data()};
}

void Perceptron::quantize(const ImageSet& set) {
  std::vector<float> most(kMlpHidden, 1e-6f);
  const int64_t looked = std::min<int64_t>(2000, set.count());
  for (int64_t i = 0; i < looked; ++i) {
    std::vector<float> hidden = b1;
    for (size_t p = 0; p < kMlpIn; ++p) {
      const auto x = static_cast<float>(set.image(i)[p]);
      if (x == 0) continue;
      for (size_t j = 0; j < kMlpHidden; ++j) hidden[j] += x * w1[p * kMlpHidden + j];
    }
    for (size_t j = 0; j < kMlpHidden; ++j) most[j] = std::max(most[j], hidden[j]);
  }
  q1.resize(w1.size()), q2.resize(w2.size());
  scale.resize(kMlpHidden), offset.resize(kMlpHidden), q_b2.resize(kMlpOut);
  float widest = 1e-12f;  // of the second layer's weights for bytes of each unit's own unit
  for (size_t j = 0; j < kMlpHidden; ++j) {
    float weight = 1e-12f;
    for (size_t p = 0; p < kMlpIn; ++p)
      weight = std::max(weight, std::fabs(w1[p * kMlpHidden + j]));
    const float unit = weight / 127, byte = most[j] / 255;
    for (size_t p = 0; p < kMlpIn; ++p) {
      q1[p * kMlpHidden + j] = static_cast<int8_t>(std::lrint(w1[p * kMlpHidden + j] / unit));
    }
    scale[j] = unit / byte, offset[j] = b1[j] / byte;
    for (size_t c = 0; c < kMlpOut; ++c) {
      widest = std::max(widest, std::fabs(w2[j * kMlpOut + c]) * byte);
    }
  }
  const float unit = widest / 127;
  for (size_t j = 0; j < kMlpHidden; ++j) {
    for (size_t c = 0; c < kMlpOut; ++c) {
      q2[j * kMlpOut + c] =
          static_cast<int8_t>(std::lrint(w2[j * kMlpOut + c] * (most[j] / 255) / unit));
    }
  }
  for (size_t c = 0; c < kMlpOut; ++c) q_b2[c] = static_cast<int32_t>(std::lrint(b2[c] / unit));
}

void scores_of(const Perceptron& network, const uint8_t* pixels, double* scores) {
  std::vector<double> hidden(network.b1.begin(), network.b1.end());
  for (size_t i = 0; i < kMlpIn; ++i) {
    if (pixels[i] == 0) continue;
    for (size_t j = 0; j < kMlpHidden; ++j) {
      hidden[j] += double{network.w1[i * kMlpHidden + j]} * pixels[i];
    }
  }
  std::copy(network.b2.begin(), network.b2.end(), scores);
  for (size_t j = 0; j < kMlpHidden; ++j) {
    if (hidden[j] <= 0) continue;
    for (size_t c = 0; c < kMlpOut; ++c) scores[c] += hidden[j] * network.w2[j * kMlpOut + c];
  }
}

void scores_int8(const Perceptron& network, const uint8_t* pixels, double* scores) {
  std::vector<int32_t> sum(kMlpHidden);
  for (size_t i = 0; i < kMlpIn; ++i) {
    if (pixels[i] == 0) continue;
    for (size_t j = 0; j < kMlpHidden; ++j) sum[j] += pixels[i] * network.q1[i * kMlpHidden + j];
  }
  std::vector<int32_t> whole = network.q_b2;
  for (size_t j = 0; j < kMlpHidden; ++j) {
    const float hidden = std::fma(static_cast<float>(sum[j]), network.scale[j], network.offset[j]);
    const auto byte = static_cast<int32_t>(std::lrint(std::clamp(hidden, 0.0f, 255.0f)));
    for (size_t c = 0; c < kMlpOut; ++c) whole[c] += byte * network.q2[j * kMlpOut + c];
  }
  std::copy(whole.begin(), whole.end(), scores);
}

int predict_int8(const Perceptron& network, const uint8_t* pixels) {
  double scores[kMlpOut];
  scores_int8(network, pixels, scores);
  return static_cast<int>(std::max_element(scores, scores + kMlpOut) - scores);
}

}  // namespace ridge::mlp
