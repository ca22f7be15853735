// ridge: needs=jpeg flags=-O3
//
// The CPU as the device: a multilayer perceptron on pooled pixels, one step of SGD at a time, on a team
// of threads. Every sum is formed in one order whatever the number of threads, so that the same
// batches train the same network.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/runtime/cpu/team.h"
#include "kernels/pipeline/device.h"
#include "kernels/pipeline/images.h"

namespace ridge::pipeline {
namespace {

constexpr int kHidden = 256, kClasses = 10;
constexpr float kRate = 0.02f;

struct Layer {
  int in = 0, out = 0;
  std::vector<float> weights;          // in x out
  std::vector<float> input, gradient;  // batch x in, batch x out
};

template <class Part>
void on_team(int threads, int count, const Part& part) {
  struct Context {
    const Part* part;
    int threads, count;
  } context = {&part, threads, count};
  team_run(
      threads,
      [](void* memory, int i) {
        const auto& c = *static_cast<Context*>(memory);
        (*c.part)(c.count * i / c.threads, c.count * (i + 1) / c.threads);
      },
      &context);
}

/// Rows [begin, end) of out = input * weights. Four rows at once share a row of weights.
void forward_rows(const Layer& l, float* out, int begin, int end) {
  std::fill(out + size_t(begin) * size_t(l.out), out + size_t(end) * size_t(l.out), 0.0f);
  for (int i = begin; i < end; i += 4) {
    const int rows = std::min(4, end - i);
    for (int p = 0; p < l.in; ++p) {
      const float* w = &l.weights[size_t(p) * size_t(l.out)];
      for (int r = 0; r < rows; ++r) {
        const float x = l.input[size_t(i + r) * size_t(l.in) + size_t(p)];
        float* to = out + size_t(i + r) * size_t(l.out);
        for (int j = 0; j < l.out; ++j) to[j] += x * w[j];
      }
    }
  }
}

/// Rows of the gradient by the layer's input, where its input was positive (ReLU).
void backward_rows(const Layer& l, float* by_input, int begin, int end) {
  for (int i = begin; i < end; ++i) {
    const float* g = &l.gradient[size_t(i) * size_t(l.out)];
    for (int p = 0; p < l.in; ++p) {
      const float* w = &l.weights[size_t(p) * size_t(l.out)];
      float sums[8] = {};
      int j = 0;
      for (; j + 8 <= l.out; j += 8) {
        for (int k = 0; k < 8; ++k) sums[k] += g[j + k] * w[j + k];
      }
      for (; j < l.out; ++j) sums[0] += g[j] * w[j];
      const size_t at = size_t(i) * size_t(l.in) + size_t(p);
      const float sum =
          ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
      by_input[at] = l.input[at] > 0 ? sum : 0;
    }
  }
}

/// Rows of the weights less their gradient times the rate.
void update_rows(Layer* l, int batch, int begin, int end) {
  for (int p = begin; p < end; ++p) {
    float* w = &l->weights[size_t(p) * size_t(l->out)];
    for (int i = 0; i < batch; ++i) {
      const float x = kRate * l->input[size_t(i) * size_t(l->in) + size_t(p)];
      const float* g = &l->gradient[size_t(i) * size_t(l->out)];
      for (int j = 0; j < l->out; ++j) w[j] -= x * g[j];
    }
  }
}

class CpuDevice final : public TrainDevice {
 public:
  explicit CpuDevice(const DeviceSetup& setup);
  Result<std::byte*> host_memory(size_t bytes) override {
    host_.emplace_back(bytes);
    return host_.back().data();
  }
  // A queue of none: done as it is called.
  Result<void> queue_copy(int slot, const Batch& batch) override {
    std::memcpy(slots_[size_t(slot)].data(), batch.base, setup_.geometry.batch_bytes());
    return {};
  }
  Result<void> finish_copy() override { return {}; }
  Result<void> queue_step(int slot) override;
  Result<void> finish_step() override { return {}; }
  double loss() override { return loss_; }
  Result<std::vector<float>> weights(int l) override { return layers_[size_t(l)].weights; }
  Result<std::vector<float>> seen(int slot, int i) override {
    std::vector<float> pooled(size_t(setup_.geometry.features()));
    pool(slot, i, pooled.data());
    return pooled;
  }
  double hidden_share() const override {
    const double hidden = hidden_flop(setup_.layers, kHidden);
    return hidden / (hidden + first_flop(setup_.geometry.features(), kHidden));
  }
  std::string name() const override {
    return "a second thread pool of " + std::to_string(setup_.threads) + ", copies by memcpy";
  }

 private:
  Batch batch(int slot) { return {slots_[size_t(slot)].data(), &setup_.geometry}; }
  void pool(int slot, int i, float* out);
  double softmax(Layer* last, const Record* records);

  DeviceSetup setup_;
  std::vector<std::vector<std::byte>> slots_, host_;
  std::vector<Layer> layers_;
  double loss_ = NAN;
};

CpuDevice::CpuDevice(const DeviceSetup& setup) : setup_(setup) {
  const auto batch = static_cast<size_t>(setup.geometry.batch);
  slots_.resize(size_t(setup.buffers), std::vector<std::byte>(setup.geometry.batch_bytes()));
  for (int l = 0; l <= setup.layers; ++l) {
    Layer layer;
    layer.in = l == 0 ? setup.geometry.features() : kHidden;
    layer.out = l == setup.layers ? kClasses : kHidden;
    const uint64_t key = random_key(static_cast<uint64_t>(l));
    const float range = std::sqrt(6.0f / static_cast<float>(layer.in));
    layer.weights.resize(size_t(layer.in) * size_t(layer.out));
    for (size_t i = 0; i < layer.weights.size(); ++i)
      layer.weights[i] = range * (2 * random_unit(key, i) - 1);
    layer.input.resize(batch * size_t(layer.in));
    layer.gradient.resize(batch * size_t(layer.out));
    layers_.push_back(std::move(layer));
  }
}

void CpuDevice::pool(int slot, int i, float* out) {
  const Batch b = batch(slot);
  const Record& record = b.records()[i];
  if (record.label < 0) {
    std::fill(out, out + setup_.geometry.features(), 0.0f);
  } else if (setup_.geometry.carried == Carried::tensor) {
    pool_tensor(reinterpret_cast<const float*>(b.image(i)), setup_.geometry, out);
  } else {
    const bool here =
        setup_.set != nullptr;  // its memory is the host's: the set is not there twice
    pool_pixels(here ? setup_.set->pixels(record.file) : b.image(i), record, setup_.geometry, out);
  }
}

/// Turns the last layer's scores (in its gradient) into the gradient of the cross-entropy; the loss.
double CpuDevice::softmax(Layer* last, const Record* records) {
  double loss = 0;
  int counted = 0;
  for (int i = 0; i < setup_.geometry.batch; ++i) counted += records[i].label >= 0 ? 1 : 0;
  const float share = 1 / static_cast<float>(std::max(counted, 1));
  for (int i = 0; i < setup_.geometry.batch; ++i) {
    float* score = &last->gradient[size_t(i) * kClasses];
    const int label = records[i].label;
    if (label < 0) {
      std::fill(score, score + kClasses, 0.0f);
      continue;
    }
    const float most = *std::max_element(score, score + kClasses);
    float sum = 0;
    for (int c = 0; c < kClasses; ++c) sum += score[c] = std::exp(score[c] - most);
    loss -= std::log(std::max(score[label] / sum, 1e-30f));
    for (int c = 0; c < kClasses; ++c)
      score[c] = (score[c] / sum - (c == label ? 1.0f : 0.0f)) * share;
  }
  return loss / std::max(counted, 1);
}

Result<void> CpuDevice::queue_step(int slot) {
  const int batch_size = setup_.geometry.batch, threads = setup_.threads;
  on_team(threads, batch_size, [&](int begin, int end) {
    for (int i = begin; i < end; ++i)
      pool(slot, i, &layers_[0].input[size_t(i) * size_t(layers_[0].in)]);
  });
  for (size_t l = 0; l < layers_.size(); ++l) {
    const bool is_last = l + 1 == layers_.size();
    float* out = is_last ? layers_[l].gradient.data() : layers_[l + 1].input.data();
    on_team(threads, batch_size, [&](int begin, int end) {
      forward_rows(layers_[l], out, begin, end);
      if (is_last) return;
      for (size_t i = size_t(begin) * kHidden; i < size_t(end) * kHidden; ++i)
        out[i] = std::max(out[i], 0.0f);
    });
  }
  loss_ = softmax(&layers_.back(), batch(slot).records());
  for (size_t l = layers_.size(); l-- > 0;) {
    if (l > 0) {
      on_team(threads, batch_size, [&](int begin, int end) {
        backward_rows(layers_[l], layers_[l - 1].gradient.data(), begin, end);
      });
    }
    on_team(threads, layers_[l].in,
            [&](int begin, int end) { update_rows(&layers_[l], batch_size, begin, end); });
  }
  return {};
}

}  // namespace

void pool_tensor(const float* planes, const Geometry& g, float* out) {
  const int pooled = g.pooled();
  for (int c = 0; c < kChannels; ++c) {
    for (int r = 0; r < pooled; ++r) {
      float sums[64] = {};  // a side of 512 has 56 pools
      for (int y = 0; y < kPool; ++y) {
        const float* row =
            planes + (size_t(c) * size_t(g.crop) + size_t(r * kPool + y)) * size_t(g.crop);
        for (int q = 0; q < pooled; ++q) {
          for (int x = 0; x < kPool; ++x) sums[q] += row[q * kPool + x];
        }
      }
      for (int q = 0; q < pooled; ++q)
        out[(c * pooled + r) * pooled + q] = sums[q] / (kPool * kPool);
    }
  }
}

void pool_pixels(const uint8_t* rgb, const Record& record, const Geometry& g, float* out) {
  const int pooled = g.pooled();
  for (int r = 0; r < pooled; ++r) {
    uint32_t sums[64 * kChannels] = {};
    for (int y = 0; y < kPool; ++y) {
      const uint8_t* row =
          rgb + (size_t(record.y + r * kPool + y) * size_t(g.side) + size_t(record.x)) * kChannels;
      for (int q = 0; q < pooled; ++q) {
        for (int x = 0; x < kPool * kChannels; x += kChannels) {
          for (int c = 0; c < kChannels; ++c) sums[q * kChannels + c] += row[x + c];
        }
        row += kPool * kChannels;
      }
    }
    for (int q = 0; q < pooled; ++q) {
      const int to = record.flip != 0 ? pooled - 1 - q : q;
      for (int c = 0; c < kChannels; ++c) {
        const float mean = static_cast<float>(sums[q * kChannels + c]) / (kPool * kPool);
        out[(c * pooled + r) * pooled + to] = mean * scale_of(c) + shift_of(c);
      }
    }
  }
}

Result<std::unique_ptr<TrainDevice>> make_cpu_train_device(const DeviceSetup& setup) {
  return std::unique_ptr<TrainDevice>(std::make_unique<CpuDevice>(setup));
}

}  // namespace ridge::pipeline
