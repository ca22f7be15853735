// The trainer of cpu_trainer.cpp and cpu_layers.cpp: what it holds, and how its work is split among threads.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/gemm/product.h"
#include "kernels/gemm/team.h"
#include "kernels/mixed/trainer.h"

namespace ridge::mixed {

using gemm::Product;
using Kind = Layer::Kind;

constexpr int64_t kGroups = 32;
/// Unfolded rows of a few images: half of a 1 MiB L2.
constexpr int64_t kUnfoldedBytes = 512 * 1024;

/// The images that a convolution unfolds at once: a power of two, so that it divides the batch.
int64_t unfolded_images(const Layer& layer, int64_t images, size_t bytes);

/// Numbers of each buffer, of the type in memory unless said; what bytes() adds up is what is allocated.
struct Sizes {
  int64_t images, slope, operand = 0, turned = 0, part = 0, unfolded = 0, turned_few = 0,
                         few_part = 0, sums = 0;
  Outputs outputs;
  int64_t parameters;
  size_t bytes_each;
  int threads;
  bool operands;

  Sizes(const TrainerSetup& setup, size_t element);
  double bytes() const;
};

struct Buffer {
  std::vector<std::byte> bytes;
  void make(int64_t items, size_t each) { bytes.assign(size_t(items) * each, std::byte{0}); }
  void* at(int64_t item, size_t each) { return bytes.data() + size_t(item) * each; }
};

/// A thread's own: products for a few images of each layer, and their operands.
struct Worker {
  struct Products {
    std::optional<Product> forward, grow, back;
  };
  std::vector<Products> layers;
  Buffer unfolded, turned, part;
};

class CpuTrainer final : public Trainer {
 public:
  explicit CpuTrainer(TrainerSetup setup);
  Result<void> step(const ImageSet& set, const int32_t* images, float rate, bool counts) override;
  Result<StepReport> report() override { return report_; }
  GradientCount counted() override { return count_; }
  Result<int64_t> right(const ImageSet& set, const int32_t* images, int64_t count) override;
  double memory_bytes() const override { return sizes_.bytes(); }
  std::vector<float> parameters() override { return master_; }
  std::vector<float> gradient() override {
    std::vector<float> all = gradient_;
    for (float& g : all) g /= static_cast<float>(used_scale_);
    return all;
  }

 private:
  void make_products();
  template <class Work>
  void each(int64_t count, const Work& work);
  void* at(void* items, int64_t item) const {
    return static_cast<std::byte*>(items) + size_t(item) * ops_.bytes;
  }
  void round(void* x, int64_t count);
  const void* operand(const void* x, int64_t count, Element element, Buffer* room);
  void turn(const void* from, int64_t rows, int64_t columns, void* to);
  void turn_weights();
  void load(const ImageSet& set, const int32_t* images, int64_t count);
  void* output(size_t l);
  const void* input(size_t l) { return l == 0 ? x_.bytes.data() : output(l - 1); }
  void forward(size_t l);
  double score(double scale, int64_t images, int64_t* right);
  void backward_layer(size_t l, bool counts);
  void grow_dense(size_t l, const void* slope);
  void grow_conv(size_t l, const void* slope);
  void sum_bias(const Layer& layer, const void* slope);
  void slope_of_input(size_t l, const void* slope, void* out);
  void add_gradient(int64_t at, int64_t count, const float* sum);
  void count(const void* x, int64_t count);
  bool update(float rate);

  TrainerSetup setup_;
  const MixedOps& ops_;
  Sizes sizes_;
  int64_t images_;
  Rounding stored_;
  std::vector<float> master_, velocity_, gradient_, sums_;
  Buffer weights_, turned_, mirrored_, x_, slope_[2], operand_[2], slope_turned_, part_;
  std::vector<Buffer> outputs_, between_;
  std::vector<uint8_t> labels_;
  std::vector<Worker> workers_;
  std::vector<Worker::Products> dense_;
  StepReport report_;
  GradientCount count_;
  int current_ = 0;  ///< which slope_ holds the gradient by the layer's output
  double scale_, used_scale_ = 1;
  int64_t good_steps_ = 0;
};

/// work(worker, begin, end) on contiguous parts of [0, count), one a thread.
template <class Work>
void CpuTrainer::each(int64_t count, const Work& work) {
  struct Context {
    const Work* work;
    int64_t count, threads;
  } context = {&work, count, std::min<int64_t>(setup_.threads, std::max<int64_t>(count, 1))};
  team_run(
      static_cast<int>(context.threads),
      [](void* memory, int i) {
        const auto& c = *static_cast<Context*>(memory);
        (*c.work)(size_t(i), c.count * i / c.threads, c.count * (i + 1) / c.threads);
      },
      &context);
}

}  // namespace ridge::mixed
