// ridge: flags=-O3
//
// A training step on the CPU, layer by layer over the whole batch (or a part of it): products by the packed
// rungs of the GEMM lab, a convolution as a product of unfolded rows, a few images at a time in each thread's
// cache. Sums over images are formed in a fixed number of groups, so that any number of threads trains the
// same network.
//
// Weights lie as outputs x inputs. Forward takes them turned, the gradient of the input takes them as they
// are (a convolution: mirrored), and their own gradient is (dY)^T X: nothing large is ever transposed but dY.
#include <cfloat>
#include <cmath>
#include <cstring>

#include "common/measure/isa.h"
#include "kernels/mixed/cpu_trainer.h"

namespace ridge::mixed {
namespace {

const MixedOps& ops_for(const Precision& precision) {
  std::string reason;
  if (!precision.emulated && precision.stored == Element::bf16) return mixed_ops_bf16;
  return measure::isa_available("avx2", &reason) ? mixed_ops_avx2 : mixed_ops_portable;
}

}  // namespace

/// The images that a convolution unfolds at once: a power of two, so that it divides the batch.
int64_t unfolded_images(const Layer& layer, int64_t images, size_t bytes) {
  const int64_t one =
      layer.pixels() * 9 * std::max(layer.in, layer.out) * static_cast<int64_t>(bytes);
  int64_t count = 1;
  while (count < 16 && images % (2 * count) == 0 && 2 * count * one <= kUnfoldedBytes) count *= 2;
  return count;
}

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

Result<std::unique_ptr<Trainer>> make_cpu_trainer(TrainerSetup setup) {
  return std::unique_ptr<Trainer>(std::make_unique<CpuTrainer>(std::move(setup)));
}

double cpu_trainer_bytes(const TrainerSetup& setup) {
  return Sizes(setup, ops_for(setup.precision).bytes).bytes();
}

}  // namespace ridge::mixed
