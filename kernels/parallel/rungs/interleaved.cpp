// ridge: flags=-O3
//
// Idea      A bubble is as long as a part takes in a stage. Shorter stages have a shorter bubble.
// Changed   Each rank has two stages of half as many layers, and a part goes round the ranks twice. The bubble is
//           (p - 1) / (2 m + p - 1) of the time.
// Limits    Twice as many messages are sent. Parts come in groups of as many as there are ranks.
// Look at   The time against the rung before at few parts, where the bubble is long.
// Source    Narayanan et al., Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM, SC 2021.
#include "kernels/parallel/stages.h"

namespace ridge::parallel {
namespace {

constexpr int64_t kStages = 2;  // of a rank

Holding holding(const TrainingShape& s, int64_t rank, int64_t layer) {
  for (int64_t i = 0; i < kStages; ++i) {
    const Chunk own = chunk_of(s.layers, kStages * s.ranks, i * s.ranks + rank);
    if (layer >= own.begin && layer < own.begin + own.count) return holds_all(s, rank, layer);
  }
  return {};
}

/// The `k`-th that a rank does in one direction: a group of parts through its first stage, then through its second.
struct Turn {
  int64_t stage, part;
};
Turn turn(const TrainingShape& s, int64_t k) {
  const int64_t group = k / (kStages * s.ranks), within = k % (kStages * s.ranks);
  return {within / s.ranks, group * s.ranks + within % s.ranks};
}

void step(TrainingRank& r) {
  const TrainingShape& s = r.shape;
  Stage stages[kStages] = {{&r, r.me, kStages * s.ranks}, {&r, s.ranks + r.me, kStages * s.ranks}};
  Pass passes[kStages][kMostParts];
  const int64_t turns = kStages * s.parts;
  const int64_t behind = 2 * (s.ranks - 1 - r.me) + (kStages - 1) * s.ranks;
  const int64_t ahead = behind < turns ? behind : turns;
  const auto forward = [&](int64_t k) {
    const Turn at = turn(s, k);
    passes[at.stage][at.part] = stages[at.stage].forward(at.part);
  };
  for (int64_t k = 0; k < ahead; ++k) forward(k);
  for (int64_t k = 0; k < turns; ++k) {
    if (k + ahead < turns) forward(k + ahead);
    const Turn at = turn(s, k);
    const int64_t stage = kStages - 1 - at.stage;
    stages[stage].backward(&passes[stage][at.part]);
  }
  for (Stage& stage : stages) stage.update();
}

Status prepare(const Shape& shape, Plan* plan) {
  const TrainingShape s = training_shape(shape);
  if (s.ranks < 3) return refuse("takes 3 ranks at least: with 2, both directions share a link");
  if (s.parts % s.ranks != 0) return refuse("takes parts in multiples of the ranks");
  return prepare_training(shape, {.holding = holding, .step = step}, plan);
}

RIDGE_KERNEL(parallel, cpu, interleaved, .time_calls = time_training,
             .unavailable = ranks_unavailable, .prepare = prepare, .launch = launch_training);

}  // namespace
}  // namespace ridge::parallel
