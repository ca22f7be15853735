// Inside attention, on the numbers that the rungs get. Of a head: which keys its queries look at. Of a query: its
// scores, its weights, and its online softmax block by block, with how far the result is from that of three passes.
//
// Milakov and Gimelshein, arXiv:1805.02867.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/harness/kernel/registry.h"
#include "common/harness/quality/quality.h"
#include "common/record/inspection.h"
#include "common/record/params.h"
#include "kernels/attention/check.h"
#include "kernels/runtime/problems/attention.h"

namespace ridge::attention {
namespace {

constexpr int64_t kBlock = 64;  ///< keys, as in online.cpp
/// Rows and columns of the map, and steps of the softmax that are listed.
constexpr int64_t kMaxRows = 64;
/// Of a query's pictures: a line of the protocol has room for them.
constexpr int64_t kMaxCells = 4096;
/// Products that the map may take, so that it comes within a second.
constexpr int64_t kMaxProducts = int64_t{1} << 27;
constexpr int kSteps = 1000;

struct Softmax {
  double maximum = -INFINITY, sum = 0;
  std::vector<double> o;  ///< not yet divided
};

/// What is known after keys [from, to), and what all before shrank by.
double take(const std::vector<double>& score, const std::byte* v, const Shape& shape, size_t from,
            size_t to, Softmax* state) {
  const double before = state->maximum;
  for (size_t j = from; j < to; ++j) state->maximum = std::max(state->maximum, score[j]);
  const double factor = std::exp(before - state->maximum);  // 0 for the first block
  state->sum *= factor;
  for (double& o : state->o) o *= factor;
  for (size_t j = from; j < to; ++j) {
    const double weight = std::exp(score[j] - state->maximum);
    state->sum += weight;
    for (size_t c = 0; c < state->o.size(); ++c) {
      state->o[c] += weight * quality::load(v, int64_t(j * state->o.size() + c), shape.dtype);
    }
  }
  return factor;
}

std::vector<double> scores_of(const Shape& shape, const HostBuffers& host, int64_t query) {
  const int64_t d = shape.dim[kAttentionHeadSize];
  double scale = 1 / std::sqrt(double(d));
  if (shape.dtype == DType::fp8) {
    for (int64_t i = 0; i < 2; ++i)
      scale *= quality::load(host[kAttentionScales].data(), i, DType::fp32);
  }
  const int64_t keys = shape.dim[kAttentionCausal] != 0 ? query + 1 : shape.dim[kAttentionSequence];
  std::vector<double> score(static_cast<size_t>(keys));
  for (int64_t j = 0; j < keys; ++j) {
    double sum = 0;
    for (int64_t c = 0; c < d; ++c) {
      sum += quality::load(host[kAttentionQ].data(), query * d + c, shape.dtype) *
             quality::load(host[kAttentionK].data(), j * d + c, shape.dtype);
    }
    score[static_cast<size_t>(j)] = sum * scale;
  }
  return score;
}

struct Head {
  Shape shape;
  HostBuffers host;
};

/// Head 0 of the first sequence: the others are like it.
Result<Head> head_of(const Params& params) {
  Params one = params;
  one["batch"] = one["heads"] = one["heads_kv"] = int64_t{1};
  RIDGE_TRY(const auto problem, find_family("attention")->make_problem(one));
  Head head{problem->shape(), {}};
  for (const BufferSpec& spec : problem->buffers()) head.host.emplace_back(spec.bytes);
  problem->generate(1, &head.host);
  return head;
}

/// As few rows of up to `wide` cells as hold `count`.
InspectionPlane grid(const char* group, std::string name, const char* unit, int64_t count,
                     int64_t wide) {
  InspectionPlane plane{.name = std::move(name), .group = group, .unit = unit};
  plane.columns = static_cast<int>(std::min(count, wide));
  plane.rows = static_cast<int>((count + wide - 1) / wide);
  return plane;
}

/// Whole steps from the lowest value to the highest; cells that are left over are as the lowest.
void set_values(const std::vector<double>& cells, double low, InspectionPlane* plane) {
  const double high = *std::max_element(cells.begin(), cells.end());
  plane->step = high > low ? (high - low) / kSteps : 1;
  plane->low = static_cast<int>(std::lround(low / plane->step));
  plane->high = plane->low + kSteps;
  for (const double cell : cells)
    plane->values.push_back(static_cast<int>(std::lround(cell / plane->step)));
  plane->values.resize(size_t(plane->rows) * size_t(plane->columns), plane->low);
}

std::vector<double> weights_of(const std::vector<double>& score) {
  const double maximum = *std::max_element(score.begin(), score.end());
  std::vector<double> weight;
  double sum = 0;
  for (const double one : score) sum += weight.emplace_back(std::exp(one - maximum));
  for (double& one : weight) one /= sum;
  return weight;
}

/// Of queries that are evenly spread: how much of a row's weight falls on each of up to 64 groups of keys.
InspectionPlane map_of(const Head& head) {
  const int64_t sequence = head.shape.dim[kAttentionSequence];
  const int64_t affordable = kMaxProducts / (sequence * head.shape.dim[kAttentionHeadSize]);
  const int64_t rows = std::clamp<int64_t>(affordable, 1, std::min(kMaxRows, sequence));
  const int64_t columns = std::min(kMaxRows, sequence);
  std::vector<double> shares(size_t(rows * columns));
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t query = (row + 1) * sequence / rows - 1;
    const std::vector<double> weight = weights_of(scores_of(head.shape, head.host, query));
    for (size_t j = 0; j < weight.size(); ++j)
      shares[size_t(row * columns + int64_t(j) * columns / sequence)] += weight[j];
  }
  InspectionPlane plane =
      grid("attention map", fmt::format("{} of {} queries, down", rows, sequence),
           "of its query's weight", rows * columns, columns);
  set_values(shares, 0, &plane);
  return plane;
}

/// Keys of one cell where there are too many for a cell each.
int64_t keys_of_cell(const std::vector<double>& keys) {
  return (std::ssize(keys) + kMaxCells - 1) / kMaxCells;
}

std::string keys_text(int64_t keys, const char* of_several) {
  return keys == 1 ? fmt::format("{} keys a row", kBlock)
                   : fmt::format("{} keys a cell, {}", keys, of_several);
}

InspectionPlane scores_plane(int64_t query, const std::vector<double>& score) {
  const int64_t keys = keys_of_cell(score);
  std::vector<double> cells;
  for (size_t j = 0; j < score.size(); ++j) {
    if (int64_t(j) % keys == 0) cells.push_back(score[j]);
    cells.back() = std::max(cells.back(), score[j]);
  }
  InspectionPlane plane =
      grid("scores", fmt::format("scores of query {}, ", query) + keys_text(keys, "their maximum"),
           "q·k/√d", std::ssize(cells), kBlock);
  set_values(cells, *std::min_element(cells.begin(), cells.end()), &plane);
  return plane;
}

InspectionPlane weights_plane(int64_t query, const std::vector<double>& score) {
  const int64_t keys = keys_of_cell(score);
  const std::vector<double> weight = weights_of(score);
  std::vector<double> cells(size_t((std::ssize(score) + keys - 1) / keys));
  for (size_t j = 0; j < weight.size(); ++j) cells[j / size_t(keys)] += weight[j];
  InspectionPlane plane =
      grid("weights", fmt::format("weights of query {}, ", query) + keys_text(keys, "their sum"),
           "of the query's weight", std::ssize(cells), kBlock);
  set_values(cells, 0, &plane);
  return plane;
}

/// A bar a block: the running sum. Marked with 1: a new maximum, for which the accumulators shrink. The last bar is
/// that of three passes. Of many blocks those with a new maximum, and the last.
InspectionPlane steps_plane(const Head& head, const std::vector<double>& score) {
  const std::byte* v = head.host[kAttentionV].data();
  const auto width = static_cast<size_t>(head.shape.dim[kAttentionHeadSize]);
  const size_t blocks = (score.size() + kBlock - 1) / kBlock;
  const bool lists_all = blocks <= size_t(kMaxRows);
  Softmax state{.o = std::vector<double>(width)}, at_once = state;
  InspectionPlane plane{.name = lists_all ? "Online softmax, block by block"
                                          : "Online softmax: blocks with a new maximum, the last",
                        .group = "online softmax",
                        .unit = "running sum of the weights, relative to the running maximum"};
  std::vector<double> sums;
  const auto list = [&](double sum, bool is_new_maximum, std::string label) {
    sums.push_back(sum);
    plane.marks.push_back({plane.columns++, is_new_maximum ? 1 : 0, std::move(label)});
  };
  for (size_t block = 0; block < blocks; ++block) {
    const size_t from = block * kBlock, to = std::min<size_t>(score.size(), from + kBlock);
    const double factor = take(score, v, head.shape, from, to, &state);
    if (!lists_all && factor == 1 && block + 1 < blocks) continue;
    list(state.sum, factor < 1,
         fmt::format("block {}: maximum {:.4f}; accumulators × {:.4f}; sum {:.4f}; O[0] {:.4f}",
                     block, state.maximum, factor, state.sum, state.o[0] / state.sum));
  }
  take(score, v, head.shape, 0, score.size(), &at_once);
  double apart = 0;
  for (size_t c = 0; c < width; ++c)
    apart = std::max(apart, std::fabs(state.o[c] / state.sum - at_once.o[c] / at_once.sum));
  list(at_once.sum, false,
       fmt::format("all keys at once: maximum {:.4f}; sum {:.4f}; outputs differ by {:.1e} at most",
                   at_once.maximum, at_once.sum, apart));
  plane.rows = 1;
  set_values(sums, 0, &plane);
  return plane;
}

}  // namespace

Result<Inspection> inspect(const Params& params, const InspectAsked& asked) {
  const int64_t sequence = param_int(params, "sequence");
  if (!asked.bytes.empty()) {
    return Error{ErrorCode::usage, "a query is picked, not drawn", "input of inspect",
                 "take 0 to " + std::to_string(sequence - 1)};
  }
  if (asked.input && (*asked.input < 0 || *asked.input >= sequence)) {
    return Error{ErrorCode::usage, "there is no query " + std::to_string(*asked.input),
                 "input of inspect", "take 0 to " + std::to_string(sequence - 1)};
  }
  RIDGE_TRY(const Head head, head_of(params));
  Inspection found;
  found.inputs = sequence, found.input_name = "query", found.unit_name = "block";
  found.units = (sequence + kBlock - 1) / kBlock;
  if (!asked.input) {
    found.of = "model";
    found.data = fmt::format("one head: {} queries, {} keys", sequence, sequence);
    found.planes.push_back(map_of(head));
    return found;
  }
  const int64_t query = *asked.input;
  const std::vector<double> score = scores_of(head.shape, head.host, query);
  found.of = "test", found.input = asked.input;
  found.data = fmt::format("query {} of {}, and {} keys in blocks of {}", query, sequence,
                           score.size(), kBlock);
  found.planes = {scores_plane(query, score), weights_plane(query, score),
                  steps_plane(head, score)};
  return found;
}

}  // namespace ridge::attention
