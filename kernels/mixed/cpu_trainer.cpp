// ridge: flags=-O3
//
// A training step on the CPU, layer by layer over the whole batch (or a part of it): products by the packed
// rungs of the GEMM lab, a convolution as a product of unfolded rows, a few images at a time in each thread's
// cache. Sums over images are formed in a fixed number of groups, so that any number of threads trains the
// same network.
//
// Weights lie as outputs x inputs. Forward takes them turned, the gradient of the input takes them as they
// are (a convolution: mirrored), and their own gradient is (dY)^T X: nothing large is ever transposed but dY.
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "common/measure/isa.h"
#include "kernels/gemm/product.h"
#include "kernels/gemm/team.h"
#include "kernels/mixed/trainer.h"

namespace ridge::mixed {
namespace {

using gemm::Product;
using Kind = Layer::Kind;

constexpr int64_t kGroups = 32;
/// Unfolded rows of a few images: half of a 1 MiB L2.
constexpr int64_t kUnfoldedBytes = 512 * 1024;

const MixedOps& ops_for(const Precision& precision) {
  std::string reason;
  if (!precision.emulated && precision.stored == Element::bf16) return mixed_ops_bf16;
  return measure::isa_available("avx2", &reason) ? mixed_ops_avx2 : mixed_ops_portable;
}

/// The images that a convolution unfolds at once: a power of two, so that it divides the batch.
int64_t unfolded_images(const Layer& layer, int64_t images, size_t bytes) {
  const int64_t one =
      layer.pixels() * 9 * std::max(layer.in, layer.out) * static_cast<int64_t>(bytes);
  int64_t count = 1;
  while (count < 16 && images % (2 * count) == 0 && 2 * count * one <= kUnfoldedBytes) count *= 2;
  return count;
}

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

Sizes::Sizes(const TrainerSetup& setup, size_t element) {
  const Model& model = setup.model;
  images = setup.batch / setup.parts;
  parameters = model.parameters, bytes_each = element, threads = setup.threads;
  operands = setup.precision.multiplied != Element::fp32;
  slope = images * model.largest();
  operand = operands ? images * std::max<int64_t>(model.largest(), kGarmentPixels) : 0;
  outputs = outputs_of(model, setup.precision.checkpointing);
  for (const Layer& layer : model.layers) {
    sums = std::max(sums, layer.kind == Kind::conv ? layer.weights() + layer.out : layer.out);
    if (layer.kind == Kind::dense) {
      turned = std::max(turned, images * layer.out);
      part = std::max(part, layer.weights());
    } else if (layer.kind == Kind::conv) {
      const int64_t few = unfolded_images(layer, images, element);
      unfolded = std::max(unfolded, few * layer.pixels() * 9 * std::max(layer.in, layer.out));
      turned_few = std::max(turned_few, few * layer.out_size());
      few_part = std::max(few_part, layer.weights());
    }
  }
}

double Sizes::bytes() const {
  int64_t items =
      3 * parameters + images * kGarmentPixels + 2 * slope + 2 * operand + turned + part;
  items += threads * (unfolded + turned_few + few_part);
  items += images * outputs.total();
  return double(items) * double(bytes_each) +
         double(3 * parameters + kGroups * sums) * sizeof(float);
}

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

// ---- made once -----------------------------------------------------------------------------------

CpuTrainer::CpuTrainer(TrainerSetup setup)
    : setup_(std::move(setup)),
      ops_(ops_for(setup_.precision)),
      sizes_(setup_, ops_.bytes),
      images_(sizes_.images),
      stored_(rounding_of(setup_.precision.stored)),
      master_(setup_.parameters),
      velocity_(master_.size()),
      gradient_(master_.size()),
      sums_(size_t(kGroups * sizes_.sums)),
      labels_(size_t(images_)),
      scale_(std::ldexp(1.0, setup_.scale_log2)) {
  if (!setup_.precision.master) {
    for (float& w : master_) w = round_to(w, stored_);
  }
  const auto make = [&](Buffer* buffer, int64_t items) { buffer->make(items, ops_.bytes); };
  for (Buffer* buffer : {&weights_, &turned_, &mirrored_}) make(buffer, sizes_.parameters);
  make(&x_, images_ * kGarmentPixels), make(&part_, sizes_.part);
  make(&slope_turned_, sizes_.turned);
  for (int i = 0; i < 2; ++i) make(&slope_[i], sizes_.slope), make(&operand_[i], sizes_.operand);
  for (const int64_t size : sizes_.outputs.own) make(&outputs_.emplace_back(), images_ * size);
  for (const int64_t size : sizes_.outputs.between) make(&between_.emplace_back(), images_ * size);
  workers_.resize(size_t(setup_.threads));
  for (Worker& worker : workers_) {
    make(&worker.unfolded, sizes_.unfolded), make(&worker.turned, sizes_.turned_few);
    make(&worker.part, sizes_.few_part);
  }
  make_products();
}

void CpuTrainer::make_products() {
  const KernelDesc* kernel = gemm::fastest_of_ours(ops_.dtype);
  const auto& layers = setup_.model.layers;
  const auto make = [&](Worker::Products* to, const Layer& layer, int64_t rows, bool back,
                        int threads) {
    const int64_t in = layer.inputs(), out = layer.out;
    to->forward.emplace(kernel, rows, out, in, threads, ops_.dtype);
    to->grow.emplace(kernel, out, in, rows, threads, ops_.dtype);
    if (!back) return;
    const int64_t k = layer.kind == Kind::conv ? 9 * out : out;
    to->back.emplace(kernel, rows, layer.in, k, threads, ops_.dtype);
  };
  dense_ = std::vector<Worker::Products>(layers.size());
  for (Worker& worker : workers_) worker.layers = std::vector<Worker::Products>(layers.size());
  for (size_t l = 0; l < layers.size(); ++l) {
    if (layers[l].kind == Kind::dense) make(&dense_[l], layers[l], images_, l > 0, setup_.threads);
    if (layers[l].kind != Kind::conv) continue;
    const int64_t few = unfolded_images(layers[l], images_, ops_.bytes);
    for (Worker& worker : workers_)
      make(&worker.layers[l], layers[l], few * layers[l].pixels(), l > 0, 1);
  }
}

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

// ---- forward -------------------------------------------------------------------------------------

void CpuTrainer::round(void* x, int64_t count) {
  if (stored_.is_identity || ops_.bytes < 4) return;
  each(count,
       [&](size_t, int64_t begin, int64_t end) { ops_.round(at(x, begin), end - begin, stored_); });
}

/// x as a product takes it. fp8: scaled by the power of two that brings its largest below the type's.
const void* CpuTrainer::operand(const void* x, int64_t count, Element element, Buffer* room) {
  if (!sizes_.operands) return x;
  const Rounding rounding = rounding_of(element);
  float scale = 1;
  if (element != Element::tf32) {
    std::vector<float> most(size_t(setup_.threads), 0.0f);
    each(count, [&](size_t worker, int64_t begin, int64_t end) {
      most[worker] = ops_.most(at(const_cast<void*>(x), begin), end - begin);
    });
    const float high = *std::max_element(most.begin(), most.end());
    if (high > 0 && high <= FLT_MAX)
      scale = std::ldexp(1.0f, std::clamp(std::ilogb(rounding.most / high), -100, 100));
  }
  each(count, [&](size_t, int64_t begin, int64_t end) {
    ops_.operand(at(const_cast<void*>(x), begin), end - begin, rounding, scale,
                 room->at(begin, ops_.bytes));
  });
  return room->bytes.data();
}

/// The weights as this step multiplies them.
void CpuTrainer::turn_weights() {
  void* weights = weights_.bytes.data();
  ops_.store(master_.data(), sizes_.parameters, stored_, weights);
  const auto& layers = setup_.model.layers;
  for (size_t l = 0; l < layers.size(); ++l) {
    const Layer& layer = layers[l];
    if (layer.kind == Kind::pool) continue;
    void* w = at(weights, layer.weight);
    if (sizes_.operands) {
      Buffer room;
      room.make(layer.weights(), ops_.bytes);
      std::memcpy(w, operand(w, layer.weights(), setup_.precision.multiplied, &room),
                  size_t(layer.weights()) * ops_.bytes);
    }
    ops_.transpose(w, layer.out, layer.inputs(), turned_.at(layer.weight, ops_.bytes));
    if (layer.kind != Kind::conv) continue;
    for (int64_t t = 0; t < 9; ++t) {
      for (int64_t o = 0; o < layer.out; ++o)
        std::memcpy(mirrored_.at(layer.weight + (t * layer.out + o) * layer.in, ops_.bytes),
                    at(w, (o * 9 + 8 - t) * layer.in), size_t(layer.in) * ops_.bytes);
    }
  }
}

void CpuTrainer::load(const ImageSet& set, const int32_t* images, int64_t count) {
  each(images_, [&](size_t, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int32_t image =
          images[i < count ? i : 0];  // what fills up a last block is not looked at
      ops_.widen(set.image(image), kGarmentPixels, stored_, x_.at(i * kGarmentPixels, ops_.bytes));
      labels_[size_t(i)] = set.labels[size_t(image)];
    }
  });
}

void* CpuTrainer::output(size_t l) {
  const int64_t place = sizes_.outputs.place[l];
  return place < 0 ? outputs_[l].bytes.data() : between_[size_t(place)].bytes.data();
}

void CpuTrainer::forward(size_t l) {
  const Layer& layer = setup_.model.layers[l];
  void* y = output(l);
  if (layer.kind == Kind::pool) {
    each(images_, [&](size_t, int64_t begin, int64_t end) {
      ops_.pool(at(const_cast<void*>(input(l)), begin * layer.in_size()), layer.side, layer.in,
                end - begin, at(y, begin * layer.out_size()));
    });
    return;
  }
  const float* bias = &master_[size_t(layer.bias)];
  const Element multiplied = setup_.precision.multiplied;
  const void* x = operand(input(l), images_ * layer.in_size(), multiplied, &operand_[0]);
  const void* w = turned_.at(layer.weight, ops_.bytes);
  if (layer.kind == Kind::dense) {
    (void)dense_[l].forward->run(x, w, y);
    each(images_, [&](size_t, int64_t begin, int64_t end) {
      ops_.finish(at(y, begin * layer.out), end - begin, layer.out, bias, layer.relu, stored_);
    });
    return;
  }
  const int64_t few = unfolded_images(layer, images_, ops_.bytes);
  each(images_ / few, [&](size_t worker, int64_t begin, int64_t end) {
    Worker& own = workers_[worker];
    for (int64_t i = begin * few; i < end * few; i += few) {
      void* out = at(y, i * layer.out_size());
      ops_.unfold(at(const_cast<void*>(x), i * layer.in_size()), layer.side, layer.in, few,
                  own.unfolded.bytes.data());
      (void)own.layers[l].forward->run(own.unfolded.bytes.data(), w, out);
      ops_.finish(out, few * layer.pixels(), layer.out, bias, layer.relu, stored_);
    }
  });
}

/// Scores of the first `images` become the gradient of their loss in slope_[0]; the sum of the losses.
double CpuTrainer::score(double scale, int64_t images, int64_t* right) {
  std::memcpy(slope_[0].bytes.data(), output(setup_.model.layers.size() - 1),
              size_t(images_ * kClasses) * ops_.bytes);
  current_ = 0;
  return ops_.softmax(slope_[0].bytes.data(), labels_.data(), images, kClasses,
                      static_cast<float>(scale / double(setup_.batch)), stored_, right);
}

// ---- backward ------------------------------------------------------------------------------------

void CpuTrainer::count(const void* x, int64_t count) {
  ops_.count(x, count, count_.exponents.data(), &count_.zeros);
}

/// Parts add up in the type that gradients are kept in: fp32 beside master weights.
void CpuTrainer::add_gradient(int64_t at, int64_t count, const float* sum) {
  const bool narrow = !setup_.precision.master;
  float* to = &gradient_[size_t(at)];
  for (int64_t i = 0; i < count; ++i) {
    const float part = stored_.is_identity ? sum[i] : round_to(sum[i], stored_);
    to[i] = narrow ? round_to(to[i] + part, stored_) : to[i] + part;
  }
}

void CpuTrainer::sum_bias(const Layer& layer, const void* slope) {
  std::fill(sums_.begin(), sums_.end(), 0.0f);
  const int64_t rows = images_ * layer.pixels();
  each(kGroups, [&](size_t, int64_t begin, int64_t end) {
    for (int64_t g = begin; g < end; ++g) {
      const int64_t first = rows * g / kGroups, last = rows * (g + 1) / kGroups;
      ops_.sum_rows(at(const_cast<void*>(slope), first * layer.out), last - first, layer.out,
                    &sums_[size_t(g * sizes_.sums)]);
    }
  });
  for (int64_t g = 1; g < kGroups; ++g) {
    for (int64_t j = 0; j < layer.out; ++j) sums_[size_t(j)] += sums_[size_t(g * sizes_.sums + j)];
  }
  add_gradient(layer.bias, layer.out, sums_.data());
}

void CpuTrainer::grow_dense(size_t l, const void* slope) {
  const Layer& layer = setup_.model.layers[l];
  ops_.transpose(slope, images_, layer.out, slope_turned_.bytes.data());
  const void* x =
      operand(input(l), images_ * layer.in_size(), setup_.precision.multiplied, &operand_[0]);
  (void)dense_[l].grow->run(slope_turned_.bytes.data(), x, part_.bytes.data());
  each(layer.out, [&](size_t, int64_t begin, int64_t end) {
    const int64_t first = begin * layer.in, count = (end - begin) * layer.in;
    ops_.round(part_.at(first, ops_.bytes), count, stored_);
    float* to = &gradient_[size_t(layer.weight + first)];
    ops_.add(part_.at(first, ops_.bytes), count, to);
    if (!setup_.precision.master && setup_.parts > 1)
      for (int64_t i = 0; i < count; ++i) to[i] = round_to(to[i], stored_);
  });
}

void CpuTrainer::grow_conv(size_t l, const void* slope) {
  const Layer& layer = setup_.model.layers[l];
  const void* x =
      operand(input(l), images_ * layer.in_size(), setup_.precision.multiplied, &operand_[0]);
  const int64_t few = unfolded_images(layer, images_, ops_.bytes), times = images_ / few;
  std::fill(sums_.begin(), sums_.end(), 0.0f);
  each(kGroups, [&](size_t worker, int64_t begin, int64_t end) {
    Worker& own = workers_[worker];
    for (int64_t g = begin; g < end; ++g) {
      for (int64_t i = times * g / kGroups * few; i < times * (g + 1) / kGroups * few; i += few) {
        ops_.unfold(at(const_cast<void*>(x), i * layer.in_size()), layer.side, layer.in, few,
                    own.unfolded.bytes.data());
        ops_.transpose(at(const_cast<void*>(slope), i * layer.out_size()), few * layer.pixels(),
                       layer.out, own.turned.bytes.data());
        (void)own.layers[l].grow->run(own.turned.bytes.data(), own.unfolded.bytes.data(),
                                      own.part.bytes.data());
        ops_.add(own.part.bytes.data(), layer.weights(), &sums_[size_t(g * sizes_.sums)]);
      }
    }
  });
  for (int64_t g = 1; g < kGroups; ++g) {
    for (int64_t i = 0; i < layer.weights(); ++i)
      sums_[size_t(i)] += sums_[size_t(g * sizes_.sums + i)];
  }
  add_gradient(layer.weight, layer.weights(), sums_.data());
}

void CpuTrainer::slope_of_input(size_t l, const void* slope, void* out) {
  const Layer& layer = setup_.model.layers[l];
  if (layer.kind == Kind::dense) {
    (void)dense_[l].back->run(slope, weights_.at(layer.weight, ops_.bytes), out);
  } else {
    const int64_t few = unfolded_images(layer, images_, ops_.bytes);
    each(images_ / few, [&](size_t worker, int64_t begin, int64_t end) {
      Worker& own = workers_[worker];
      for (int64_t i = begin * few; i < end * few; i += few) {
        ops_.unfold(at(const_cast<void*>(slope), i * layer.out_size()), layer.side, layer.out, few,
                    own.unfolded.bytes.data());
        (void)own.layers[l].back->run(own.unfolded.bytes.data(),
                                      mirrored_.at(layer.weight, ops_.bytes),
                                      at(out, i * layer.in_size()));
      }
    });
  }
  round(out, images_ * layer.in_size());
}

void CpuTrainer::backward_layer(size_t l, bool counts) {
  const Layer& layer = setup_.model.layers[l];
  void *slope = slope_[current_].bytes.data(), *next = slope_[1 - current_].bytes.data();
  void* y = output(l);
  if (layer.kind == Kind::pool) {
    each(images_, [&](size_t, int64_t begin, int64_t end) {
      ops_.unpool(at(const_cast<void*>(input(l)), begin * layer.in_size()),
                  at(y, begin * layer.out_size()), at(slope, begin * layer.out_size()), layer.side,
                  layer.in, end - begin, at(next, begin * layer.in_size()));
    });
    current_ = 1 - current_;
    return;
  }
  if (counts) count(slope, images_ * layer.out_size());
  if (layer.relu) {
    each(images_, [&](size_t, int64_t begin, int64_t end) {
      ops_.mask(at(y, begin * layer.out_size()), (end - begin) * layer.out_size(),
                at(slope, begin * layer.out_size()));
    });
  }
  sum_bias(layer, slope);
  const Element element =
      setup_.precision.multiplied == Element::e4m3 ? Element::e5m2 : setup_.precision.multiplied;
  const void* taken = operand(slope, images_ * layer.out_size(), element, &operand_[1]);
  layer.kind == Kind::dense ? grow_dense(l, taken) : grow_conv(l, taken);
  if (l == 0) return;
  slope_of_input(l, taken, next);
  current_ = 1 - current_;
}

// ---- a step --------------------------------------------------------------------------------------

bool CpuTrainer::update(float rate) {
  const SgdStep sgd = {rate, setup_.momentum, static_cast<float>(1 / scale_),
                       setup_.precision.master ? rounding_of(Element::fp32) : stored_};
  std::vector<char> finite(size_t(setup_.threads), 1);
  each(sizes_.parameters, [&](size_t worker, int64_t begin, int64_t end) {
    finite[worker] = ops_.update(&sgd, end - begin, &gradient_[size_t(begin)],
                                 &velocity_[size_t(begin)], &master_[size_t(begin)]);
  });
  return std::all_of(finite.begin(), finite.end(), [](char one) { return one != 0; });
}

Result<void> CpuTrainer::step(const ImageSet& set, const int32_t* images, float rate, bool counts) {
  std::fill(gradient_.begin(), gradient_.end(), 0.0f);
  report_.loss = 0, report_.right = 0, report_.scale = used_scale_ = scale_;
  if (counts) count_ = {};
  turn_weights();
  for (int64_t part = 0; part < setup_.parts; ++part) {
    load(set, images + part * images_, images_);
    for (size_t l = 0; l < setup_.model.layers.size(); ++l) forward(l);
    report_.loss += score(scale_, images_, &report_.right) / double(setup_.batch);
    sizes_.outputs.backward([&](size_t l) { forward(l); },
                            [&](size_t l) { backward_layer(l, counts); });
  }
  bool overflow = false;
  if (setup_.precision.scale == LossScale::dynamic) {
    for (const float g : gradient_) overflow |= !(std::fabs(g) <= FLT_MAX);
  }
  if (overflow) {
    scale_ = std::max(scale_ / 2, 1.0), good_steps_ = 0, ++report_.left_out;
    return {};
  }
  report_.finite = update(rate);
  if (setup_.precision.scale == LossScale::dynamic && ++good_steps_ % 200 == 0) scale_ *= 2;
  return {};
}

Result<int64_t> CpuTrainer::right(const ImageSet& set, const int32_t* images, int64_t count) {
  int64_t right = 0;
  turn_weights();
  for (int64_t i = 0; i < count; i += images_) {
    const int64_t some = std::min(images_, count - i);
    load(set, images + i, some);
    for (size_t l = 0; l < setup_.model.layers.size(); ++l) forward(l);
    score(1, some, &right);
  }
  return right;
}

}  // namespace

Result<std::unique_ptr<Trainer>> make_cpu_trainer(TrainerSetup setup) {
  return std::unique_ptr<Trainer>(std::make_unique<CpuTrainer>(std::move(setup)));
}

double cpu_trainer_bytes(const TrainerSetup& setup) {
  return Sizes(setup, ops_for(setup.precision).bytes).bytes();
}

}  // namespace ridge::mixed
