// The online softmax of one query, block by block, on the numbers that the rungs get: the running maximum, by how
// much what was summed shrinks, the running sum; and how far the result is from that of three passes.
//
// Milakov and Gimelshein, arXiv:1805.02867.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/kernel/registry.h"
#include "common/quality/quality.h"
#include "common/record/inspection.h"
#include "common/record/params.h"
#include "kernels/attention/attention.h"
#include "kernels/attention/check.h"

namespace ridge::attention {
namespace {

constexpr int64_t kBlock = 64;  ///< keys, as in online.cpp

struct Softmax {
  double largest = -INFINITY, sum = 0;
  std::vector<double> o;  ///< not yet divided
};

/// What is known after keys [from, to), and what all before shrank by.
double take(const std::vector<double>& score, const std::byte* v, const Shape& shape, size_t from,
            size_t to, Softmax* state) {
  const double before = state->largest;
  for (size_t j = from; j < to; ++j) state->largest = std::max(state->largest, score[j]);
  const double factor = std::exp(before - state->largest);  // 0 for the first block
  state->sum *= factor;
  for (double& o : state->o) o *= factor;
  for (size_t j = from; j < to; ++j) {
    const double weight = std::exp(score[j] - state->largest);
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

}  // namespace

/// Head 0 of the first sequence alone: the others are like it.
Result<Inspection> inspect(const Params& params, const InspectAsked& asked) {
  Params one = params;
  one["batch"] = one["heads"] = one["heads_kv"] = int64_t{1};
  const int64_t sequence = param_int(params, "sequence"), query = asked.input.value_or(0);
  if (query < 0 || query >= sequence) {
    return Error{ErrorCode::usage, "there is no query " + std::to_string(query), "input of inspect",
                 "take 0 to " + std::to_string(sequence - 1)};
  }
  RIDGE_TRY(const auto problem, find_family("attention")->make_problem(one));
  HostBuffers host;
  for (const BufferSpec& spec : problem->buffers()) host.emplace_back(spec.bytes);
  problem->generate(1, &host);
  const Shape shape = problem->shape();
  const std::vector<double> score = scores_of(shape, host, query);
  const auto width = static_cast<size_t>(shape.dim[kAttentionHeadSize]);
  const std::byte* v = host[kAttentionV].data();

  Inspection found;
  found.of = "model", found.inputs = sequence, found.unit_name = "block";
  found.data = fmt::format("query {} of {}, and {} keys in blocks of {}", query, sequence,
                           score.size(), kBlock);
  InspectionPlane plane{.name = "block by block", .group = "online softmax", .columns = 1};
  Softmax state{.o = std::vector<double>(width)}, at_once = state;
  for (size_t from = 0; from < score.size(); from += kBlock) {
    const size_t to = std::min(score.size(), from + kBlock);
    const double factor = take(score, v, shape, from, to, &state);
    plane.marks.push_back(
        {plane.rows++, factor < 1 ? 1 : 0,
         fmt::format("largest {:.4f}; what was summed times {:.4f}; sum {:.4f}; O[0] {:.4f}",
                     state.largest, factor, state.sum, state.o[0] / state.sum)});
  }
  found.units = plane.rows;
  take(score, v, shape, 0, score.size(), &at_once);
  double apart = 0;
  for (size_t c = 0; c < width; ++c) {
    apart = std::max(apart, std::fabs(state.o[c] / state.sum - at_once.o[c] / at_once.sum));
  }
  found.note = fmt::format(
      "all keys at once: largest {:.4f}, sum {:.4f}; the two outputs differ by {:.1e} at most",
      at_once.largest, at_once.sum, apart);
  found.planes.push_back(std::move(plane));
  return found;
}

}  // namespace ridge::attention
