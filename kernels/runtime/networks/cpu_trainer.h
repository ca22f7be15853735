// The trainer of cpu_trainer.cpp and cpu_layers.cpp: what it holds, and how its work is split among threads.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "common/core/ceil_div.h"
#include "kernels/runtime/networks/team.h"
#include "kernels/runtime/networks/trainer.h"

namespace ridge::mixed {

using Kind = Layer::Kind;

/// Sums over images are formed in so many groups, whatever the number of threads.
constexpr int64_t kGroups = 32;
/// A block of a product: its rows and columns, and the steps of its sums. 112 x 1024 numbers of A are 448 KiB of a
/// 1 MiB L2, and the block 112 KiB.
constexpr int64_t kBlockRows = 112, kBlockColumns = 256, kBlockSteps = 1024;

/// `whole` in equal pieces of at most `most`, each a multiple of `step`.
constexpr int64_t even_piece(int64_t whole, int64_t most, int64_t step = 1) {
  return round_up(ceil_div(whole, ceil_div(whole, most)), step);
}

/// A layer's weights as panels: where they begin, in items, and the steps of a panel.
struct Panels {
  int64_t forward = 0, forward_steps = 0, back = 0, back_steps = 0;
};

/// How many of what each buffer holds; what bytes() adds up is what is allocated.
struct Sizes {
  int64_t images, parameters, slope, panels = 0, operand = 0, transposed = 0, sums = 0, biases = 0;
  int64_t frame = 0, panel = 0, block = 0;  ///< of each thread
  Outputs outputs;
  std::vector<Panels> layers;
  size_t element;
  int lanes;  ///< of a vector
  int threads;
  bool operands;  ///< products see their operands rounded once more
  bool stored;    ///< weights that are multiplied lie elsewhere than their fp32 masters

  Sizes(const TrainerSetup& setup, const MixedOps& ops);
  double bytes() const;
  int64_t items(int64_t elements) const { return ceil_div(elements * int64_t(element), 4); }
  /// Channels in a frame: of an input whole items, of a slope whole vectors.
  int64_t framed_in(const Layer& l) const { return items(l.in) * 4 / int64_t(element); }
  int64_t framed_out(const Layer& l) const { return round_up(l.out, lanes); }
};

struct Buffer {
  std::vector<std::byte> bytes;
  void make(int64_t items, size_t each) { bytes.assign(size_t(items) * each, std::byte{0}); }
  void* at(int64_t item, size_t each) { return bytes.data() + size_t(item) * each; }
};

/// A thread's own: its groups of images, room for a piece of work, what it has seen.
struct Worker {
  int index = 0;
  int64_t first_group = 0, last_group = 0, first = 0, last = 0;  ///< images
  Buffer frame[2], pairs[2];                                     ///< an input's and a slope's
  Buffer panel;
  std::vector<float> block;
  int current = 0;  ///< which slope_ holds the gradient by the layer's output
  int turn = 0;     ///< which of max_ is next
  int64_t right = 0;
  bool finite = true, overflow = false;
  GradientCount count;
};

/// Forward, and backward to the gradient of each layer's input, a thread does for its own images, and waits for
/// nobody; the gradient of the weights all do together once a layer, each a part of the weights.
class CpuTrainer final : public Trainer {
 public:
  explicit CpuTrainer(TrainerSetup setup);
  Result<void> step(const ImageSet& set, const int32_t* images, float rate, bool counts) override;
  Result<StepReport> report() override { return report_; }
  GradientCount counted() override;
  Result<int64_t> right(const ImageSet& set, const int32_t* images, int64_t count) override;
  double memory_bytes() const override { return sizes_.bytes(); }
  double activation_bytes() const override {
    return double(sizes_.element) * double(sizes_.images * sizes_.outputs.total());
  }
  std::vector<float> parameters() override { return master_; }
  std::vector<float> gradient() override {
    std::vector<float> all = gradient_;
    for (float& g : all) g /= static_cast<float>(used_scale_);
    return all;
  }

 private:
  struct Range {
    int64_t begin, end;
  };
  /// The worker's part of something that all do together.
  Range share(const Worker& me, int64_t count) const {
    return {count * me.index / setup_.threads, count * (me.index + 1) / setup_.threads};
  }
  int64_t first_image(int64_t group) const { return images_ / 2 * group / kGroups * 2; }
  void* at(const void* elements, int64_t place) const {
    return static_cast<std::byte*>(const_cast<void*>(elements)) + size_t(place) * ops_.bytes;
  }
  int64_t width() const { return 2 * ops_.lanes; }  ///< of a panel
  void make_workers();

  // cpu_trainer.cpp: called by every thread of the team
  void step_part(Worker& me, const ImageSet& set, const int32_t* images, float rate, bool counts);
  void pack_weights(Worker& me);
  void pack_layer(Worker& me, size_t l);
  bool overflows(Worker& me);
  void update(Worker& me, float rate);

  // cpu_layers.cpp: the same
  void load(Worker& me, const ImageSet& set, const int32_t* images, int64_t count);
  void forward(Worker& me, size_t l);
  void forward_conv(Worker& me, size_t l, const void* x);
  void score(Worker& me, double scale, int64_t part, int64_t count);
  void backward_layer(Worker& me, size_t l, int64_t part, bool counts);
  void sum_bias(Worker& me, const Layer& layer, const void* slope);
  void transpose_slope(Worker& me, const Layer& layer, const void* slope);
  void grow_dense(Worker& me, size_t l, const void* x, int64_t part);
  void backward_conv(Worker& me, size_t l, const void* x, const void* slope, void* next);
  void grow_image(Worker& me, size_t l, const void* slope, int64_t line, float* sums);
  void add_groups(Worker& me, const Layer& layer, int64_t part);
  void add_gradient(int64_t at, int64_t count, int64_t stride, const float* sums, int64_t part);
  const void* operand(Worker& me, const void* x, int64_t begin, int64_t end, Element element,
                      void* room);
  template <class Settle>
  void multiply_rows(Worker& me, const void* a, int64_t a_row, int64_t rows, int64_t steps,
                     const void* panels, int64_t columns, const Settle& settle);
  template <class Settle>
  void convolve(Worker& me, const void* frame, int64_t channels, int side, const void* panels,
                int64_t columns, const Settle& settle);

  void* output(size_t l);
  const void* input(size_t l) { return l == 0 ? x_.bytes.data() : output(l - 1); }
  const void* weights() const {
    return sizes_.stored ? static_cast<const void*>(weights_.bytes.data()) : master_.data();
  }

  TrainerSetup setup_;
  const MixedOps& ops_;
  Sizes sizes_;
  int64_t images_;
  Rounding stored_;
  std::vector<float> master_, velocity_, gradient_, sums_, biases_;
  std::vector<float> seen_;  ///< with TrainerSetup::seen
  Buffer weights_, panels_, x_, slope_[2], operand_[2], transposed_;
  std::vector<Buffer> outputs_, between_;
  std::vector<uint8_t> labels_;
  std::vector<double> losses_;  ///< an image's, so that their sum does not depend on threads
  std::vector<float> max_[2];
  std::vector<Worker> workers_;
  StepReport report_;
  double scale_, used_scale_ = 1;
  int64_t good_steps_ = 0;
  Team team_;  ///< last: its threads end before what they work on
};

}  // namespace ridge::mixed
