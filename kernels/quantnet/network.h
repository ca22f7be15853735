// A trained network in the numbers of one recipe, and what it computes by definition.
//
// Layers follow each other as mixed::Model has them; every one but the last ends in ReLU. Floating: weights and
// activations are rounded to the recipe's type, sums are not. Integer: an activation is a byte q that stands
// for in_scale * (q - in_zero), a weight an integer times its scale; the sum over a group is an exact int32, and
//
//   x    = scale[out][last] * sum[last] + ... + scale[out][0] * sum[0] + add[out]      (fma, fp32, in order)
//   byte = x rounded to nearest even, within 0 ... most;                     of the last layer x is the score
//
// so that two machines give the same bits. Scales hold in_scale / out_scale already.
// Jacob et al., Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference
// (arXiv:1712.05877); Krishnamoorthi (arXiv:1806.08342).
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "kernels/quantnet/trained.h"

namespace ridge::quantnet {

/// A pixel p stands for (p - kMean) / kDeviation: the training set's, as the mixed lab widens them.
inline constexpr double kMean = 72.94, kDeviation = 90.03;

struct QuantLayer {
  mixed::Layer layer;
  std::vector<float> weights;  ///< [out][inputs], as they are multiplied
  std::vector<float> bias;     ///< [out]
};

struct QuantNet {
  Recipe recipe;
  std::vector<QuantLayer> layers;
  double weight_bytes = 0;  ///< weights, scales and biases as they would be stored
};

/// What an image is on its way: called with each layer's output, rounded and after ReLU.
using Seen = std::function<void(size_t layer, std::span<const double> values)>;

/// Scores of one image in float64, straight from the definition.
void evaluate(const QuantNet& net, const uint8_t* pixels, double* scores,
              const Seen* seen = nullptr);

std::shared_ptr<const QuantNet> quantize(const TrainedNet& trained, const Recipe& recipe);

}  // namespace ridge::quantnet
