#include "kernels/runtime/weightless/trainer.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "common/core/random.h"
#include "common/harness/measure/isa.h"
#include "kernels/runtime/cpu/aligned.h"
#include "kernels/runtime/cpu/team.h"

namespace ridge::weightless {
namespace {

/// Scores of 64 images at once: counter k of a class is bit k of its images' scores.
constexpr int kCounters = 20;

/// Candidates come sixteen at a time: fewer would save nothing.
constexpr int kFewest = 16;

/// scores[image][class] from the LUTs' outputs; out: word `lut * stride`.
void count_scores(const uint64_t* out, int64_t stride, int luts_per_class,
                  int (*scores)[kClasses]) {
  for (int c = 0; c < kClasses; ++c) {
    uint64_t counter[kCounters] = {};
    for (int j = 0; j < luts_per_class; ++j) {
      uint64_t carry = out[(int64_t{c} * luts_per_class + j) * stride];
      for (int k = 0; carry != 0 && k < kCounters; ++k) {
        const uint64_t both = counter[k] & carry;
        counter[k] ^= carry;
        carry = both;
      }
    }
    for (int s = 0; s < 64; ++s) {
      int score = 0;
      for (int k = 0; k < kCounters; ++k) score |= static_cast<int>(counter[k] >> s & 1) << k;
      scores[s][c] = score;
    }
  }
}

/// Cross-entropy of softmax(scores / tau) and its gradient, Q14.
double cross_entropy(const int* scores, int label, float tau, int16_t* gradient, int64_t stride) {
  const int highest = *std::max_element(scores, scores + kClasses);
  float power[kClasses], sum = 0;
  for (int c = 0; c < kClasses; ++c) {
    sum += power[c] = std::exp(static_cast<float>(scores[c] - highest) / tau);
  }
  for (int c = 0; c < kClasses; ++c) {
    const float error = power[c] / sum - (c == label ? 1.0f : 0.0f);
    gradient[c * stride] = static_cast<int16_t>(std::lrint(error * 16384));
  }
  return std::log(sum) - static_cast<double>(scores[label] - highest) / tau;
}

}  // namespace

struct Trainer::State {
  TrainConfig config;
  const Garments* data;
  const LutKernel* kernel;
  int threads;
  std::vector<int32_t> train, held_out, order;
  std::vector<uint8_t> thresholds;
  BitRows rows, other_rows;  ///< of the training images; of those an accuracy was asked for
  int64_t other_of = -1;
  int64_t steps_an_epoch = 0, done = 0;
  Aligned<uint64_t> planes[2], out;
  Aligned<int16_t> gradients;
  Aligned<float> table[3], weight[3];
  Aligned<uint16_t> candidate, wiring;
  Aligned<uint64_t> bits;
  LutJob job{};
  double loss_part[kLutWords] = {};
  int right_part[kLutWords] = {};

  void init();
  void init_luts();
  int64_t steps() const { return steps_an_epoch * config.epochs; }
  int32_t image_at(int64_t step, int64_t s);
  void pack(const BitRows& from, const std::function<int64_t(int64_t)>& row, int word,
            uint64_t* to);
  void pack_batch(int64_t step, int word, uint64_t* to);
  void score_word(int word);
  void update(int thread);
  void narrow();
  AdamStep adam() const;
  double share_right(const BitRows& of, const std::function<uint8_t(int64_t)>& label);
};

void Trainer::State::init() {
  Split split =
      split_images(data->train.count(), config.hold_out ? data->train.count() / 10 : 0, 2);
  if (config.images > 0 && config.images < static_cast<int64_t>(split.train.size())) {
    split.train.resize(static_cast<size_t>(config.images));
  }
  train = std::move(split.train);
  held_out = std::move(split.held_out);
  if (config.tau <= 0) {
    config.tau = 8 * std::pow(static_cast<float>(config.luts) / 2000, 0.65f);
  }
  thresholds = quantile_thresholds(data->train, train, config.bits);
  rows = encode_rows(data->train.pixels.data(), data->train.count(), thresholds);
  // With fewer images than a batch holds, some come twice in one.
  steps_an_epoch = std::max<int64_t>(1, static_cast<int64_t>(train.size()) / kLutBatch);
  init_luts();
  const auto features = static_cast<size_t>(rows.features);
  for (auto& plane : planes) plane.resize(features * kLutWords);
  out.resize(static_cast<size_t>(config.luts) * kLutWords);
  gradients.resize(size_t{kClasses} * kLutBatch);
  job = {.candidates = config.candidates > 1 ? (config.candidates + 15) / 16 * 16 : 1,
         .luts_per_class = config.luts / kClasses,
         .planes = planes[0].get(),
         .gradients = gradients.get(),
         .table = table[0].get(),
         .table_mean = table[1].get(),
         .table_square = table[2].get(),
         .candidate = candidate.get(),
         .weight = weight[0].get(),
         .weight_mean = weight[1].get(),
         .weight_square = weight[2].get(),
         .wiring = wiring.get(),
         .bits = bits.get(),
         .adam = {}};
  for (int word = 0; word < kLutWords; ++word) pack_batch(0, word, planes[0].get());
  for (int j = 0; j < config.luts; ++j) {
    kernel->forward(&job, j, planes[0].get(), &out[static_cast<size_t>(j) * kLutWords]);
  }
}

/// Entries U(-1, 1), candidates at random, weights U(0, 1). What pads the candidates to 16 never wins.
void Trainer::State::init_luts() {
  const int padded = config.candidates > 1 ? (config.candidates + 15) / 16 * 16 : 1;
  const auto pins = static_cast<size_t>(config.luts) * kPins;
  for (auto& array : table) array.resize(static_cast<size_t>(config.luts) * kEntries);
  for (auto& array : weight) array.resize(pins * static_cast<size_t>(padded));
  candidate.resize(pins * static_cast<size_t>(padded));
  wiring.resize(pins);
  bits.resize(static_cast<size_t>(config.luts));
  const uint64_t table_key = random_key(config.seed * 4),
                 feature_key = random_key(config.seed * 4 + 1),
                 weight_key = random_key(config.seed * 4 + 2);
  for (size_t j = 0; j < static_cast<size_t>(config.luts); ++j) {
    for (size_t a = 0; a < kEntries; ++a) {
      table[0][j * kEntries + a] = 2 * random_unit(table_key, j * kEntries + a) - 1;
    }
    bits[j] = table_bits(&table[0][j * kEntries]);
  }
  constexpr float kNever = -1e30f;
  for (size_t pin = 0; pin < pins; ++pin) {
    size_t best = pin * static_cast<size_t>(padded);
    for (size_t k = 0; k < static_cast<size_t>(padded); ++k) {
      const size_t at = pin * static_cast<size_t>(padded) + k;
      const bool real = k < static_cast<size_t>(config.candidates);
      candidate[at] = static_cast<uint16_t>(
          real ? random_below(feature_key, at, static_cast<uint32_t>(rows.features)) : 0);
      weight[0][at] = real ? random_unit(weight_key, at) : kNever;
      if (weight[0][at] > weight[0][best]) best = at;
    }
    wiring[pin] = candidate[best];
  }
}

/// Image number s of a step's batch: another order every epoch, the last incomplete batch left out.
int32_t Trainer::State::image_at(int64_t step, int64_t s) {
  const int64_t at = step % steps_an_epoch * kLutBatch + s;
  return train[static_cast<size_t>(
      order[static_cast<size_t>(at % static_cast<int64_t>(order.size()))])];
}

void Trainer::State::pack(const BitRows& from, const std::function<int64_t(int64_t)>& row, int word,
                          uint64_t* to) {
  std::array<const uint64_t*, 64> picked{};
  for (int64_t s = 0; s < 64; ++s) {
    const int64_t i = row(64 * word + s);
    picked[static_cast<size_t>(s)] = i >= 0 ? from.row(i) : nullptr;
  }
  rows_to_planes(picked, from.features, to + word, kLutWords);
}

void Trainer::State::pack_batch(int64_t step, int word, uint64_t* to) {
  pack(
      rows, [&](int64_t s) { return image_at(step, s); }, word, to);
}

/// Scores, loss and gradients of 64 images.
void Trainer::State::score_word(int word) {
  int scores[64][kClasses];
  count_scores(out.get() + word, kLutWords, job.luts_per_class, scores);
  loss_part[word] = 0;
  right_part[word] = 0;
  for (int s = 0; s < 64; ++s) {
    const int at = 64 * word + s;
    const int label = data->train.labels[static_cast<size_t>(image_at(done, at))];
    loss_part[word] +=
        cross_entropy(scores[s], label, config.tau, &gradients[static_cast<size_t>(at)], kLutBatch);
    right_part[word] += best_class(scores[s]) == label;
  }
}

void Trainer::State::update(int thread) {
  const int first = config.luts * thread / threads, last = config.luts * (thread + 1) / threads;
  const uint64_t* next = planes[(done + 1) % 2].get();
  for (int j = first; j < last; ++j) {
    kernel->backward(&job, j);
    kernel->forward(&job, j, next, &out[static_cast<size_t>(j) * kLutWords]);
  }
}

/// Each pin keeps the heavier half of its candidates, of equal weights the first, in their order.
void Trainer::State::narrow() {
  const auto many = static_cast<size_t>(job.candidates), kept = many / 2 / 16 * 16;
  std::vector<size_t> order(many);
  for (size_t pin = 0; pin < wiring.size(); ++pin) {
    for (size_t k = 0; k < many; ++k) order[k] = pin * many + k;
    const auto half = order.begin() + static_cast<std::ptrdiff_t>(kept);
    std::nth_element(order.begin(), half, order.end(), [&](size_t a, size_t b) {
      return weight[0][a] != weight[0][b] ? weight[0][a] > weight[0][b] : a < b;
    });
    std::sort(order.begin(), half);
    for (size_t k = 0; k < kept; ++k) {
      candidate[pin * kept + k] = candidate[order[k]];
      for (auto& array : weight) array[pin * kept + k] = array[order[k]];
    }
  }
  job.candidates = static_cast<int>(kept);
}

AdamStep Trainer::State::adam() const {
  const auto t = static_cast<double>(done + 1);
  const double share = static_cast<double>(done) / static_cast<double>(steps());
  return {.rate = static_cast<float>(config.rate * 0.5 * (1 + std::cos(std::numbers::pi * share))),
          .unbias_mean = static_cast<float>(1 / (1 - std::pow(0.9, t))),
          .unbias_square = static_cast<float>(1 / (1 - std::pow(0.999, t)))};
}

double Trainer::State::share_right(const BitRows& of,
                                   const std::function<uint8_t(int64_t)>& label) {
  const int64_t batches = (of.count + kLutBatch - 1) / kLutBatch;
  std::vector<int64_t> right(static_cast<size_t>(threads), 0);
  const auto part = [&](int thread) {
    std::vector<uint64_t> plane(static_cast<size_t>(of.features) * kLutWords);
    std::vector<uint64_t> bits_out(static_cast<size_t>(config.luts) * kLutWords);
    for (int64_t b = thread; b < batches; b += threads) {
      const auto row = [&](int64_t s) {
        return b * kLutBatch + s < of.count ? b * kLutBatch + s : -1;
      };
      for (int word = 0; word < kLutWords; ++word) pack(of, row, word, plane.data());
      for (int j = 0; j < config.luts; ++j) {
        kernel->forward(&job, j, plane.data(), &bits_out[static_cast<size_t>(j) * kLutWords]);
      }
      for (int word = 0; word < kLutWords; ++word) {
        int scores[64][kClasses];
        count_scores(bits_out.data() + word, kLutWords, job.luts_per_class, scores);
        for (int s = 0; s < 64; ++s) {
          const int64_t i = row(64 * word + s);
          if (i >= 0) right[static_cast<size_t>(thread)] += best_class(scores[s]) == label(i);
        }
      }
    }
  };
  team_run(
      threads, [](void* f, int i) { (*static_cast<decltype(part)*>(f))(i); },
      const_cast<void*>(static_cast<const void*>(&part)));
  int64_t sum = 0;
  for (const int64_t some : right) sum += some;
  return static_cast<double>(sum) / static_cast<double>(of.count);
}

// ---- the public face -----------------------------------------------------------------------------

Trainer::Trainer(const TrainConfig& config, const Garments& data, const LutKernel& kernel,
                 int threads)
    : state_(std::make_unique<State>()) {
  state_->config = config;
  state_->data = &data;
  state_->kernel = &kernel;
  state_->threads = threads;
  state_->order = shuffled(
      std::min<int64_t>(config.images > 0 ? config.images : INT64_MAX,
                        data.train.count() - (config.hold_out ? data.train.count() / 10 : 0)),
      config.seed * 1000);
  state_->init();
}

Trainer::~Trainer() = default;

int64_t Trainer::steps() const {
  return state_->steps();
}
int64_t Trainer::done() const {
  return state_->done;
}
int Trainer::candidates() const {
  return state_->job.candidates;
}
const TrainConfig& Trainer::config() const {
  return state_->config;
}

void Trainer::step() {
  State& s = *state_;
  if (s.done >= s.steps()) return;
  // Images first: this batch's scores, and the next batch as planes. Then LUTs.
  std::vector<int32_t> next_order = s.order;
  const int64_t next = s.done + 1;
  if (next % s.steps_an_epoch == 0) {
    next_order = shuffled(static_cast<int64_t>(s.order.size()),
                          s.config.seed * 1000 + static_cast<uint64_t>(next / s.steps_an_epoch));
  }
  team_run(
      s.threads,
      [](void* state, int thread) {
        auto& s = *static_cast<State*>(state);
        for (int w = kLutWords * thread / s.threads; w < kLutWords * (thread + 1) / s.threads; ++w)
          s.score_word(w);
      },
      &s);
  s.order = std::move(next_order);
  s.job.planes = s.planes[s.done % 2].get();
  s.job.adam = s.adam();
  team_run(
      s.threads,
      [](void* state, int thread) {
        auto& s = *static_cast<State*>(state);
        for (int w = kLutWords * thread / s.threads; w < kLutWords * (thread + 1) / s.threads; ++w)
          s.pack_batch(s.done + 1, w, s.planes[(s.done + 1) % 2].get());
      },
      &s);
  team_run(
      s.threads, [](void* state, int thread) { static_cast<State*>(state)->update(thread); }, &s);
  ++s.done;
  const int64_t every = s.config.halve_every * s.steps_an_epoch;
  if (every > 0 && s.done % every == 0 && s.job.candidates >= 2 * kFewest) s.narrow();
}

double Trainer::loss() const {
  double sum = 0;
  for (const double part : state_->loss_part) sum += part;
  return sum / double(kLutBatch);
}

double Trainer::batch_accuracy() const {
  int right = 0;
  for (const int part : state_->right_part) right += part;
  return right / double(kLutBatch);
}

LutNetwork Trainer::network() const {
  const State& s = *state_;
  LutNetwork network{.luts = s.config.luts,
                     .bits = s.config.bits,
                     .thresholds = s.thresholds,
                     .wiring = {},
                     .tables = {}};
  network.wiring.assign(s.wiring.get(),
                        s.wiring.get() + size_t{kPins} * static_cast<size_t>(s.config.luts));
  network.tables.assign(s.bits.get(), s.bits.get() + s.config.luts);
  return network;
}

double Trainer::accuracy(bool test) {
  State& s = *state_;
  const ImageSet& set = test ? s.data->test : s.data->train;
  if (!test && s.held_out.empty()) return -1;
  if (s.other_of != test) {
    if (test) {
      s.other_rows = encode_rows(set.pixels.data(), set.count(), s.thresholds);
    } else {
      s.other_rows = {.features = s.rows.features,
                      .count = static_cast<int64_t>(s.held_out.size()),
                      .words = {}};
      for (const int32_t i : s.held_out) {
        s.other_rows.words.insert(s.other_rows.words.end(), s.rows.row(i),
                                  s.rows.row(i) + s.rows.row_words());
      }
    }
    s.other_of = test;
  }
  return s.share_right(s.other_rows, [&](int64_t i) {
    return set.labels[static_cast<size_t>(test ? i : s.held_out[static_cast<size_t>(i)])];
  });
}

const LutKernel& fastest_lut_kernel() {
  std::string reason;
  return measure::isa_available("avx512bitalg", &reason) ? kLutAvx512 : kLutPortable;
}

}  // namespace ridge::weightless
