// The data loader's network once more, plainly and in float64: what a device computed is held against it.
#pragma once

#include <cmath>
#include <vector>

#include "common/core/random.h"
#include "kernels/pipeline/device.h"
#include "tests/catch.h"

namespace ridge::test {

/// Squared error over the reference's squares.
inline double nmse(const std::vector<double>& got, const std::vector<double>& wanted) {
  double error = 0, square = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    error += (got[i] - wanted[i]) * (got[i] - wanted[i]);
    square += wanted[i] * wanted[i];
  }
  return got.size() == wanted.size() && square > 0 ? error / square : NAN;
}

struct ReferenceNetwork {
  static constexpr double kRate = 0.02;
  static constexpr size_t kClasses = 10;
  struct Layer {
    size_t in = 0, out = 0;
    std::vector<double> weights, input, gradient;
  };
  std::vector<Layer> layers;
  double loss = NAN;

  /// One step on `input` (images x features); a label below 0 is left out.
  void step(std::vector<double> input, const std::vector<int>& labels) {
    const size_t images = labels.size();
    for (size_t l = 0; l < layers.size(); ++l) {
      Layer& layer = layers[l];
      std::vector<double> out(images * layer.out);
      for (size_t i = 0; i < images; ++i) {
        for (size_t p = 0; p < layer.in; ++p) {
          for (size_t j = 0; j < layer.out; ++j)
            out[i * layer.out + j] += input[i * layer.in + p] * layer.weights[p * layer.out + j];
        }
      }
      layer.input = std::move(input);
      if (l + 1 < layers.size())
        for (double& value : out) value = std::max(value, 0.0);
      input = std::move(out);
    }
    score(std::move(input), labels);
    back(images);
  }

 private:
  void score(std::vector<double> scores, const std::vector<int>& labels) {
    double counted = 0;
    for (const int label : labels) counted += label >= 0 ? 1 : 0;
    loss = 0;
    for (size_t i = 0; i < labels.size(); ++i) {
      double* const score = &scores[i * kClasses];
      double sum = 0;
      for (size_t c = 0; c < kClasses; ++c) sum += std::exp(score[c]);
      if (labels[i] >= 0) loss -= std::log(std::exp(score[labels[i]]) / sum) / counted;
      for (size_t c = 0; c < kClasses; ++c) {
        const double wanted = int(c) == labels[i] ? 1 : 0;
        score[c] = labels[i] < 0 ? 0 : (std::exp(score[c]) / sum - wanted) / counted;
      }
    }
    layers.back().gradient = std::move(scores);
  }

  void back(size_t images) {
    for (size_t l = layers.size(); l-- > 0;) {
      Layer& layer = layers[l];
      std::vector<double> by_input(images * layer.in);
      for (size_t i = 0; i < images; ++i) {
        for (size_t p = 0; p < layer.in; ++p) {
          double sum = 0;
          for (size_t j = 0; j < layer.out; ++j)
            sum += layer.gradient[i * layer.out + j] * layer.weights[p * layer.out + j];
          by_input[i * layer.in + p] = layer.input[i * layer.in + p] > 0 ? sum : 0;
        }
      }
      for (size_t p = 0; p < layer.in; ++p) {
        for (size_t j = 0; j < layer.out; ++j) {
          double sum = 0;
          for (size_t i = 0; i < images; ++i)
            sum += layer.input[i * layer.in + p] * layer.gradient[i * layer.out + j];
          layer.weights[p * layer.out + j] -= kRate * sum;
        }
      }
      if (l > 0) layers[l - 1].gradient = std::move(by_input);
    }
  }
};

/// Small pictures, cropped on the device.
inline pipeline::Geometry network_geometry(int images) {
  pipeline::Geometry g;
  g.side = 32;
  g.crop = 24;
  g.batch = images;
  g.carried = Carried::pixels;
  g.image_bytes = size_t(g.side) * size_t(g.side) * pipeline::kChannels;
  return g;
}

/// Random bytes, cropped and flipped at random; one image in seven is skipped.
inline std::vector<std::byte> random_batch(const pipeline::Geometry& g) {
  std::vector<std::byte> memory(g.batch_bytes());
  const pipeline::Batch batch = {memory.data(), &g};
  const uint64_t key = random_key(11);
  const auto room = uint32_t(g.side - g.crop + 1);
  uint64_t draw = 0;
  for (int i = 0; i < g.batch; ++i) {
    pipeline::Record& record = batch.records()[i];
    record.file = i;
    record.label = i % 7 == 3 ? -1 : int32_t(random_below(key, draw++, 10));
    record.x = int32_t(random_below(key, draw++, room));
    record.y = int32_t(random_below(key, draw++, room));
    record.flip = i % 2;
    for (size_t b = 0; b < g.image_bytes; ++b)
      batch.image(i)[b] = uint8_t(random_below(key, draw++, 256));
  }
  return memory;
}

/// Two steps on a batch of pixels. Loss and every layer's change must agree: a row left out of a product,
/// forwards or backwards, is an error of 1e-2 and more.
inline void check_network(pipeline::TrainDevice* device, const pipeline::DeviceSetup& setup,
                          double most_loss_error, double most_nmse) {
  const pipeline::Geometry& g = setup.geometry;
  std::vector<std::byte> memory = random_batch(g);
  const pipeline::Batch batch = {memory.data(), &g};
  std::vector<double> input;
  std::vector<int> labels;
  for (int i = 0; i < g.batch; ++i) {
    const pipeline::Record& record = batch.records()[i];
    std::vector<float> pooled(size_t(g.features()));
    if (record.label >= 0) pipeline::pool_pixels(batch.image(i), record, g, pooled.data());
    input.insert(input.end(), pooled.begin(), pooled.end());
    labels.push_back(record.label);
  }
  ReferenceNetwork reference;
  size_t in = size_t(g.features());
  for (int l = 0; l <= setup.layers; ++l) {
    const auto weights = device->weights(l);
    REQUIRE(weights.ok());
    reference.layers.push_back(
        {in, weights->size() / in, {weights->begin(), weights->end()}, {}, {}});
    in = reference.layers.back().out;
  }
  REQUIRE(device->queue_copy(0, batch).ok());
  REQUIRE(device->finish_copy().ok());
  for (int step = 0; step < 2; ++step) {
    std::vector<std::vector<double>> before;
    for (const auto& layer : reference.layers) before.push_back(layer.weights);
    REQUIRE(device->queue_step(0).ok());
    REQUIRE(device->finish_step().ok());
    reference.step(input, labels);
    CHECK(std::fabs(device->loss() - reference.loss) <= most_loss_error * reference.loss);
    for (size_t l = 0; l < reference.layers.size(); ++l) {
      INFO("step " << step << ", layer " << l);
      const auto now = device->weights(int(l));
      REQUIRE(now.ok());
      std::vector<double> change(now->begin(), now->end()), wanted = reference.layers[l].weights;
      for (size_t i = 0; i < change.size(); ++i)
        change[i] -= before[l][i], wanted[i] -= before[l][i];
      CHECK(nmse(change, wanted) <= most_nmse);
      // Each step is judged by itself: the reference goes on from where the device is.
      reference.layers[l].weights = {now->begin(), now->end()};
    }
  }
}

}  // namespace ridge::test
