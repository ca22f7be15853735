// ridge: flags=-O3
#include "kernels/quantnet/tuning.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/quantnet/network.h"

namespace ridge::quantnet {
namespace {

using Kind = mixed::Layer::Kind;

/// Places of the `kept` largest of `values`, ascending.
std::vector<int> largest(const std::vector<double>& values, size_t kept) {
  std::vector<int> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return values[size_t(a)] > values[size_t(b)]; });
  order.resize(kept);
  std::sort(order.begin(), order.end());
  return order;
}

size_t kept_of(size_t count, int pruned_percent) {
  return std::max<size_t>(1, count * size_t(100 - pruned_percent) / 100);
}

std::vector<double> magnitudes(const TrainedNet& net, int64_t first, int64_t count) {
  std::vector<double> all;
  for (int64_t i = 0; i < count; ++i)
    all.push_back(std::fabs(double(net.parameters[size_t(first + i)])));
  return all;
}

}  // namespace

std::vector<uint8_t> kept_weights(const TrainedNet& net, Tune tune, int pruned_percent) {
  std::vector<uint8_t> kept(net.parameters.size(), 1);
  for (const mixed::Layer& layer : net.model.layers) {
    const int64_t weights = layer.weights(), inputs = layer.inputs();
    // Two of four: a row's last fours may be shorter, and keep two too.
    const int64_t piece = tune == Tune::two_of_four ? 4 : weights;
    const int64_t row = tune == Tune::two_of_four ? inputs : weights;
    for (int64_t first = 0; first < weights;) {
      const int64_t left = row - first % row, count = std::min(piece, left);
      const auto sizes = magnitudes(net, layer.weight + first, count);
      const size_t stay = tune == Tune::two_of_four ? std::min<size_t>(2, sizes.size())
                                                    : kept_of(sizes.size(), pruned_percent);
      const auto to = kept.begin() + layer.weight + first;
      std::fill(to, to + count, uint8_t{0});
      for (const int i : largest(sizes, stay)) to[i] = 1;
      first += count;
    }
  }
  return kept;
}

TrainedNet without_channels(const TrainedNet& net, int pruned_percent) {
  TrainedNet smaller;
  smaller.model.name = net.model.name;
  auto before = static_cast<size_t>(net.model.layers.front().in);
  std::vector<int> read(before);  // the channels of its input that are left
  std::iota(read.begin(), read.end(), 0);
  for (const mixed::Layer& layer : net.model.layers) {
    mixed::Layer& made = smaller.model.layers.emplace_back(layer);
    if (layer.kind == Kind::pool) {
      made.in = made.out = static_cast<int>(read.size());
      continue;
    }
    const auto inputs = static_cast<size_t>(layer.inputs()), out = static_cast<size_t>(layer.out);
    std::vector<double> acc;
    for (size_t c = 0; c < out; ++c) {
      const auto sizes = magnitudes(net, layer.weight + int64_t(c * inputs), int64_t(inputs));
      acc.push_back(std::accumulate(sizes.begin(), sizes.end(), 0.0));
    }
    const bool is_last = &layer == &net.model.layers.back();
    const auto stay = largest(acc, is_last ? out : kept_of(out, pruned_percent));
    made.in = static_cast<int>(size_t(layer.in) / before * read.size());
    made.out = static_cast<int>(stay.size());
    made.weight = std::ssize(smaller.parameters);
    for (const int c : stay) {
      for (size_t place = 0; place < inputs; place += before) {
        for (const int i : read)
          smaller.parameters.push_back(
              net.parameters[size_t(layer.weight) + size_t(c) * inputs + place + size_t(i)]);
      }
    }
    made.bias = std::ssize(smaller.parameters);
    for (const int c : stay) smaller.parameters.push_back(net.parameters[size_t(layer.bias + c)]);
    read = stay, before = out;
  }
  smaller.model.parameters = std::ssize(smaller.parameters);
  return smaller;
}

void round_as_seen(const mixed::Model& model, int bits, std::vector<float>* parameters) {
  std::vector<int8_t> q;
  for (const mixed::Layer& layer : model.layers) {
    const int64_t inputs = layer.inputs();
    q.resize(size_t(inputs));
    for (int64_t c = 0; c < layer.out && layer.kind != Kind::pool; ++c) {
      float* row = &(*parameters)[size_t(layer.weight + c * inputs)];
      float scale = 1;
      round_weights({row, size_t(inputs)}, inputs, bits, false, q.data(), &scale);
      for (int64_t i = 0; i < inputs; ++i) row[i] = static_cast<float>(q[size_t(i)]) * scale;
    }
  }
}

}  // namespace ridge::quantnet
