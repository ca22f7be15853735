// ridge: flags=-O3
//
// The pieces of a training step on the CPU, layer by layer, forward and backward: what one thread of the team does.
#include <cfloat>
#include <cmath>
#include <cstring>

#include "common/core/ceil_div.h"
#include "kernels/runtime/networks/cpu_trainer.h"

namespace ridge::mixed {

// ---- products ------------------------------------------------------------------------------------

/// Rows of A, `steps` items long, times panels; settle(row, rows, column, columns, sums, stride) takes each block.
template <class Settle>
void CpuTrainer::multiply_rows(Worker& me, const void* a, int64_t a_row, int64_t rows,
                               int64_t steps, const void* panels, int64_t columns,
                               const Settle& settle) {
  const auto* from = static_cast<const std::byte*>(a);
  const auto* b = static_cast<const std::byte*>(panels);
  const int64_t high = rows > 0 ? even_piece(rows, ops_.rows) : 1,
                deep = even_piece(steps, kBlockSteps);
  const int64_t tall = kBlockRows / high * high;
  MixedTile tile = {};
  tile.a_row = a_row, tile.a_step = 4, tile.b_step = width() * 4;
  tile.pieces = 1, tile.c_row = kBlockColumns;
  for (int64_t j0 = 0; j0 < columns; j0 += kBlockColumns) {
    const int64_t j1 = std::min(j0 + kBlockColumns, columns);
    for (int64_t i0 = 0; i0 < rows; i0 += tall) {
      const int64_t i1 = std::min(i0 + tall, rows);
      for (int64_t k0 = 0; k0 < steps; k0 += deep) {
        tile.steps = std::min(deep, steps - k0), tile.adds = k0 > 0;
        for (int64_t j = j0; j < j1; j += width()) {
          tile.b = b + (j / width() * steps + k0) * width() * 4;
          tile.columns = int(std::min(width(), j1 - j));
          for (int64_t i = i0; i < i1; i += high) {
            tile.a = from + i * a_row + k0 * 4;
            tile.rows = int(std::min(high, i1 - i));
            tile.c = &me.block[size_t((i - i0) * kBlockColumns + j - j0)];
            ops_.tile(&tile);
          }
        }
      }
      settle(i0, i1 - i0, j0, j1 - j0, me.block.data(), kBlockColumns);
    }
  }
}

/// A framed image, times the panels of 3 x 3 windows: settle(pixel, pixels, sums, stride) takes some of a line.
template <class Settle>
void CpuTrainer::convolve(Worker& me, const void* frame, int64_t channels, int side,
                          const void* panels, int64_t columns, const Settle& settle) {
  const int64_t high = even_piece(side, ops_.rows), stride = round_up(columns, width());
  const int64_t a_row = channels * int64_t(ops_.bytes), line = (side + 2) * a_row;
  MixedTile tile = {};
  tile.a_row = a_row, tile.a_step = 4, tile.a_piece = line;
  tile.steps = 3 * sizes_.items(channels), tile.pieces = 3;
  tile.b_step = width() * 4, tile.b_piece = tile.steps * tile.b_step;
  tile.c_row = stride;
  for (int64_t row = 0; row < side; ++row) {
    for (int64_t column = 0; column < side; column += high) {
      tile.a = static_cast<const std::byte*>(frame) + row * line + column * a_row;
      tile.rows = int(std::min(high, side - column));
      for (int64_t j = 0; j < columns; j += width()) {
        tile.b = static_cast<const std::byte*>(panels) + j * 3 * tile.steps * 4;
        tile.columns = int(std::min(width(), columns - j));
        tile.c = &me.block[size_t(j)];
        ops_.tile(&tile);
      }
      settle(row * side + column, int64_t{tile.rows}, me.block.data(), stride);
    }
  }
}

/// x[begin, end) as a product takes it. fp8: scaled by the power of two that brings the largest of all of it below
/// the type's; so that all wait for all.
const void* CpuTrainer::operand(Worker& me, const void* x, int64_t begin, int64_t end,
                                Element element, void* room) {
  if (!sizes_.operands) return x;
  const Rounding rounding = rounding_of(element);
  float scale = 1;
  std::vector<float>& most = max_[me.turn];
  me.turn = 1 - me.turn;  // the next may be written before all have read this one
  if (element != Element::tf32) most[size_t(me.index)] = ops_.most(at(x, begin), end - begin);
  team_.barrier();  // and all have done with what `room` held
  if (element != Element::tf32) {
    const float high = *std::max_element(most.begin(), most.end());
    if (high > 0 && high <= FLT_MAX)
      scale = std::ldexp(1.0f, std::clamp(std::ilogb(rounding.most / high), -100, 100));
  }
  ops_.operand(at(x, begin), end - begin, rounding, scale, at(room, begin));
  return room;
}

// ---- forward -------------------------------------------------------------------------------------

void CpuTrainer::load(Worker& me, const ImageSet& set, const int32_t* images, int64_t count) {
  for (int64_t i = me.first; i < me.last; ++i) {
    // What fills up a last block is not looked at.
    const int32_t image = images[i < count ? i : 0];
    ops_.widen(set.image(image), kGarmentPixels, stored_, x_.at(i * kGarmentPixels, ops_.bytes));
    labels_[size_t(i)] = set.labels[size_t(image)];
  }
}

void* CpuTrainer::output(size_t l) {
  const int64_t place = sizes_.outputs.place[l];
  return place < 0 ? outputs_[l].bytes.data() : between_[size_t(place)].bytes.data();
}

void CpuTrainer::forward(Worker& me, size_t l) {
  const Layer& layer = setup_.model.layers[l];
  void* y = output(l);
  // An output that shares its place with another layer's: rows of another length lie elsewhere.
  if (sizes_.outputs.place[l] >= 0) team_.barrier();
  if (layer.kind == Kind::pool)
    return ops_.pool(at(input(l), me.first * layer.in_size()), layer.side, layer.in,
                     me.last - me.first, at(y, me.first * layer.out_size()));
  const void* x = operand(me, input(l), me.first * layer.in_size(), me.last * layer.in_size(),
                          setup_.precision.multiplied, operand_[0].bytes.data());
  if (layer.kind == Kind::conv) return forward_conv(me, l, x);
  const Panels& panels = sizes_.layers[l];
  multiply_rows(
      me, at(x, me.first * layer.in), layer.in * int64_t(ops_.bytes), me.last - me.first,
      panels.forward_steps, panels_.at(panels.forward, 4), layer.out,
      [&](int64_t i, int64_t rows, int64_t j, int64_t columns, const float* sums, int64_t stride) {
        ops_.finish(sums, stride, rows, int(columns), &master_[size_t(layer.bias + j)], layer.relu,
                    stored_, at(y, (me.first + i) * layer.out + j), layer.out);
      });
}

void CpuTrainer::forward_conv(Worker& me, size_t l, const void* x) {
  const Layer& layer = setup_.model.layers[l];
  void* frame = me.frame[0].bytes.data();
  for (int64_t i = me.first; i < me.last; ++i) {
    ops_.frame(at(x, i * layer.in_size()), layer.side, layer.in, int(sizes_.framed_in(layer)),
               frame);
    void* y = at(output(l), i * layer.out_size());
    convolve(me, frame, sizes_.framed_in(layer), layer.side,
             panels_.at(sizes_.layers[l].forward, 4), layer.out,
             [&](int64_t pixel, int64_t pixels, const float* sums, int64_t stride) {
               ops_.finish(sums, stride, pixels, layer.out, &master_[size_t(layer.bias)],
                           layer.relu, stored_, at(y, pixel * layer.out), layer.out);
             });
  }
}

/// Scores become the gradient of their loss in slope_[0].
void CpuTrainer::score(Worker& me, double scale, int64_t part, int64_t count) {
  const void* scores = output(setup_.model.layers.size() - 1);
  me.current = 0;
  for (int64_t i = me.first; i < std::min(me.last, count); ++i) {
    void* row = slope_[0].at(i * kClasses, ops_.bytes);
    std::memcpy(row, at(scores, i * kClasses), kClasses * ops_.bytes);
    losses_[size_t(part * images_ + i)] =
        ops_.softmax(row, &labels_[size_t(i)], 1, kClasses,
                     static_cast<float>(scale / double(setup_.batch)), stored_, &me.right);
  }
}

// ---- backward ------------------------------------------------------------------------------------

/// Parts add up in the type that gradients are kept in: fp32 beside master weights.
void CpuTrainer::add_gradient(int64_t at, int64_t count, int64_t stride, const float* sums,
                              int64_t part) {
  ops_.settle(sums, stride, count, stored_, part > 0, !setup_.precision.master,
              &gradient_[size_t(at)]);
}

void CpuTrainer::sum_bias(Worker& me, const Layer& layer, const void* slope) {
  for (int64_t g = me.first_group; g < me.last_group; ++g) {
    float* sum = &biases_[size_t(g * sizes_.biases)];
    std::fill(sum, sum + layer.out, 0.0f);
    const int64_t first = first_image(g), images = first_image(g + 1) - first;
    ops_.sum_rows(at(slope, first * layer.out_size()), images * layer.pixels(), layer.out, sum);
  }
}

/// Panels of a dense layer's slopes, as rows of the product that its weights' gradient is.
void CpuTrainer::transpose_slope(Worker& me, const Layer& layer, const void* slope) {
  const int64_t high = even_piece(layer.out, ops_.rows), steps = sizes_.items(images_);
  const int64_t first = sizes_.items(me.first), own = sizes_.items(me.last) - first;
  for (int64_t i = 0; i < layer.out; i += high)
    ops_.pack(at(slope, me.first * layer.out + i), layer.out, me.last - me.first, std::min(high, layer.out - i), own,
              high, transposed_.at(i / high * steps * high + first * high, 4));
}

/// Some tiles of the gradient of a dense layer's weights, outputs x inputs: whole sums over the images.
void CpuTrainer::grow_dense(Worker& me, size_t l, const void* x, int64_t part) {
  const Layer& layer = setup_.model.layers[l];
  const int64_t high = even_piece(layer.out, ops_.rows), tiles = ceil_div(layer.out, high);
  const int64_t steps = sizes_.items(images_), each = images_ / steps,
                most = sizes_.block / (high * width());
  const Range units = share(me, ceil_div(layer.in, width()) * tiles);
  MixedTile tile = {};
  tile.a_row = 4, tile.a_step = high * 4, tile.b_step = width() * 4;
  tile.pieces = 1, tile.c_row = width();
  for (int64_t unit = units.begin, end; unit < units.end; unit = end) {
    const int64_t j = unit / tiles * width(), first = unit % tiles;
    end = std::min({units.end, unit - first + tiles, unit + most});
    tile.b = me.panel.bytes.data(), tile.columns = int(std::min(width(), layer.in - j));
    for (int64_t k = 0; k < steps; k += kBlockSteps) {
      tile.steps = std::min(kBlockSteps, steps - k), tile.adds = k > 0;
      ops_.pack(at(x, k * each * layer.in + j), layer.in, tile.steps * each, tile.columns,
                tile.steps, width(), me.panel.bytes.data());
      for (int64_t u = unit; u < end; ++u) {
        const int64_t i = first + u - unit;
        tile.a = transposed_.at((i * steps + k) * high, 4);
        tile.rows = int(std::min(high, layer.out - i * high));
        tile.c = &me.block[size_t((u - unit) * high * width())];
        ops_.tile(&tile);
      }
    }
    const int64_t row = first * high, rows = std::min(layer.out - row, (end - unit) * high);
    for (int64_t i = 0; i < rows; ++i)
      add_gradient(layer.weight + (row + i) * layer.in + j, tile.columns, 1,
                   &me.block[size_t(i * width())], part);
  }
}

/// One image's part of the gradient of a convolution's weights, windows x outputs. Its framed input is in `me`; the
/// first pixel of its slope, of which a line of pixels is `line` long.
void CpuTrainer::grow_image(Worker& me, size_t l, const void* slope, int64_t line, float* sums) {
  const Layer& layer = setup_.model.layers[l];
  const int64_t in = sizes_.framed_in(layer), out = sizes_.framed_out(layer), side = layer.side;
  const int64_t each = int64_t(4 / ops_.bytes), high = even_piece(3 * in, ops_.rows);
  const void* x = me.frame[0].bytes.data();
  if (ops_.pair != nullptr) {
    ops_.pair(x, (side + 2) * (side + 2) * in, in, me.pairs[0].bytes.data());
    ops_.pair(slope, (side - 1) * line + (side - 1) * out, out, me.pairs[1].bytes.data());
    x = me.pairs[0].bytes.data(), slope = me.pairs[1].bytes.data();
  }
  MixedTile tile = {};
  tile.a_row = 4, tile.a_step = each * in * 4, tile.a_piece = (side + 2) * in * 4;
  tile.b_step = each * out * 4, tile.b_piece = line * 4;
  tile.steps = side / each, tile.pieces = side;
  tile.c_row = out, tile.adds = true;
  for (int64_t i = 0; i < 9 * in; i += tile.rows) {
    const int64_t above = i / (3 * in), within = i % (3 * in);
    tile.a = static_cast<const float*>(x) + above * (side + 2) * in + within;
    tile.rows = int(std::min(high, 3 * in - within));
    for (int64_t j = 0; j < out; j += width()) {
      tile.b = static_cast<const float*>(slope) + j;
      tile.columns = int(std::min(width(), out - j));
      tile.c = sums + i * out + j;
      ops_.tile(&tile);
    }
  }
}

/// Own images of a convolution: sums of the weights' gradient by group, and the gradient of the input.
void CpuTrainer::backward_conv(Worker& me, size_t l, const void* x, const void* slope, void* next) {
  const Layer& layer = setup_.model.layers[l];
  const int64_t in = sizes_.framed_in(layer), out = sizes_.framed_out(layer), side = layer.side;
  // Where nothing flows further back, a slope that is whole vectors wide is read where it lies.
  const bool framed = l > 0 || out != layer.out;
  void* frame = me.frame[1].bytes.data();
  for (int64_t g = me.first_group; g < me.last_group; ++g) {
    float* sums = &sums_[size_t(g * sizes_.sums)];
    std::fill(sums, sums + 9 * in * out, 0.0f);
    for (int64_t i = first_image(g); i < first_image(g + 1); ++i) {
      const void* own = at(slope, i * layer.out_size());
      ops_.frame(at(x, i * layer.in_size()), layer.side, layer.in, int(in),
                 me.frame[0].bytes.data());
      if (framed) ops_.frame(own, layer.side, layer.out, int(out), frame);
      grow_image(me, l, framed ? at(frame, (side + 3) * out) : own,
                 (framed ? side + 2 : side) * out, sums);
      if (l == 0) continue;
      void* to = at(next, i * layer.in_size());
      convolve(me, frame, out, layer.side, panels_.at(sizes_.layers[l].back, 4), layer.in,
               [&](int64_t pixel, int64_t pixels, const float* block, int64_t stride) {
                 ops_.finish(block, stride, pixels, layer.in, nullptr, false, stored_,
                             at(to, pixel * layer.in), layer.in);
               });
    }
  }
}

/// A part of the groups' sums, added up to the gradient.
void CpuTrainer::add_groups(Worker& me, const Layer& layer, int64_t part) {
  if (me.index == 0) {
    for (int64_t g = 1; g < kGroups; ++g) {
      for (int64_t j = 0; j < layer.out; ++j)
        biases_[size_t(j)] += biases_[size_t(g * sizes_.biases + j)];
    }
    add_gradient(layer.bias, layer.out, 1, biases_.data(), part);
  }
  if (layer.kind != Kind::conv) return;
  const int64_t in = sizes_.framed_in(layer), out = sizes_.framed_out(layer);
  const Range windows = share(me, 9);
  for (int64_t t = windows.begin; t < windows.end; ++t) {
    float* sums = &sums_[size_t(t * in * out)];
    for (int64_t g = 1; g < kGroups; ++g) {
      for (int64_t i = 0; i < in * out; ++i) sums[i] += sums[g * sizes_.sums + i];
    }
    for (int64_t o = 0; o < layer.out; ++o)
      add_gradient(layer.weight + (o * 9 + t) * layer.in, layer.in, out, sums + o, part);
  }
}

void CpuTrainer::backward_layer(Worker& me, size_t l, int64_t part, bool counts) {
  const Layer& layer = setup_.model.layers[l];
  void *slope = slope_[me.current].bytes.data(), *next = slope_[1 - me.current].bytes.data();
  const int64_t images = me.last - me.first, begin = me.first * layer.out_size();
  if (layer.kind == Kind::pool) {
    ops_.unpool(at(input(l), me.first * layer.in_size()), at(output(l), begin), at(slope, begin),
                layer.side, layer.in, images, at(next, me.first * layer.in_size()));
    me.current = 1 - me.current;
    team_.barrier();  // `slope` is next written in rows of another length
    return;
  }
  const int64_t count = images * layer.out_size();
  if (counts) ops_.count(at(slope, begin), count, me.count.exponents.data(), &me.count.zeros);
  if (layer.relu) ops_.mask(at(output(l), begin), count, at(slope, begin));
  sum_bias(me, layer, slope);
  const Element forward = setup_.precision.multiplied;
  const Element back = forward == Element::e4m3 ? Element::e5m2 : forward;
  const void* x = operand(me, input(l), me.first * layer.in_size(), me.last * layer.in_size(),
                          forward, operand_[0].bytes.data());
  const void* taken = operand(me, slope, begin, begin + count, back, operand_[1].bytes.data());
  if (layer.kind == Kind::conv) {
    backward_conv(me, l, x, taken, next);
    team_.barrier();
  } else {
    transpose_slope(me, layer, taken);
    if (l > 0) {
      const Panels& panels = sizes_.layers[l];
      multiply_rows(me, at(taken, begin), layer.out * int64_t(ops_.bytes), images,
                    panels.back_steps, panels_.at(panels.back, 4), layer.in,
                    [&](int64_t i, int64_t rows, int64_t j, int64_t columns, const float* sums,
                        int64_t stride) {
                      ops_.finish(sums, stride, rows, int(columns), nullptr, false, stored_,
                                  at(next, (me.first + i) * layer.in + j), layer.in);
                    });
    }
    team_.barrier();
    grow_dense(me, l, x, part);
  }
  add_groups(me, layer, part);
  if (l > 0) me.current = 1 - me.current;
  team_.barrier();  // what has been summed may be written again
}

}  // namespace ridge::mixed
