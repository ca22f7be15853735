// The perceptron 784-256-10 in fp32, trained here, and its int8 form.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/harness/data/fashion_mnist.h"
#include "common/harness/kernel/family.h"
#include "kernels/mlp/mlp.h"

namespace ridge::mlp {

struct Perceptron {
  std::vector<float> w1, b1, w2, b2;  ///< as in MlpModel
  std::vector<int8_t> q1, q2;
  std::vector<float> scale, offset;
  std::vector<int32_t> q_b2;
  MlpModel model() const;
  /// Fills q1 ... q_b2; a hidden byte's range is what the unit reaches on the first 2000 images of `set`.
  void quantize(const ImageSet& set);
};

struct PerceptronConfig {
  int epochs = 10;  ///< 0: random weights
  uint64_t seed = 1;
};

/// By the fp32 trainer of kernels/mixed: SGD with momentum 0.9 at 0.1 falling to 0 along a cosine, batches of 256, on
/// all of set; the same to the bit whatever the number of threads. Null: cancelled.
std::shared_ptr<Perceptron> train(const PerceptronConfig& config, const ImageSet& set, int threads,
                                  const FamilyProgress* progress);

/// Scores in float64, straight from the definition.
void scores_of(const Perceptron& network, const uint8_t* pixels, double* scores);
/// The same of the int8 network: whole numbers, its own integers.
void scores_int8(const Perceptron& network, const uint8_t* pixels, double* scores);
/// The class that the int8 network's integers give.
int predict_int8(const Perceptron& network, const uint8_t* pixels);

/// From this process, else from the cache folder (model_store.h of kernels/weightless), else trained.
Result<std::shared_ptr<const Perceptron>> stored(const PerceptronConfig& config,
                                                 const FamilyProgress* progress);

}  // namespace ridge::mlp
