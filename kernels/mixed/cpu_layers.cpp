// ridge: flags=-O3
//
// The pieces of a training step on the CPU, layer by layer, forward and backward.
#include <cfloat>
#include <cmath>
#include <cstring>

#include "kernels/mixed/cpu_trainer.h"

namespace ridge::mixed {

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

void CpuTrainer::turn(const void* from, int64_t rows, int64_t columns, void* to) {
  each(rows, [&](size_t, int64_t begin, int64_t end) {
    ops_.transpose(at(const_cast<void*>(from), begin * columns), end - begin, columns, rows,
                   at(to, begin));
  });
}

/// The weights as this step multiplies them.
void CpuTrainer::turn_weights() {
  void* weights = weights_.bytes.data();
  each(sizes_.parameters, [&](size_t, int64_t begin, int64_t end) {
    ops_.store(&master_[size_t(begin)], end - begin, stored_, at(weights, begin));
  });
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
    turn(w, layer.out, layer.inputs(), turned_.at(layer.weight, ops_.bytes));
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
  turn(slope, images_, layer.out, slope_turned_.bytes.data());
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
                       layer.out, few * layer.pixels(), own.turned.bytes.data());
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

}  // namespace ridge::mixed
