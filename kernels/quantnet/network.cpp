// ridge: flags=-O3
#include "kernels/quantnet/network.h"

#include <algorithm>
#include <cmath>

#include "kernels/mixed/rounding.h"

namespace ridge::quantnet {
namespace {

using Kind = mixed::Layer::Kind;
using Values = std::vector<double>;

/// Highest of 2 x 2, and 0.
Values pooled(const mixed::Layer& layer, const Values& x) {
  const int side = layer.side / 2, channels = layer.in;
  Values y(size_t(layer.out_size()));
  for (int r = 0; r < layer.side / 2 * 2; ++r) {
    for (int q = 0; q < side * 2; ++q) {
      for (int c = 0; c < channels; ++c) {
        double& high = y[size_t((r / 2 * side + q / 2) * channels + c)];
        high = std::max(high, x[size_t((r * layer.side + q) * channels + c)]);
      }
    }
  }
  return y;
}

/// y += x times the `inputs` rows of w that begin at `first`; w: [inputs][out].
void add_products(const double* x, int inputs, const double* w, int out, double* y) {
  for (int i = 0; i < inputs; ++i, w += out) {
    if (x[i] == 0) continue;
    for (int c = 0; c < out; ++c) y[c] += x[i] * w[c];
  }
}

Values multiplied(const QuantLayer& at, const Values& x) {
  const mixed::Layer& layer = at.layer;
  const int inputs = layer.inputs(), out = layer.out, side = layer.side;
  Values w(size_t(layer.weights())), y;
  for (int c = 0; c < out; ++c) {
    for (int i = 0; i < inputs; ++i)
      w[size_t(i * out + c)] = double(at.weights[size_t(c * inputs + i)]);
  }
  for (int64_t p = 0; p < layer.pixels(); ++p) y.insert(y.end(), at.bias.begin(), at.bias.end());
  if (layer.kind == Kind::dense) {
    add_products(x.data(), inputs, w.data(), out, y.data());
    return y;
  }
  for (int r = 0; r < side; ++r) {
    for (int q = 0; q < side; ++q) {
      for (int tap = 0; tap < 9; ++tap) {
        const int row = r + tap / 3 - 1, column = q + tap % 3 - 1;
        if (row < 0 || row >= side || column < 0 || column >= side) continue;
        add_products(&x[size_t((row * side + column) * layer.in)], layer.in,
                     &w[size_t(tap * layer.in * out)], out, &y[size_t((r * side + q) * out)]);
      }
    }
  }
  return y;
}

}  // namespace

void evaluate(const QuantNet& net, const uint8_t* pixels, double* scores, const Seen* seen) {
  const Rounding rounding = rounding_of(net.recipe.element);
  const auto rounded = [&](double value) {
    return rounding.is_identity ? value : double(round_to(static_cast<float>(value), rounding));
  };
  Values x;
  for (int i = 0; i < kGarmentPixels; ++i) x.push_back(rounded((pixels[i] - kMean) / kDeviation));
  for (size_t l = 0; l < net.layers.size(); ++l) {
    const QuantLayer& at = net.layers[l];
    const bool is_last = l + 1 == net.layers.size();
    x = at.layer.kind == Kind::pool ? pooled(at.layer, x) : multiplied(at, x);
    for (double& value : x) value = rounded(at.layer.relu ? std::max(value, 0.0) : value);
    if (seen != nullptr && !is_last) (*seen)(l, x);
  }
  std::copy(x.begin(), x.end(), scores);
}

std::shared_ptr<const QuantNet> quantize(const TrainedNet& trained, const Recipe& recipe) {
  auto net = std::make_shared<QuantNet>();
  net->recipe = recipe;
  const Rounding rounding = rounding_of(recipe.element);
  const double bytes = rounding.is_identity ? 4 : recipe.element == Element::e4m3 ? 1 : 2;
  for (const mixed::Layer& layer : trained.model.layers) {
    QuantLayer& at =
        net->layers.emplace_back(QuantLayer{.layer = layer, .weights = {}, .bias = {}});
    if (layer.kind == Kind::pool) continue;
    const auto first = trained.parameters.begin() + layer.weight;
    at.weights.assign(first, first + layer.weights());
    at.bias.assign(first + layer.weights(), first + layer.weights() + layer.out);
    if (!rounding.is_identity) {
      for (float& w : at.weights) w = round_to(w, rounding);
    }
    net->weight_bytes += bytes * double(layer.weights()) + 4.0 * layer.out;
  }
  return net;
}

}  // namespace ridge::quantnet
