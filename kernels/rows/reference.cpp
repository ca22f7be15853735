#include "kernels/rows/reference.h"

#include <algorithm>
#include <cmath>

namespace ridge::rows {
namespace {

using Values = std::vector<double>;

constexpr double kUnit = 0x1p-24;    // of fp32, in which sums and statistics are kept
constexpr double kSmallest = 1e-36;  // GPUs and our polynomials flush what lies near fp32's least
/// Half units that a few roundings, an exponential and a division may leave, and those that a sum of n
/// terms leaves: its error grows as sqrt(n) where the terms' signs are random.
constexpr double kFew = 16;
double of_sum(double n) {
  return 4 * std::sqrt(n);
}

double mean(const Values& v) {
  double sum = 0;
  for (const double value : v) sum += value;
  return sum / double(v.size());
}

double rms(const Values& v) {
  double sum = 0;
  for (const double value : v) sum += value * value;
  return std::sqrt(sum / double(v.size()));
}

Reference softmax(const Values& x) {
  const double most = *std::max_element(x.begin(), x.end());
  double sum = 0;
  for (const double value : x) sum += std::exp(value - most);
  Reference r;
  for (const double value : x) {
    const double y = std::exp(value - most) / sum;
    // A rounded difference d is off by kUnit |d|, and its exponential by that share.
    const double distance = std::min(most - value, 1e4);
    r.y.push_back(y);
    r.bound.push_back(y * kUnit * (kFew + 4 * distance + of_sum(double(x.size()))) + kSmallest);
  }
  return r;
}

/// `off`: how far each x may be off already.
Reference normalised(const Values& x, const Values& weight, const Values* bias, const Values& off) {
  const double n = double(x.size()), middle = mean(x), size = rms(x);
  double variance = 0;
  for (const double value : x) variance += (value - middle) * (value - middle) / n;
  const double scale = 1 / std::sqrt(variance + double(kRowEpsilon));
  const double off_mean = mean(off) + kUnit * of_sum(n) * size, off_rms = rms(off);
  Reference r;
  for (size_t i = 0; i < x.size(); ++i) {
    const double t = (x[i] - middle) * scale, b = bias ? (*bias)[i] : 0;
    const double difference = off[i] + off_mean + kUnit * 4 * (std::abs(x[i]) + size);
    const double t_off =
        scale * (difference + std::abs(t) * off_rms) + kUnit * (kFew + of_sum(n)) * std::abs(t);
    r.y.push_back(t * weight[i] + b);
    r.bound.push_back(t_off * std::abs(weight[i]) + 4 * kUnit * std::abs(b) + kSmallest);
  }
  return r;
}

Reference rmsnorm(const Values& x, const Values& weight) {
  const double size = rms(x), scale = 1 / std::sqrt(size * size + double(kRowEpsilon));
  Reference r;
  for (size_t i = 0; i < x.size(); ++i) {
    r.y.push_back(x[i] * scale * weight[i]);
    r.bound.push_back(std::abs(r.y[i]) * kUnit * (kFew + of_sum(double(x.size()))) + kSmallest);
  }
  return r;
}

Reference gelu(const Values& x, const Values& off) {
  constexpr double kSteepest = 1.13;  // the largest slope of gelu
  Reference r;
  for (size_t i = 0; i < x.size(); ++i) {
    const double z = 2 * std::sqrt(2 / M_PI) * (x[i] + 0.044715 * x[i] * x[i] * x[i]);
    r.y.push_back(x[i] / (1 + std::exp(-z)));
    r.bound.push_back(kSteepest * off[i] + kSmallest +
                      std::abs(r.y[i]) * kUnit * (kFew + 4 * std::min(std::abs(z), 1e4)) +
                      2 * kUnit * std::abs(x[i]));  // as x (1 + tanh) / 2 leaves where tanh is -1
  }
  return r;
}

Reference chain(int64_t layers, Values x, const Values& weight, const Values& bias) {
  Values off(x.size(), 0);
  Reference r;
  for (int64_t layer = 0; layer < layers; ++layer) {
    for (size_t i = 0; i < x.size(); ++i) {
      x[i] += bias[i];
      off[i] += kUnit * std::abs(x[i]);
    }
    const Reference inner = normalised(x, weight, nullptr, off);
    r = gelu(inner.y, inner.bound);
    x = r.y, off = r.bound;
  }
  return r;
}

}  // namespace

Reference reference_row(RowOp op, int64_t layers, const Values& x, const Values& weight,
                        const Values& bias) {
  const Values exact(x.size(), 0);
  switch (op) {
    case RowOp::softmax:
      return softmax(x);
    case RowOp::layernorm:
      return normalised(x, weight, &bias, exact);
    case RowOp::rmsnorm:
      return rmsnorm(x, weight);
    case RowOp::gelu:
      return gelu(x, exact);
    case RowOp::chain:
      return chain(layers, x, weight, bias);
    case RowOp::copy:
    case RowOp::transpose:
      break;  // judged bit by bit
  }
  return {x, exact};
}

double flop_per_element(RowOp op, int64_t layers) {
  switch (op) {
    case RowOp::softmax:  // maximum; difference, exponential, sum; product
      return 5;
    case RowOp::layernorm:  // sum; difference, square, sum; difference, product, product and sum
      return 8;
    case RowOp::rmsnorm:
      return 4;
    case RowOp::gelu:  // square, product and sum, product; exponential, sum, division
      return 7;
    case RowOp::chain:  // sum; layernorm without a bias; gelu
      return double(layers) * (1 + 7 + 7);
    case RowOp::copy:
    case RowOp::transpose:
      break;
  }
  return 0;
}

}  // namespace ridge::rows
