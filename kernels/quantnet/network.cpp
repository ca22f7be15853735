// ridge: flags=-O3
//
// What a network of this family computes by definition: in float64, and with integers as its engine has them.
#include "kernels/quantnet/network.h"

#include <algorithm>
#include <cmath>

#include "kernels/runtime/networks/rounding.h"

namespace ridge::quantnet {
namespace {

using Kind = mixed::Layer::Kind;

/// Highest of 2 x 2, and 0.
template <class Number>
std::vector<Number> pooled(const mixed::Layer& layer, const std::vector<Number>& x) {
  const int side = layer.side / 2, channels = layer.in;
  std::vector<Number> y(size_t(layer.out_size()));
  for (int r = 0; r < 2 * side; ++r) {
    for (int q = 0; q < 2 * side; ++q) {
      for (int c = 0; c < channels; ++c) {
        Number& high = y[size_t((r / 2 * side + q / 2) * channels + c)];
        high = std::max(high, x[size_t((r * layer.side + q) * channels + c)]);
      }
    }
  }
  return y;
}

/// [out][inputs] as [inputs][out], so that the innermost loop is over outputs.
template <class Number, class Weight>
std::vector<Number> transposed(const mixed::Layer& layer, const std::vector<Weight>& weights) {
  const int inputs = layer.inputs(), out = layer.out;
  std::vector<Number> w(weights.size());
  for (int c = 0; c < out; ++c) {
    for (int i = 0; i < inputs; ++i)
      w[size_t(i * out + c)] = static_cast<Number>(weights[size_t(c * inputs + i)]);
  }
  return w;
}

/// Calls row(pixel, inputs) with the numbers that each pixel's outputs are made of; `zero` outside.
template <class Number, class Row>
void each_row(const mixed::Layer& layer, const std::vector<Number>& x, Number zero,
              const Row& row) {
  if (layer.kind == Kind::dense) return row(0, x.data());
  const int side = layer.side, in = layer.in;
  std::vector<Number> inputs(size_t(layer.inputs()));
  for (int p = 0; p < side * side; ++p) {
    std::fill(inputs.begin(), inputs.end(), zero);
    for (int tap = 0; tap < 9; ++tap) {
      const int r = p / side + tap / 3 - 1, q = p % side + tap % 3 - 1;
      if (r < 0 || r >= side || q < 0 || q >= side) continue;
      std::copy_n(&x[size_t((r * side + q) * in)], in, &inputs[size_t(tap * in)]);
    }
    row(p, inputs.data());
  }
}

std::vector<double> sums_of(const QuantLayer& at, const std::vector<double>& x) {
  const mixed::Layer& layer = at.layer;
  const auto w = transposed<double>(layer, at.weights);
  const auto out = size_t(layer.out);
  std::vector<double> y(size_t(layer.pixels()) * out);
  each_row(layer, x, 0.0, [&](int pixel, const double* inputs) {
    double* sum = &y[size_t(pixel) * out];
    std::copy(at.bias.begin(), at.bias.end(), sum);
    for (size_t i = 0; i < size_t(layer.inputs()); ++i) {
      if (inputs[i] == 0) continue;
      for (size_t c = 0; c < out; ++c) sum[c] += inputs[i] * w[i * out + c];
    }
  });
  return y;
}

/// What a floating type makes of a value; fp8 is scaled, and scores stay as they are.
double rounded(const QuantNet& net, double value, double scale) {
  if (net.recipe.element == Element::fp32) return value;
  return double(round_to(static_cast<float>(value / scale), rounding_of(net.recipe.element))) *
         scale;
}

/// x of the definition, one pixel's outputs.
void scaled_acc(const QuantLayer& at, const std::vector<int32_t>& w, const int32_t* inputs, float* x) {
  const auto out = size_t(at.layer.out), groups = size_t(at.groups);
  const int64_t all = at.layer.inputs();
  std::vector<int32_t> sum(out);
  std::copy(at.add.begin(), at.add.end(), x);
  for (size_t g = 0; g < groups; ++g) {
    for (size_t c = 0; c < out; ++c) sum[c] = at.start[c * groups + g];
    const auto first = size_t(at.group) * g;
    const size_t last = std::min(first + size_t(at.group), size_t(all));
    for (size_t i = first; i < last; ++i) {
      if (inputs[i] == 0) continue;
      for (size_t c = 0; c < out; ++c) sum[c] += inputs[i] * w[i * out + c];
    }
    for (size_t c = 0; c < out; ++c)
      x[c] = std::fma(static_cast<float>(sum[c]), at.scale[c * groups + g], x[c]);
  }
}

/// The same of a layer that is kept.
void kept_acc(const QuantLayer& at, const std::vector<float>& w, const int32_t* inputs, float* x) {
  const auto out = size_t(at.layer.out);
  std::vector<float> sum(out);
  for (size_t i = 0; i < size_t(at.layer.inputs()); ++i) {
    const auto q = static_cast<float>(inputs[i] - at.in_zero);
    for (size_t c = 0; c < out; ++c) sum[c] = std::fma(q, w[i * out + c], sum[c]);
  }
  for (size_t c = 0; c < out; ++c) x[c] = std::fma(sum[c], at.scale[c], at.add[c]);
}

}  // namespace

void evaluate(const QuantNet& net, const uint8_t* pixels, double* scores, const Seen* seen) {
  std::vector<double> x(kGarmentPixels), acc;
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = net.recipe.integer ? (pixels[i] - kZeroPixel) / kDeviation
                              : rounded(net, (pixels[i] - kMean) / kDeviation, net.pixel_scale);
  }
  for (size_t l = 0; l < net.layers.size(); ++l) {
    const QuantLayer& at = net.layers[l];
    const bool is_last = l + 1 == net.layers.size();
    acc = at.layer.kind == Kind::pool ? pooled(at.layer, x) : sums_of(at, x);
    x = acc;
    for (double& value : x) {
      if (at.layer.relu) value = std::max(value, 0.0);
      if (net.recipe.integer && !is_last) {
        value =
            std::clamp(std::nearbyint(value / at.out_scale), 0.0, double(net.most)) * at.out_scale;
      } else if (!net.recipe.integer && !(is_last && net.recipe.element == Element::e4m3)) {
        value = rounded(net, value, at.out_scale);
      }
    }
    if (seen != nullptr && !is_last) (*seen)(l, acc, x);
  }
  std::copy(x.begin(), x.end(), scores);
}

void evaluate_integer(const QuantNet& net, const uint8_t* pixels, float* scores) {
  std::vector<int32_t> bytes(pixels, pixels + kGarmentPixels);
  for (const QuantLayer& at : net.layers) {
    if (at.layer.kind == Kind::pool) {
      bytes = pooled(at.layer, bytes);
      continue;
    }
    const auto out = size_t(at.layer.out);
    std::vector<int32_t> w;
    std::vector<float> kept;
    if (at.kept)
      kept = transposed<float>(at.layer, at.weights);
    else
      w = transposed<int32_t>(at.layer, at.q);
    std::vector<float> x(size_t(at.layer.pixels()) * out);
    each_row(at.layer, bytes, at.in_zero, [&](int pixel, const int32_t* inputs) {
      float* to = &x[size_t(pixel) * out];
      at.kept ? kept_acc(at, kept, inputs, to) : scaled_acc(at, w, inputs, to);
    });
    if (&at == &net.layers.back()) {
      std::copy(x.begin(), x.end(), scores);
      return;
    }
    bytes.resize(x.size());
    std::transform(x.begin(), x.end(), bytes.begin(), [&](float value) {
      return static_cast<int32_t>(
          std::nearbyint(std::clamp(value, 0.0f, static_cast<float>(net.most))));
    });
  }
}

}  // namespace ridge::quantnet
