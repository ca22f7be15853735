// ridge: flags=-O3
//
// A training step on the CPU. A thread takes its own images through all layers, forward and back, and waits only
// where a gradient of weights is formed, which all do together. Sums over images are formed in a fixed number of
// groups, so that any number of threads trains the same network.
//
// Weights lie as outputs x inputs. Before a step they are packed to panels, once as forward multiplies them and
// once (a convolution's mirrored) as the gradient of the input does.
#include <cfloat>
#include <cmath>

#include "common/core/ceil_div.h"
#include "common/harness/measure/isa.h"
#include "kernels/runtime/networks/cpu_trainer.h"

namespace ridge::mixed {
namespace {

const MixedOps& ops_for(const Precision& precision) {
  std::string reason;
  if (!precision.emulated && precision.stored == Element::bf16) return mixed_ops_bf16;
  if (measure::isa_available("avx512f", &reason)) return mixed_ops_avx512;
  return measure::isa_available("avx2", &reason) ? mixed_ops_avx2 : mixed_ops_portable;
}

}  // namespace

Sizes::Sizes(const TrainerSetup& setup, const MixedOps& ops)
    : images(setup.batch / setup.parts),
      parameters(setup.model.parameters),
      slope(images * setup.model.largest()),
      outputs(outputs_of(setup.model, setup.precision.checkpointing)),
      element(ops.bytes),
      lanes(ops.lanes),
      threads(setup.threads),
      operands(setup.precision.multiplied != Element::fp32),
      stored(operands || setup.seen || setup.precision.stored != Element::fp32) {
  const int64_t width = 2 * lanes;
  operand = operands ? images * std::max<int64_t>(setup.model.largest(), kGarmentPixels) : 0;
  block = kBlockRows * kBlockColumns;
  panel = kBlockSteps * width;
  for (const Layer& layer : setup.model.layers) {
    Panels& p = layers.emplace_back();
    if (layer.kind == Kind::pool) continue;
    const bool conv = layer.kind == Kind::conv;
    p.forward_steps = conv ? 9 * items(layer.in) : items(layer.in);
    p.back_steps = conv ? 9 * items(framed_out(layer)) : items(layer.out);
    p.forward = panels;
    p.back = p.forward + round_up(layer.out, width) * p.forward_steps;
    panels = p.back;
    if (&layer != &setup.model.layers[0]) panels += round_up(layer.in, width) * p.back_steps;
    biases = std::max<int64_t>(biases, layer.out);
    if (conv) {
      const int64_t in = framed_in(layer), out = framed_out(layer), side = layer.side + 2;
      sums = std::max(sums, 9 * in * out);
      frame = std::max(frame, side * side * std::max(in, out) + std::max(in, out) + lanes);
      block = std::max(block, ops.rows * std::max(out, round_up(layer.in, width)));
    } else {
      transposed = std::max(transposed, items(images) * round_up(layer.out, ops.rows));
    }
  }
}

double Sizes::bytes() const {
  const auto n = double(parameters), each = double(element);
  const double numbers = 3 * n + double(kGroups * (sums + biases) + threads * block);
  const double items_ =
      double(panels + transposed + threads * panel) + (element < 4 ? 2.0 * double(threads * frame) : 0);
  const double elements = (stored ? n : 0) + double(images * kGarmentPixels + 2 * slope) +
                          double(2 * operand + images * outputs.total() + threads * 2 * frame);
  return 4 * (numbers + items_) + each * elements;
}

// ---- made once -----------------------------------------------------------------------------------

CpuTrainer::CpuTrainer(TrainerSetup setup)
    : setup_(std::move(setup)),
      ops_(ops_for(setup_.precision)),
      sizes_(setup_, ops_),
      images_(sizes_.images),
      stored_(rounding_of(setup_.precision.stored)),
      master_(setup_.parameters),
      velocity_(master_.size()),
      gradient_(master_.size()),
      sums_(size_t(kGroups * sizes_.sums)),
      biases_(size_t(kGroups * sizes_.biases)),
      labels_(size_t(images_)),
      losses_(size_t(setup_.batch)),
      scale_(std::ldexp(1.0, setup_.scale_log2)),
      team_(setup_.threads) {
  if (!setup_.precision.master) {
    for (float& w : master_) w = round_to(w, stored_);
  }
  const auto make = [&](Buffer* buffer, int64_t items) { buffer->make(items, ops_.bytes); };
  if (sizes_.stored) make(&weights_, sizes_.parameters);
  make(&x_, images_ * kGarmentPixels);
  panels_.make(sizes_.panels, 4), transposed_.make(sizes_.transposed, 4);
  for (int i = 0; i < 2; ++i) {
    make(&slope_[i], sizes_.slope), make(&operand_[i], sizes_.operand);
    max_[i].resize(size_t(setup_.threads));
  }
  for (const int64_t size : sizes_.outputs.own) make(&outputs_.emplace_back(), images_ * size);
  for (const int64_t size : sizes_.outputs.between) make(&between_.emplace_back(), images_ * size);
  make_workers();
}

void CpuTrainer::make_workers() {
  workers_.resize(size_t(setup_.threads));
  // Each makes its own, so that it lies in memory near by.
  team_.run([&](int index) {
    Worker& me = workers_[size_t(index)];
    me.index = index;
    const Range groups = share(me, kGroups);
    me.first_group = groups.begin, me.last_group = groups.end;
    me.first = first_image(groups.begin), me.last = first_image(groups.end);
    for (Buffer& frame : me.frame) frame.make(sizes_.frame, ops_.bytes);
    if (ops_.pair != nullptr) {
      for (Buffer& pairs : me.pairs) pairs.make(sizes_.frame, 4);
    }
    me.panel.make(sizes_.panel, 4);
    me.block.resize(size_t(sizes_.block));
  });
}

// ---- weights -------------------------------------------------------------------------------------

/// The weights as this step multiplies them.
void CpuTrainer::pack_weights(Worker& me) {
  const size_t layers = setup_.model.layers.size();
  if (sizes_.stored) {
    if (setup_.seen) {
      if (me.index == 0) setup_.seen(&(seen_ = master_));
      team_.barrier();
    }
    const Range part = share(me, sizes_.parameters);
    const std::vector<float>& seen = setup_.seen ? seen_ : master_;
    ops_.store(&seen[size_t(part.begin)], part.end - part.begin, stored_,
               weights_.at(part.begin, ops_.bytes));
    team_.barrier();
    for (size_t l = 0; sizes_.operands && l < layers; ++l) {
      const Layer& layer = setup_.model.layers[l];
      const Range some = share(me, layer.weights());
      void* w = at(weights(), layer.weight);
      operand(me, w, some.begin, some.end, setup_.precision.multiplied, w);
    }
    if (sizes_.operands) team_.barrier();
  }
  for (size_t l = 0; l < layers; ++l) pack_layer(me, l);
  team_.barrier();
}

void CpuTrainer::pack_layer(Worker& me, size_t l) {
  const Layer& layer = setup_.model.layers[l];
  if (layer.kind == Kind::pool) return;
  const Panels& panels = sizes_.layers[l];
  const bool conv = layer.kind == Kind::conv;
  const int64_t inputs = layer.inputs(), chunks = conv ? 9 : 1;
  const void* w = at(weights(), layer.weight);
  const Range forward = share(me, ceil_div(layer.out, width()));
  for (int64_t j = forward.begin; j < forward.end; ++j) {
    ops_.transpose(at(w, j * width() * inputs), inputs, std::min(layer.out - j * width(), width()), chunks, layer.in,
                   width(), panels_.at(panels.forward + j * width() * panels.forward_steps, 4));
  }
  if (l == 0) return;
  const int64_t steps = panels.back_steps / chunks;
  const Range back = share(me, ceil_div(layer.in, width()));
  for (int64_t j = back.begin; j < back.end; ++j) {
    for (int64_t t = 0; t < chunks; ++t)
      ops_.pack(at(w, (chunks - 1 - t) * layer.in + j * width()), inputs, layer.out,
                std::min(layer.in - j * width(), width()), steps, width(),
                panels_.at(panels.back + (j * chunks + t) * steps * width(), 4));
  }
}

// ---- a step --------------------------------------------------------------------------------------

/// Dynamic scaling: whether anything of the gradient is no number.
bool CpuTrainer::overflows(Worker& me) {
  const Range part = share(me, sizes_.parameters);
  me.overflow = false;
  for (int64_t i = part.begin; i < part.end; ++i)
    me.overflow |= !(std::fabs(gradient_[size_t(i)]) <= FLT_MAX);
  team_.barrier();
  return std::any_of(workers_.begin(), workers_.end(), [](const Worker& w) { return w.overflow; });
}

void CpuTrainer::update(Worker& me, float rate) {
  const SgdStep sgd = {rate, setup_.momentum, static_cast<float>(1 / scale_),
                       setup_.precision.master ? rounding_of(Element::fp32) : stored_};
  const Range part = share(me, sizes_.parameters);
  me.finite = ops_.update(&sgd, part.end - part.begin, &gradient_[size_t(part.begin)],
                          &velocity_[size_t(part.begin)], &master_[size_t(part.begin)]);
}

void CpuTrainer::step_part(Worker& me, const ImageSet& set, const int32_t* images, float rate,
                           bool counts) {
  me.right = 0;
  if (counts) me.count = {};
  pack_weights(me);
  for (int64_t part = 0; part < setup_.parts; ++part) {
    load(me, set, images + part * images_, images_);
    for (size_t l = 0; l < setup_.model.layers.size(); ++l) forward(me, l);
    score(me, scale_, part, images_);
    sizes_.outputs.backward([&](size_t l) { forward(me, l); },
                            [&](size_t l) { backward_layer(me, l, part, counts); });
  }
  if (setup_.precision.scale == LossScale::dynamic && overflows(me)) return;
  update(me, rate);
}

Result<void> CpuTrainer::step(const ImageSet& set, const int32_t* images, float rate, bool counts) {
  report_.loss = 0, report_.right = 0, report_.scale = used_scale_ = scale_;
  team_.run([&](int index) { step_part(workers_[size_t(index)], set, images, rate, counts); });
  for (const double loss : losses_) report_.loss += loss / double(setup_.batch);
  bool overflow = false;
  report_.finite = true;
  for (const Worker& worker : workers_) {
    report_.right += worker.right;
    overflow |= worker.overflow, report_.finite &= worker.finite;
  }
  if (overflow) {
    scale_ = std::max(scale_ / 2, 1.0), good_steps_ = 0, ++report_.left_out;
  } else if (setup_.precision.scale == LossScale::dynamic && ++good_steps_ % 200 == 0) {
    scale_ *= 2;
  }
  return {};
}

GradientCount CpuTrainer::counted() {
  GradientCount all;
  for (const Worker& worker : workers_) {
    all.zeros += worker.count.zeros;
    for (size_t i = 0; i < kExponents; ++i) all.exponents[i] += worker.count.exponents[i];
  }
  return all;
}

Result<int64_t> CpuTrainer::right(const ImageSet& set, const int32_t* images, int64_t count) {
  team_.run([&](int index) {
    Worker& me = workers_[size_t(index)];
    me.right = 0;
    pack_weights(me);
    for (int64_t i = 0; i < count; i += images_) {
      const int64_t some = std::min(images_, count - i);
      load(me, set, images + i, some);
      for (size_t l = 0; l < setup_.model.layers.size(); ++l) forward(me, l);
      score(me, 1, 0, some);
    }
  });
  int64_t right = 0;
  for (const Worker& worker : workers_) right += worker.right;
  return right;
}

Result<std::unique_ptr<Trainer>> make_cpu_trainer(TrainerSetup setup) {
  for (const Layer& layer : setup.model.layers) {
    const bool pairs = ops_for(setup.precision).pair != nullptr && layer.kind == Kind::dense;
    if (pairs && layer.in % 2 != 0)
      return Error{ErrorCode::usage,
                   "pairs of bf16 are multiplied, and " + std::to_string(layer.in) + " is odd",
                   "width", "set an even width"};
  }
  return std::unique_ptr<Trainer>(std::make_unique<CpuTrainer>(std::move(setup)));
}

double cpu_trainer_bytes(const TrainerSetup& setup) {
  return Sizes(setup, ops_for(setup.precision)).bytes();
}

}  // namespace ridge::mixed
