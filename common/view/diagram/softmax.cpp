// The online softmax, block by block, on scores that are computed and not made up: seeded, one decimal. What was
// summed is multiplied by e^(old - new maximum) when a block brings a larger one (Milakov and Gimelshein,
// arXiv:1805.02867).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/core/random.h"
#include "common/view/diagram/names.h"

namespace ridge::diagram {
namespace {

constexpr int64_t kMostKeys = 24;

/// What is known of the row after a block.
struct SoftmaxState {
  double largest = -INFINITY, sum = 0, o = 0;
};

struct SoftmaxRow {
  std::vector<double> score{}, value{};
};

/// Scores with a standard deviation of 2, values in [0, 10), so that a mean of them can be followed by eye.
SoftmaxRow row_of(int64_t keys, uint64_t seed) {
  SoftmaxRow row;
  const uint64_t key = random_key(seed);
  for (uint64_t j = 0; j < static_cast<uint64_t>(keys); ++j) {
    double sum = 0;  // of 12 uniform numbers: close enough to normal for scores
    for (uint64_t i = 0; i < 12; ++i) sum += double(random_unit(key, 16 * j + i));
    row.score.push_back(std::round((sum - 6) * 20) / 10);
    row.value.push_back(std::floor(double(random_unit(key, 16 * j + 12)) * 10));
  }
  return row;
}

SoftmaxState after(const SoftmaxRow& row, size_t from, size_t to, const SoftmaxState& before,
                   double* rescale) {
  SoftmaxState now = before;
  for (size_t j = from; j < to; ++j) now.largest = std::max(now.largest, row.score[j]);
  *rescale = std::exp(before.largest - now.largest);  // 0 for the first block
  now.sum *= *rescale, now.o *= *rescale;
  for (size_t j = from; j < to; ++j) {
    const double weight = std::exp(row.score[j] - now.largest);
    now.sum += weight, now.o += weight * row.value[j];
  }
  return now;
}

Cell cell(size_t row, size_t column, chart::Role role, float alpha, std::string text) {
  return {static_cast<int>(row), static_cast<int>(column), 1, 1, role, alpha, std::move(text)};
}

/// Scores, values and the weights as they count with `largest`; the block from `from` on stands out.
std::vector<Cell> key_cells(const SoftmaxRow& row, size_t from, size_t to, double largest,
                            bool weighed) {
  std::vector<Cell> cells;
  for (size_t j = 0; j < to; ++j) {
    const bool is_new = j >= from;
    const auto role = is_new ? chart::Role::slower : chart::Role::series0;
    cells.push_back(cell(0, j, role, is_new ? 0.6f : 0.25f, fmt::format("{:.1f}", row.score[j])));
    if (is_new && !weighed) continue;
    const double weight = std::exp(row.score[j] - largest);
    cells.push_back(
        cell(1, j, role, 0.12f + 0.5f * static_cast<float>(weight), fmt::format("{:.2f}", weight)));
  }
  return cells;
}

std::vector<Cell> state_cells(const std::vector<SoftmaxState>& states,
                              const std::vector<double>& factors, bool weighed) {
  std::vector<Cell> cells;
  for (size_t i = 0; i < states.size(); ++i) {
    const bool last = i + 1 == states.size();
    const auto role = last ? chart::Role::slower : chart::Role::series0;
    const float alpha = last ? 0.6f : 0.25f;
    const auto put = [&](size_t line, double value) {
      cells.push_back(cell(line, i, role, alpha, fmt::format("{:.3f}", value)));
    };
    put(0, states[i].largest), put(1, factors[i]);
    if (last && !weighed) continue;
    put(2, states[i].sum), put(3, states[i].o), put(4, states[i].o / states[i].sum);
  }
  return cells;
}

std::string words_of(const std::vector<SoftmaxState>& states, double factor, bool weighed) {
  const size_t block = states.size();
  const SoftmaxState& now = states.back();
  if (weighed) {
    return fmt::format("Its own weights, e^(score - {:.1f}), are added: the sum is {:.3f} now.",
                       now.largest, now.sum);
  }
  if (block == 1) return fmt::format("Block 1: its largest score is {:.1f}.", now.largest);
  const SoftmaxState& before = states[block - 2];
  if (now.largest == before.largest)
    return fmt::format("Block {}: nothing above {:.1f}; what was summed stays.", block,
                       now.largest);
  return fmt::format(
      "Block {}: {:.1f} is above {:.1f}. What was summed shrinks to e^({:.1f} - {:.1f}) = {:.3f} "
      "of "
      "it: {:.3f} becomes {:.3f}.",
      block, now.largest, before.largest, before.largest, now.largest, factor, before.sum,
      before.sum * factor);
}

}  // namespace

Result<Diagram> softmax(const Input& input) {
  Expressions names = names_of(input);
  RIDGE_TRY(const int64_t keys, names.value(input.directive.text("keys")));
  RIDGE_TRY(const int64_t usual, names.value(input.directive.text("block")));
  RIDGE_TRY(const int64_t seed, names.value(input.directive.text("seed")));
  if (keys < 2 || keys > kMostKeys || usual < 1 || usual > keys) {
    return Error{ErrorCode::bad_input,
                 fmt::format("{} keys in blocks of {}: take 2 to {}", keys, usual, kMostKeys), "",
                 ""};
  }
  const SoftmaxRow row = row_of(keys, static_cast<uint64_t>(seed));
  Diagram made;
  made.knob_text = "a block has", made.knob_unit = "keys";
  made.knob_low = 1, made.knob_high = static_cast<int>(keys);
  made.knob = input.knob > 0 ? std::min(input.knob, made.knob_high) : static_cast<int>(usual);
  const auto block = static_cast<size_t>(made.knob), count = row.score.size();
  const auto blocks = static_cast<int>((count + block - 1) / block);
  made.title = fmt::format("One query's softmax over {} keys, {} at a time", keys, block);
  made.grids = {{.title = "Keys, and what each counts so far",
                 .rows = 2,
                 .columns = static_cast<int>(keys),
                 .square = false,
                 .rule_columns = made.knob,
                 .row_labels = {"score", "weight"}},
                {.title = "What is remembered after each block",
                 .rows = 5,
                 .columns = blocks,
                 .square = false,
                 .row_labels = {"largest", "rescale", "sum", "sum of p v", "result so far"}}};
  std::vector<SoftmaxState> states;
  std::vector<double> factors;
  for (size_t from = 0; from < count; from += block) {
    const size_t to = std::min(from + block, count);
    double factor = 0;
    states.push_back(
        after(row, from, to, states.empty() ? SoftmaxState() : states.back(), &factor));
    factors.push_back(factor);
    for (const bool weighed : {false, true}) {
      made.steps.push_back({.words = words_of(states, factor, weighed),
                            .cells = {key_cells(row, from, to, states.back().largest, weighed),
                                      state_cells(states, factors, weighed)}});
    }
  }
  double unused = 0;
  const SoftmaxState whole = after(row, 0, count, SoftmaxState(), &unused);
  const double o = states.back().o / states.back().sum, direct = whole.o / whole.sum;
  made.summary = fmt::format(
      "Block by block the result is {:.6f}; with all scores at once it is {:.6f}. Never were more "
      "than {} scores kept.",
      o, direct, block);
  made.still = static_cast<int>(made.steps.size()) - 1;
  made.keys = {{"this block", chart::Role::slower, 0.6f},
               {"blocks before it", chart::Role::series0, 0.4f},
               {"v: seeded whole numbers below 10", chart::Role::muted, 0}};
  return made;
}

}  // namespace ridge::diagram
