// The network of the mixed-precision lab once more, in float64, from its definition, and what its tests share.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/runtime/networks/trainer.h"
#include "tests/catch.h"

namespace ridge::mixed::test {

struct Reference {
  const Model& model;
  std::vector<double> parameters;

  std::vector<double> layer(const Layer& l, const std::vector<double>& x) const {
    std::vector<double> y(size_t(l.out_size()));
    const auto at = [&](int row, int column, int c) {
      return x[size_t((row * l.side + column) * l.in + c)];
    };
    if (l.kind == Layer::Kind::pool) {
      for (int r = 0; r < l.side / 2; ++r)
        for (int q = 0; q < l.side / 2; ++q)
          for (int c = 0; c < l.in; ++c) {
            const double high = std::max({at(2 * r, 2 * q, c), at(2 * r, 2 * q + 1, c),
                                          at(2 * r + 1, 2 * q, c), at(2 * r + 1, 2 * q + 1, c)});
            y[size_t((r * (l.side / 2) + q) * l.in + c)] = std::max(high, 0.0);
          }
      return y;
    }
    for (int64_t p = 0; p < l.pixels(); ++p) {
      for (int o = 0; o < l.out; ++o) {
        const double* w = &parameters[size_t(l.weight + int64_t{o} * l.inputs())];
        double sum = parameters[size_t(l.bias + o)];
        for (int i = 0; i < l.inputs(); ++i) {
          if (l.kind == Layer::Kind::dense) {
            sum += w[i] * x[size_t(i)];
            continue;
          }
          const int t = i / l.in, row = int(p) / l.side + t / 3 - 1,
                    column = int(p) % l.side + t % 3 - 1;
          if (row >= 0 && row < l.side && column >= 0 && column < l.side)
            sum += w[i] * at(row, column, i % l.in);
        }
        y[size_t(p * l.out + o)] = l.relu ? std::max(sum, 0.0) : sum;
      }
    }
    return y;
  }

  /// Mean cross-entropy of the images.
  double loss(const ImageSet& set, const std::vector<int32_t>& images) const {
    double total = 0;
    for (const int32_t image : images) {
      std::vector<double> x(kGarmentPixels);
      for (size_t i = 0; i < x.size(); ++i) x[i] = (double(set.image(image)[i]) - 72.94) / 90.03;
      for (const Layer& l : model.layers) x = layer(l, x);
      const double high = *std::max_element(x.begin(), x.end());
      double sum = 0;
      for (const double score : x) sum += std::exp(score - high);
      total += std::log(sum) + high - x[set.labels[size_t(image)]];
    }
    return total / double(images.size());
  }
};

inline const Garments& small_set() {
  static const Garments set = synthetic_garments(512, 64, 5);
  return set;
}

inline std::vector<int32_t> first_images(int64_t count) {
  std::vector<int32_t> images(static_cast<size_t>(count));
  for (size_t i = 0; i < images.size(); ++i) images[i] = int32_t(i);
  return images;
}

inline double distance(const std::vector<float>& a, const std::vector<float>& b) {
  double apart = 0, size = 0;
  for (size_t i = 0; i < a.size(); ++i)
    apart += std::pow(double(a[i]) - b[i], 2), size += std::pow(double(a[i]), 2);
  return std::sqrt(apart / size);
}

/// Biases of 0 leave whole regions of zeros exactly on a ReLU's corner.
inline void set_biases(TrainerSetup* setup) {
  for (const Layer& layer : setup->model.layers) {
    for (int o = 0; layer.kind != Layer::Kind::pool && o < layer.out; ++o)
      setup->parameters[size_t(layer.bias + o)] = 0.05f * float(1 + o % 3) * (o % 2 ? -1 : 1);
  }
}

/// A step's gradient of some weights of each layer, spread, and some biases against finite differences. A ReLU's or
/// pool's corner within the step is in `limit`, more of them in a wider network.
inline void check_gradient(Trainer* trainer, const TrainerSetup& setup, int weights, int biases,
                           double limit) {
  const auto images = first_images(setup.batch);
  REQUIRE(trainer->step(small_set().train, images.data(), 0.01f, true));
  const auto report = trainer->report();
  REQUIRE(report);
  const std::vector<float> gradient = trainer->gradient();
  Reference reference{setup.model, {setup.parameters.begin(), setup.parameters.end()}};
  CHECK(report->loss == Approx(reference.loss(small_set().train, images)).epsilon(1e-5));
  for (const Layer& layer : setup.model.layers) {
    if (layer.kind == Layer::Kind::pool) continue;
    double apart = 0, size = 0;
    for (int64_t i = 0; i < weights + biases; ++i) {
      const int64_t at = i < weights ? layer.weight + (i * 7919 + 13) % layer.weights()
                                     : layer.bias + i % layer.out;
      const double here = reference.parameters[size_t(at)], step = 1e-5;
      reference.parameters[size_t(at)] = here + step;
      const double above = reference.loss(small_set().train, images);
      reference.parameters[size_t(at)] = here - step;
      const double below = reference.loss(small_set().train, images);
      reference.parameters[size_t(at)] = here;
      const double slope = (above - below) / (2 * step);
      apart += std::pow(gradient[size_t(at)] - slope, 2), size += slope * slope;
    }
    INFO(setup.model.name << ", layer " << &layer - setup.model.layers.data());
    CHECK(size > 0);
    CHECK(std::sqrt(apart / size) < limit);
  }
}

}  // namespace ridge::mixed::test
