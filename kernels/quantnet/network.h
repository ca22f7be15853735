// A trained network in the numbers of one recipe, and what it computes by definition.
//
// Layers follow each other as mixed::Model has them; every one but the last ends in ReLU. Floating: weights and
// activations are rounded to the recipe's type, sums are not. Integer: an activation is a byte q that stands
// for in_scale * (q - in_zero), a weight an integer times its scale; the sum over a group is an exact int32, and
//
//   x    = scale[out][last] * sum[last] + ... + scale[out][0] * sum[0] + add[out]      (fma, fp32, from group 0 on)
//   byte = x rounded to nearest even, within 0 ... most;                     of the last layer x is the score
//
// so that any two machines give the same bits. `scale` and `add` hold in_scale / out_scale already, and a pool
// takes the highest byte. A layer that is kept has weights of bf16 in place of integers; its one group's sum is
// fma(q - in_zero, weight, sum), fp32, from 0 and the first input on.
// Jacob et al., Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference
// (arXiv:1712.05877); Krishnamoorthi, Quantizing deep convolutional networks (arXiv:1806.08342).
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "kernels/quantnet/histogram.h"
#include "kernels/quantnet/trained.h"

namespace ridge::quantnet {

/// A pixel p stands for (p - kMean) / kDeviation: the training set's, as the mixed lab widens them.
inline constexpr double kMean = 72.94, kDeviation = 90.03;
/// A pixel is a byte already; this one stands for 0, nearly: what is left goes into the bias.
inline constexpr int kZeroPixel = 73;

struct QuantLayer {
  mixed::Layer layer;
  std::vector<float> weights;  ///< [out][inputs], as they are multiplied
  std::vector<float> bias;     ///< [out]
  double out_scale = 1;        ///< fp8: a power of two
  // Integers alone, from here on.
  bool kept = false;              ///< q is empty, weights are bf16's
  std::vector<int8_t> q;          ///< [out][inputs]
  int group = 0, groups = 1;      ///< inputs that share a scale
  std::vector<float> scale, add;  ///< [out][groups], [out]
  std::vector<int32_t>
      start;  ///< [out][groups]: -in_zero times the weights' sum, where a sum begins
  double in_scale = 1;
  int in_zero = 0;
  Histogram seen;   ///< its activations on the calibration images, in fp32
  double clip = 0;  ///< what byte `most` stands for
};

struct QuantNet {
  Recipe recipe;
  std::vector<QuantLayer> layers;
  int most = 255;           ///< the highest activation
  double pixel_scale = 1;   ///< fp8: of the first input
  double weight_bytes = 0;  ///< weights, scales and biases as they would be stored
};

/// What a recipe leaves to the learner.
struct Choices {
  int weight_bits = 8, act_bits = 8;
  int group = 32;              ///< weights that share a scale, a multiple of 4
  int calibration = 256;       ///< training images
  double percentile = 0.9999;  ///< of the activations; above it they are cut off
  int kept = 1;                ///< layers, the most sensitive
};

/// Called with each layer's sums and with what becomes of them, rounded and after ReLU; not with the scores.
using Seen = std::function<void(size_t layer, std::span<const double> acc, std::span<const double> values)>;

/// Scores of one image in float64, straight from the definition.
void evaluate(const QuantNet& net, const uint8_t* pixels, double* scores,
              const Seen* seen = nullptr);
/// The same of an integer network with its own arithmetic, bit for bit.
void evaluate_integer(const QuantNet& net, const uint8_t* pixels, float* scores);

/// Calibrates on the first training images of `set`.
std::shared_ptr<const QuantNet> quantize(const TrainedNet& trained, const Recipe& recipe,
                                         const Choices& choices, const ImageSet& set);

/// Of each layer: how many dB of the scores, signal to noise, are left if its weights alone are rounded as the
/// recipe has them; on the first images of `set`. A pool has none: infinite.
std::vector<double> sensitivities(const QuantNet& plain, const Recipe& recipe,
                                  const Choices& choices, const ImageSet& set);

/// Weights within -(2^(bits - 1) - 1) ... 2^(bits - 1) - 1 times a scale for each `group` of them; what is cut
/// off is chosen so that the squared error is least, or nothing is. `scales`: one for each group.
void round_weights(std::span<const float> weights, int64_t group, int bits, bool least_squares,
                   int8_t* q, float* scales);

}  // namespace ridge::quantnet
