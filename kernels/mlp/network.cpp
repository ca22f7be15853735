// ridge: flags=-O3
#include "kernels/mlp/network.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "common/core/parallel.h"
#include "common/core/random.h"
#include "kernels/gemm/product.h"

namespace ridge::mlp {
namespace {

constexpr int64_t kBatch = 256;
constexpr float kInputs = kMlpIn, kUnits = kMlpHidden;

/// One array of weights with its moments.
struct Learned {
  std::vector<float> value, gradient, mean, square;
  Learned(size_t count, float range, uint64_t seed)
      : value(count), gradient(count), mean(count), square(count) {
    const uint64_t key = random_key(seed);
    for (size_t i = 0; i < count; ++i) value[i] = range * (2 * random_unit(key, i) - 1);
  }
  void adam(float rate, double step) {
    const auto unbias =
        static_cast<float>(std::sqrt(1 - std::pow(0.999, step)) / (1 - std::pow(0.9, step)));
    for (size_t i = 0; i < value.size(); ++i) {
      const float g = gradient[i];
      mean[i] = 0.9f * mean[i] + 0.1f * g;
      square[i] = 0.999f * square[i] + 0.001f * g * g;
      value[i] -= rate * unbias * mean[i] / (std::sqrt(square[i]) + 1e-8f);
    }
  }
};

void transpose(const float* from, int64_t rows, int64_t columns, float* to) {
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) to[j * rows + i] = from[i * columns + j];
  }
}

/// Softmax minus label, divided by the batch.
void score_gradient(float* scores, int label) {
  const float highest = *std::max_element(scores, scores + kMlpOut);
  float sum = 0;
  for (int c = 0; c < kMlpOut; ++c) sum += scores[c] = std::exp(scores[c] - highest);
  for (int c = 0; c < kMlpOut; ++c) {
    scores[c] = (scores[c] / sum - (c == label ? 1.0f : 0.0f)) / static_cast<float>(kBatch);
  }
}

class Learner {
 public:
  Learner(uint64_t seed, int threads)
      : first_(gemm::fastest(), kBatch, kMlpHidden, kMlpIn, threads),
        second_(gemm::fastest(), kBatch, kMlpOut, kMlpHidden, threads),
        back_(gemm::fastest(), kBatch, kMlpHidden, kMlpOut, threads),
        grow_(gemm::fastest(), kMlpIn, kMlpHidden, kBatch, threads),
        grow_second_(gemm::fastest(), kMlpHidden, kMlpOut, kBatch, threads),
        w1_(size_t{kMlpIn} * kMlpHidden, std::sqrt(6.0f / kInputs), 4 * seed),
        b1_(kMlpHidden, 0, 1),
        w2_(size_t{kMlpHidden} * kMlpOut, std::sqrt(6.0f / kUnits), 4 * seed + 1),
        b2_(kMlpOut, 0, 1) {}

  void step(const ImageSet& set, const int32_t* images, float rate) {
    for (int64_t s = 0; s < kBatch; ++s) {
      const uint8_t* image = set.image(images[s]);
      for (int64_t i = 0; i < kMlpIn; ++i) {
        x_[static_cast<size_t>(s * kMlpIn + i)] = static_cast<float>(image[i]) / 255;
      }
    }
    (void)first_.run(x_.data(), w1_.value.data(), hidden_.data());
    for (size_t at = 0; at < hidden_.size(); ++at) {
      hidden_[at] = std::max(0.0f, hidden_[at] + b1_.value[at % kMlpHidden]);
    }
    (void)second_.run(hidden_.data(), w2_.value.data(), scores_.data());
    for (int64_t s = 0; s < kBatch; ++s) {
      float* scores = &scores_[static_cast<size_t>(s * kMlpOut)];
      for (size_t c = 0; c < kMlpOut; ++c) scores[c] += b2_.value[c];
      score_gradient(scores, set.labels[static_cast<size_t>(images[s])]);
    }
    backward();
    ++steps_;
    for (Learned* some : {&w1_, &b1_, &w2_, &b2_}) some->adam(rate, static_cast<double>(steps_));
  }

  std::shared_ptr<Perceptron> network() const {
    auto network = std::make_shared<Perceptron>();
    network->w1 = w1_.value, network->b1 = b1_.value;
    network->w2 = w2_.value, network->b2 = b2_.value;
    for (float& w : network->w1) w /= 255;  // from here on pixels are what they are
    return network;
  }

 private:
  void backward() {
    transpose(hidden_.data(), kBatch, kMlpHidden, turned_.data());
    (void)grow_second_.run(turned_.data(), scores_.data(), w2_.gradient.data());
    transpose(w2_.value.data(), kMlpHidden, kMlpOut, turned_.data());
    (void)back_.run(scores_.data(), turned_.data(), slope_.data());
    for (size_t at = 0; at < slope_.size(); ++at) {
      if (hidden_[at] <= 0) slope_[at] = 0;
    }
    transpose(x_.data(), kBatch, kMlpIn, turned_.data());
    (void)grow_.run(turned_.data(), slope_.data(), w1_.gradient.data());
    sum_rows(slope_, &b1_.gradient);
    sum_rows(scores_, &b2_.gradient);
  }

  static void sum_rows(const std::vector<float>& rows, std::vector<float>* sum) {
    std::fill(sum->begin(), sum->end(), 0.0f);
    for (size_t at = 0; at < rows.size(); ++at) (*sum)[at % sum->size()] += rows[at];
  }

  gemm::Product first_, second_, back_, grow_, grow_second_;
  Learned w1_, b1_, w2_, b2_;
  std::vector<float> x_ = std::vector<float>(kBatch * kMlpIn), turned_ = x_;
  std::vector<float> hidden_ = std::vector<float>(kBatch * kMlpHidden), slope_ = hidden_;
  std::vector<float> scores_ = std::vector<float>(kBatch * kMlpOut);
  int64_t steps_ = 0;
};

}  // namespace

std::shared_ptr<Perceptron> train(const PerceptronConfig& config, const ImageSet& set, int threads,
                                  const FamilyProgress* progress) {
  Learner learner(config.seed, threads);
  const int64_t an_epoch = set.count() / kBatch, steps = an_epoch * config.epochs;
  std::vector<int32_t> order;
  for (int64_t step = 0; step < steps; ++step) {
    if (step % an_epoch == 0) {
      order = shuffled(set.count(), config.seed * 1000 + static_cast<uint64_t>(step / an_epoch));
    }
    const double share = static_cast<double>(step) / static_cast<double>(steps);
    learner.step(set, &order[static_cast<size_t>(step % an_epoch * kBatch)],
                 static_cast<float>(0.0005 * (1 + std::cos(std::numbers::pi * share))));
    if (progress != nullptr && !(*progress)("training the perceptron, once", share)) return nullptr;
  }
  auto network = learner.network();
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

int predict_int8(const Perceptron& network, const uint8_t* pixels) {
  std::vector<int32_t> sum(kMlpHidden);
  for (size_t i = 0; i < kMlpIn; ++i) {
    if (pixels[i] == 0) continue;
    for (size_t j = 0; j < kMlpHidden; ++j) sum[j] += pixels[i] * network.q1[i * kMlpHidden + j];
  }
  std::vector<int32_t> scores = network.q_b2;
  for (size_t j = 0; j < kMlpHidden; ++j) {
    const float hidden = std::fma(static_cast<float>(sum[j]), network.scale[j], network.offset[j]);
    const auto byte = static_cast<int32_t>(std::lrint(std::clamp(hidden, 0.0f, 255.0f)));
    for (size_t c = 0; c < kMlpOut; ++c) scores[c] += byte * network.q2[j * kMlpOut + c];
  }
  return static_cast<int>(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

}  // namespace ridge::mlp
