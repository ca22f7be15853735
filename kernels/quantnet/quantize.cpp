// ridge: flags=-O3
//
// Post-training quantisation: a recipe's numbers from trained weights and a few images.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/quantnet/inspect.h"
#include "kernels/quantnet/network.h"
#include "kernels/runtime/networks/rounding.h"

namespace ridge::quantnet {
namespace {

using Kind = mixed::Layer::Kind;

constexpr double kLargestE4m3 = 448;
/// Images that a layer's sensitivity is measured by.
constexpr int64_t kFelt = 64;

std::shared_ptr<QuantNet> as_trained(const TrainedNet& trained) {
  auto net = std::make_shared<QuantNet>();
  for (const mixed::Layer& layer : trained.model.layers) {
    QuantLayer& at = net->layers.emplace_back();
    at.layer = layer;
    if (layer.kind == Kind::pool) continue;
    const auto first = trained.parameters.begin() + layer.weight;
    at.weights.assign(first, first + layer.weights());
    at.bias.assign(first + layer.weights(), first + layer.weights() + layer.out);
  }
  return net;
}

/// The layer whose output is what the next product reads: a pool after a convolution.
size_t read_of(const QuantNet& net, size_t l) {
  return l + 1 < net.layers.size() && net.layers[l + 1].layer.kind == Kind::pool ? l + 1 : l;
}

/// Of each layer that ends in a product's input: how its activations are distributed in fp32.
void calibrate(QuantNet* net, const QuantNet& plain, const ImageSet& set, const Choices& choices) {
  std::vector<std::vector<float>> values(plain.layers.size());
  const Seen seen = [&](size_t l, std::span<const double>, std::span<const double> some) {
    if (read_of(plain, l) == l)
      for (const double x : some) values[l].push_back(static_cast<float>(x));
  };
  double scores[kGarmentClasses];
  const int64_t images = std::min<int64_t>(choices.calibration, set.count());
  for (int64_t i = 0; i < images; ++i) evaluate(plain, set.image(i), scores, &seen);
  for (size_t l = 0; l < net->layers.size(); ++l) {
    QuantLayer& at = net->layers[l];
    at.seen = histogram_of(values[read_of(plain, l)]);
    at.clip = clip_of(at.seen, net->recipe.clip, net->most + 1, choices.percentile);
  }
}

double power_below(double value) {
  return std::exp2(std::floor(std::log2(value)));
}

void round_floating(QuantNet* net) {
  const Element element = net->recipe.element;
  if (element == Element::fp32) return;
  const bool scaled = element == Element::e4m3;
  const Rounding rounding = rounding_of(element);
  if (scaled) net->pixel_scale = 1 / power_below(kLargestE4m3 / ((255 - kMean) / kDeviation));
  for (QuantLayer& at : net->layers) {
    float scale = 1, high = 1e-30f;
    for (const float w : at.weights) high = std::max(high, std::fabs(w));
    if (scaled) scale = static_cast<float>(power_below(kLargestE4m3 / double(high)));
    for (float& w : at.weights) w = round_to(w * scale, rounding) / scale;
    if (scaled) at.out_scale = 1 / power_below(kLargestE4m3 / at.clip);
  }
}

/// Integers and their scales for one layer, whose input is known.
void round_layer(const Recipe& recipe, const Choices& choices, QuantLayer* at,
                 std::vector<float>* scales) {
  const auto inputs = size_t(at->layer.inputs()), out = size_t(at->layer.out);
  at->group = static_cast<int>(recipe.groups ? std::min<int64_t>(choices.group, int64_t(inputs))
                                             : int64_t(inputs));
  at->groups = static_cast<int>((inputs + size_t(at->group) - 1) / size_t(at->group));
  at->q.resize(at->weights.size());
  scales->resize(out * size_t(at->groups));
  const bool least = recipe.clip == Clip::least_squares;
  if (!recipe.per_channel && !recipe.groups) {
    round_weights(at->weights, std::ssize(at->weights), choices.weight_bits, least, at->q.data(),
                  scales->data());
    std::fill(scales->begin(), scales->end(), (*scales)[0]);
  } else {
    for (size_t c = 0; c < out; ++c)
      round_weights({&at->weights[c * inputs], inputs}, at->group, choices.weight_bits, least,
                    &at->q[c * inputs], &(*scales)[c * size_t(at->groups)]);
  }
  for (size_t i = 0; i < at->q.size(); ++i) {
    const size_t group = i % inputs / size_t(at->group);
    at->weights[i] =
        static_cast<float>(at->q[i]) * (*scales)[i / inputs * size_t(at->groups) + group];
  }
}

/// A layer in bf16 among layers of integers.
void keep_layer(QuantLayer* at, std::vector<float>* scales) {
  at->group = at->layer.inputs(), at->groups = 1;
  scales->assign(size_t(at->layer.out), 1);
  for (float& w : at->weights) w = round_to(w, rounding_of(Element::bf16));
}

/// The layers whose rounding the scores feel most: least signal to noise first.
void choose_kept(const QuantNet& plain, const Choices& choices, const ImageSet& set,
                 QuantNet* net) {
  const std::vector<double> left = sensitivities(plain, net->recipe, choices, set);
  std::vector<size_t> order(left.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return left[a] < left[b]; });
  for (size_t i = 0; i < order.size() && i < size_t(choices.kept); ++i)
    net->layers[order[i]].kept = net->layers[order[i]].layer.kind != Kind::pool;
}

/// Folds the scales of input and output into the layer's.
void fold(const std::vector<float>& scales, QuantLayer* at) {
  const auto inputs = size_t(at->layer.inputs()), groups = size_t(at->groups);
  at->scale.resize(scales.size()), at->start.assign(scales.size(), 0);
  for (size_t i = 0; i < scales.size(); ++i)
    at->scale[i] = static_cast<float>(double(scales[i]) * at->in_scale / at->out_scale);
  for (size_t i = 0; i < at->q.size(); ++i)
    at->start[i / inputs * groups + i % inputs / size_t(at->group)] -= at->in_zero * at->q[i];
}

void add_of(QuantLayer* at) {
  at->add.clear();
  for (const float b : at->bias) at->add.push_back(static_cast<float>(double(b) / at->out_scale));
}

void round_integers(QuantNet* net, const Choices& choices) {
  double in_scale = 1 / kDeviation;
  int zero = kZeroPixel;
  for (QuantLayer& at : net->layers) {
    const bool is_last = &at == &net->layers.back();
    at.out_scale = is_last ? 1 : at.clip / net->most;
    if (at.layer.kind == Kind::pool) continue;
    at.in_scale = in_scale, at.in_zero = zero;
    std::vector<float> scales;
    if (at.kept)
      keep_layer(&at, &scales);
    else
      round_layer(net->recipe, choices, &at, &scales);
    if (zero != 0) {  // a pixel stands for kMean less, not for kZeroPixel less
      const auto inputs = size_t(at.layer.inputs());
      for (size_t i = 0; i < at.weights.size(); ++i)
        at.bias[i / inputs] +=
            static_cast<float>(double(at.weights[i]) * (kZeroPixel - kMean) / kDeviation);
    }
    fold(scales, &at), add_of(&at);
    in_scale = at.out_scale, zero = 0;
    const double scale_count =
        double(net->recipe.groups || net->recipe.per_channel ? scales.size() : 1);
    net->weight_bytes +=
        4.0 * double(at.bias.size()) +
        (at.kept ? 2.0 * double(at.weights.size())
                 : double(at.q.size()) * choices.weight_bits / 8 + 4.0 * scale_count);
  }
}

/// Means of each output of each product, before ReLU, over the calibration images.
std::vector<std::vector<double>> mean_sums(const QuantNet& net, const ImageSet& set,
                                           int64_t images) {
  std::vector<std::vector<double>> means(net.layers.size());
  for (size_t l = 0; l < means.size(); ++l) means[l].assign(size_t(net.layers[l].layer.out), 0);
  const Seen seen = [&](size_t l, std::span<const double> acc, std::span<const double>) {
    const size_t out = means[l].size();
    const double share = double(out) / double(acc.size()) / double(images);
    for (size_t i = 0; i < acc.size(); ++i) means[l][i % out] += acc[i] * share;
  };
  double scores[kGarmentClasses];
  for (int64_t i = 0; i < images; ++i) evaluate(net, set.image(i), scores, &seen);
  return means;
}

/// Rounding shifts the mean of an output: it is put back, layer after layer (Nagel et al., Data-Free
/// Quantization through Weight Equalization and Bias Correction, arXiv:1906.04721, section 4.2, measured).
void correct_biases(QuantNet* net, const QuantNet& plain, const ImageSet& set, int64_t images) {
  const auto wanted = mean_sums(plain, set, images);
  for (size_t l = 0; l + 1 < net->layers.size(); ++l) {
    QuantLayer& at = net->layers[l];
    if (at.layer.kind == Kind::pool) continue;
    const auto found = mean_sums(*net, set, images);
    for (size_t c = 0; c < at.bias.size(); ++c)
      at.bias[c] += static_cast<float>(wanted[l][c] - found[l][c]);
    add_of(&at);
  }
}

}  // namespace

void round_weights(std::span<const float> weights, int64_t group, int bits, bool least_squares,
                   int8_t* q, float* scales) {
  const auto most = static_cast<float>((1 << (bits - 1)) - 1);
  for (int64_t first = 0; first < std::ssize(weights); first += group, ++scales) {
    const auto some =
        weights.subspan(size_t(first), size_t(std::min(group, std::ssize(weights) - first)));
    float high = 1e-30f;
    for (const float w : some) high = std::max(high, std::fabs(w));
    const auto rounded = [&](float w, float scale) {
      return std::clamp(std::nearbyint(w / scale), -most, most);
    };
    *scales = high / most;
    double least = HUGE_VAL;
    for (int tried = 0; least_squares && tried < 40; ++tried) {
      const float scale = high / most * (1 - 0.02f * static_cast<float>(tried));
      double error = 0;
      for (const float w : some) error += std::pow(double(w - rounded(w, scale) * scale), 2);
      if (error < least) least = error, *scales = scale;
    }
    for (const float w : some) *q++ = static_cast<int8_t>(rounded(w, *scales));
  }
}

std::vector<double> sensitivities(const QuantNet& plain, const Recipe& recipe,
                                  const Choices& choices, const ImageSet& set) {
  std::vector<double> left(plain.layers.size(), HUGE_VAL);
  for (size_t l = 0; l < left.size(); ++l) {
    if (plain.layers[l].layer.kind == Kind::pool) continue;
    QuantNet one = plain;
    std::vector<float> scales;
    round_layer(recipe, choices, &one.layers[l], &scales);
    left[l] = signal_to_noise(one, plain, set, kFelt).back();
  }
  return left;
}

std::shared_ptr<const QuantNet> quantize(const TrainedNet& trained, const Recipe& recipe,
                                         const Choices& choices, const ImageSet& set) {
  const auto plain = as_trained(trained);
  auto net = std::make_shared<QuantNet>(*plain);
  net->recipe = recipe;
  net->most = (1 << choices.act_bits) - 1;
  if (recipe.integer || recipe.element == Element::e4m3) calibrate(net.get(), *plain, set, choices);
  if (recipe.keeps_worst) choose_kept(*plain, choices, set, net.get());
  if (recipe.integer) {
    round_integers(net.get(), choices);
    if (recipe.corrects_bias)
      correct_biases(net.get(), *plain, set, std::min<int64_t>(choices.calibration, set.count()));
    return net;
  }
  round_floating(net.get());
  // A bit a weight says which are there; of two of four, two bits each that is.
  const bool halves = recipe.tune == Tune::two_of_four, sparse = recipe.tune == Tune::magnitude;
  const double bytes = recipe.element == Element::fp32   ? 4
                       : recipe.element == Element::e4m3 ? 1
                                                         : 2;
  for (const QuantLayer& at : net->layers) {
    const auto all = double(at.weights.size());
    const auto zeros = double(std::count(at.weights.begin(), at.weights.end(), 0.0f));
    net->weight_bytes +=
        4.0 * double(at.bias.size()) + (sparse || halves ? bytes * (all - zeros) : bytes * all);
    net->weight_bytes += sparse ? all / 8 : halves ? (all - zeros) / 4 : 0;
  }
  return net;
}

}  // namespace ridge::quantnet
