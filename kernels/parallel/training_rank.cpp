// A rank's memory, and its part of a step.
#include <algorithm>
#include <cmath>

#include "kernels/parallel/parallel.h"
#include "kernels/parallel/products.h"
#include "kernels/runtime/ranks/links.h"
#include "kernels/runtime/ranks/processes.h"

namespace ridge::parallel {
namespace {

constexpr int64_t kStep = 16;      // numbers: pieces begin at cache lines of the arena
constexpr double kNap_ns = 100e3;  // between two looks at what has arrived
constexpr double kUpdateFlop = 12, kActivationFlop = 10;  // of a number

}  // namespace

Holding holds_all(const TrainingShape& s, int64_t, int64_t) {
  return {whole(s), whole(s)};
}

double RankFacts::bytes_in_all() const {
  double all = 0;
  for (const double some : bytes) all += some;
  return all;
}

// ---- memory ------------------------------------------------------------------------------------------

void TrainingRank::reset() {
  pieces_[0] = {.at = 0, .n = arena_size_};
  pieces_count_ = 1;
  std::fill(std::begin(held_), std::end(held_), 0);
  std::fill(std::begin(most_), std::end(most_), 0);
  held_all_ = most_all_ = 0;
}

/// The first room that is large enough; what is left of it stays free behind it.
float* TrainingRank::take(Use use, int64_t n) {
  const int64_t whole = std::max((n + kStep - 1) / kStep, int64_t{1}) * kStep;
  for (int i = 0; i < pieces_count_; ++i) {
    if (pieces_[i].taken || pieces_[i].n < whole) continue;
    if (pieces_[i].n > whole && pieces_count_ < kMostPieces) {
      std::copy_backward(pieces_ + i, pieces_ + pieces_count_, pieces_ + pieces_count_ + 1);
      ++pieces_count_;
      pieces_[i].n = whole;
      pieces_[i + 1].at += whole, pieces_[i + 1].n -= whole;
    }
    pieces_[i].use = use, pieces_[i].taken = true;
    held_[int(use)] += pieces_[i].n, held_all_ += pieces_[i].n;
    if (held_all_ > most_all_) {
      most_all_ = held_all_;
      std::copy(std::begin(held_), std::end(held_), std::begin(most_));
    }
    return arena_ + pieces_[i].at;
  }
  Ranks::give_up();
}

void TrainingRank::give(float* memory) {
  if (memory < arena_ || memory >= arena_ + arena_size_) return;  // the batch itself
  int i = 0;
  while (pieces_[i].at != memory - arena_) ++i;
  pieces_[i].taken = false;
  held_[int(pieces_[i].use)] -= pieces_[i].n, held_all_ -= pieces_[i].n;
  const auto join = [&](int first) {  // with the one behind it, where both are free
    if (first < 0 || first + 1 >= pieces_count_) return;
    if (pieces_[first].taken || pieces_[first + 1].taken) return;
    pieces_[first].n += pieces_[first + 1].n;
    std::copy(pieces_ + first + 2, pieces_ + pieces_count_, pieces_ + first + 1);
    --pieces_count_;
  };
  join(i);
  join(i - 1);
}

float* TrainingRank::take_gradient(int64_t n) {
  float* g = take(Use::gradients, n);
  std::fill_n(g, n, 0.0f);
  return g;
}

// ---- a pass ------------------------------------------------------------------------------------------

/// A product takes the time that the rank's speed gives it, or its own where that is longer. Meanwhile messages travel.
template <class Do>
void TrainingRank::work(double flop, Do act) {
  const double began_ns = ranks::clock_ns(), until_ns = began_ns + flop * ns_per_flop_;
  act();
  if (background != nullptr) background->advance();
  for (double now = ranks::clock_ns(); now < until_ns; now = ranks::clock_ns()) {
    ranks::wait_until(background == nullptr ? until_ns : std::min(until_ns, now + kNap_ns));
    if (background != nullptr) background->advance();
  }
  busy_ns_ += ranks::clock_ns() - began_ns;
}

void TrainingRank::times(const float* x, const float* w, int64_t rows, int64_t in, int64_t out,
                         float* y) {
  work(2.0 * double(rows * in * out), [&] { multiply(x, w, rows, in, out, y); });
}

void TrainingRank::times_transposed(const float* d, const float* w, int64_t rows, int64_t in,
                                    int64_t out, float* dx) {
  work(2.0 * double(rows * in * out), [&] { multiply_transposed(d, w, rows, in, out, dx); });
}

void TrainingRank::add_outer(const float* x, const float* d, int64_t rows, int64_t in, int64_t out,
                             float* g) {
  work(2.0 * double(rows * in * out), [&] { multiply_outer(x, d, rows, in, out, g); });
}

Pass TrainingRank::begin(const Chunk& rows) {
  Pass pass{.rows = rows};
  pass.outputs[0] = const_cast<float*>(x_) + rows.begin * shape.width;  // read only
  return pass;
}

void TrainingRank::forward(Pass* pass, int64_t l, const float* w) {
  const int64_t n = pass->rows.count * shape.width;
  float* y = pass->outputs[l + 1] = take(Use::activations, n);
  times(pass->outputs[l], w, pass->rows.count, shape.width, shape.width, y);
  if (l + 1 < shape.layers) activate(y, n);
}

void TrainingRank::activate(float* y, int64_t n) {
  work(kActivationFlop * double(n), [&] {
    for (int64_t i = 0; i < n; ++i) y[i] = std::tanh(y[i]);
  });
}

void TrainingRank::activate_back(const float* y, float* d, int64_t n) {
  for (int64_t i = 0; i < n; ++i) d[i] *= 1 - y[i] * y[i];
}

void TrainingRank::judge(Pass* pass, bool counts) {
  const int64_t n = pass->rows.count * shape.width;
  const float* y = pass->outputs[shape.layers];
  const float* t = t_ + pass->rows.begin * shape.width;
  pass->gradient = take(Use::activations, n);
  const auto share = 1 / static_cast<float>(shape.batch);
  for (int64_t i = 0; i < n; ++i) {
    const float miss = y[i] - t[i];
    pass->gradient[i] = miss * share;
    if (counts) loss_ += 0.5 * double(miss) * double(miss) / double(shape.batch);
  }
}

void TrainingRank::backward(Pass* pass, int64_t l, const float* w, float* g) {
  const int64_t rows = pass->rows.count, n = rows * shape.width;
  if (l + 1 < shape.layers) activate_back(pass->outputs[l + 1], pass->gradient, n);
  give(pass->outputs[l + 1]);
  add_outer(pass->outputs[l], pass->gradient, rows, shape.width, shape.width, g);
  float* below = take(Use::activations, n);
  times_transposed(pass->gradient, w, rows, shape.width, shape.width, below);
  give(pass->gradient);
  pass->gradient = below;
}

void TrainingRank::end(Pass* pass) {
  give(pass->gradient);
  pass->gradient = nullptr;
}

void TrainingRank::update(int64_t l, float* w, const float* g) {
  Layer& layer = layers[l];
  const int64_t n = layer.holding.optimizer.size();
  constexpr auto keeps = float(kDecay), keeps_square = float(kSquareDecay);
  work(kUpdateFlop * double(n), [&] {
    for (int64_t i = 0; i < n; ++i) {
      layer.m[i] = keeps * layer.m[i] + (1 - keeps) * g[i];
      layer.v[i] = keeps_square * layer.v[i] + (1 - keeps_square) * g[i] * g[i];
      const float size = std::sqrt(layer.v[i] / float(kSquareShare)) + float(kEpsilon);
      w[i] -= float(kAdamRate) * layer.m[i] / float(kMeanShare) / size;
    }
  });
}

// ---- what it holds -------------------------------------------------------------------------------------

namespace {

/// act(number of the block, place in the matrices of all layers), run by run.
template <class Do>
void each_run(const TrainingShape& s, int64_t l, const Block& block, Do act) {
  for (int64_t r = 0; r < block.rows; ++r)
    act(r * block.columns, (l * s.width + block.row + r) * s.width + block.column);
}

}  // namespace

void TrainingRank::hold(HoldingOf holding) {
  const int64_t all = shape.layers * shape.width * shape.width;
  reset();
  x_ = rank->in + 3 * all, t_ = x_ + shape.batch * shape.width;
  for (int64_t l = 0; l < shape.layers; ++l) {
    Layer& layer = layers[l];
    layer = {.holding = holding(shape, me, l)};
    const auto load = [&](const Block& block, Use use, const float* from) {
      float* to = take(use, block.size());
      each_run(shape, l, block,
               [&](int64_t own, int64_t at) { std::copy_n(from + at, block.columns, to + own); });
      return to;
    };
    if (layer.holding.parameters.size() > 0)
      layer.w = load(layer.holding.parameters, Use::parameters, rank->in);
    if (layer.holding.optimizer.size() > 0) {
      layer.m = load(layer.holding.optimizer, Use::optimizer, rank->in + all);
      layer.v = load(layer.holding.optimizer, Use::optimizer, rank->in + 2 * all);
    }
  }
}

void TrainingRank::show() {
  const int64_t all = shape.layers * shape.width * shape.width;
  for (int64_t l = 0; l < shape.layers; ++l) {
    const Layer& layer = layers[l];
    const auto store = [&](const Block& block, const float* from, float* to) {
      each_run(shape, l, block,
               [&](int64_t own, int64_t at) { std::copy_n(from + own, block.columns, to + at); });
    };
    store(layer.holding.parameters, layer.w, rank->out);
    store(layer.holding.optimizer, layer.m, rank->out + all);
    store(layer.holding.optimizer, layer.v, rank->out + 2 * all);
  }
}

void TrainingRank::train(const TrainingRung& rung) {
  busy_ns_ = loss_ = 0;
  rung.step(*this);
  float* facts = rank->out + 3 * shape.layers * shape.width * shape.width;
  facts[kFactLoss] = static_cast<float>(loss_);
  facts[kFactBusy] = static_cast<float>(busy_ns_);
  for (int i = 0; i < kUses; ++i) facts[kFactBytes + i] = 4 * static_cast<float>(most_[i]);
}

}  // namespace ridge::parallel
