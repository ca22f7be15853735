// The ranks of a training: their inputs before a step, and what they hold after it.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "common/harness/kernel/failure.h"
#include "kernels/parallel/parallel.h"
#include "kernels/runtime/ranks/processes.h"

namespace ridge::parallel {

class TrainingRanks {
 public:
  Status start(const Shape& shape, const TrainingRung& rung);
  Status launch(const Launch& launch);
  Status time(int64_t calls, CallTimes* times) { return ranks_.run(calls, cost_, times, kStep); }
  void describe(Plan* plan) const;
  RankFacts facts(int64_t rank) const;
  RankCounts messages(int64_t rank) const { return ranks_.counts(rank); }

 private:
  enum What : int64_t { kHoldAndShow, kStep };
  int64_t parameters() const { return shape_.layers * shape_.width * shape_.width; }
  const float* written_facts(int64_t rank) const { return ranks_.out(rank) + 3 * parameters(); }
  RankRoom room() const;
  Status gather(void* const* buffers) const;

  Ranks ranks_;
  TrainingShape shape_;
  TrainingRung rung_{};
  ranks::PortCost cost_;
};

/// Everything once, a gradient, and of the outputs what any rung keeps; pieces are rounded up.
RankRoom TrainingRanks::room() const {
  constexpr int64_t kPieces = 1024, kRounding = 16;
  const int64_t rows = shape_.batch * shape_.width, layer = shape_.width * shape_.width;
  return {.in = 3 * parameters() + 2 * rows,
          .out = 3 * parameters() + kFacts,
          .scratch =
              5 * parameters() + 4 * layer + (shape_.layers + 6) * 2 * rows + kPieces * kRounding};
}

Status TrainingRanks::start(const Shape& shape, const TrainingRung& rung) {
  shape_ = training_shape(shape), rung_ = rung;
  cost_ = ranks::port_cost(shape.dim[kParallelDelay], shape.dim[kParallelRate]);
  const int64_t speed = shape.dim[kParallelSpeed];
  Rank like;
  like.ranks = shape_.ranks, like.count = parameters();
  auto one = std::make_shared<TrainingRank>();  // each process has a copy of it
  one->shape = shape_, one->arena_size_ = room().scratch;
  one->ns_per_flop_ = speed > 0 ? 1e3 / double(speed) : 0;
  const Status status = ranks_.start(like, room(), [one, rung](Rank& rank, int64_t what) {
    one->rank = &rank, one->me = rank.me, one->arena_ = rank.scratch;
    if (what == kHoldAndShow) one->hold(rung.holding);
    one->train(rung);
    if (what == kHoldAndShow) one->show();
  });
  return status.ok() ? ranks_.run(1, {}, nullptr, kHoldAndShow) : status;
}

Status TrainingRanks::launch(const Launch& launch) {
  constexpr int kInputs = 5;
  const int64_t rows = shape_.batch * shape_.width;
  const int64_t sizes[kInputs] = {parameters(), parameters(), parameters(), rows, rows};
  for (int64_t rank = 0; rank < ranks_.size(); ++rank) {
    float* to = ranks_.in(rank);
    for (int i = 0; i < kInputs; to += sizes[i], ++i)
      Rank::copy(to, static_cast<const float*>(launch.buffers[i]), sizes[i]);
  }
  const Status status = ranks_.run(1, cost_, nullptr, kHoldAndShow);
  if (!status.ok()) return status;
  if (const int64_t broken = ranks_.rank_with_broken_guard(); broken >= 0)
    return failure("a rank wrote outside the buffers of rank " + std::to_string(broken));
  for (int64_t rank = 0; rank < ranks_.size(); ++rank) {
    const float* at = ranks_.in(rank);
    for (int i = 0; i < kInputs; at += sizes[i], ++i)
      if (std::memcmp(at, launch.buffers[i], static_cast<size_t>(sizes[i]) * sizeof(float)) != 0)
        return failure("rank " + std::to_string(rank) + " changed its inputs");
  }
  return gather(launch.buffers + kInputs);
}

/// What several ranks hold must be the same on each, to the bit: else they train networks of their own.
Status TrainingRanks::gather(void* const* buffers) const {
  std::vector<int8_t> owner(static_cast<size_t>(3 * parameters()), -1);
  for (int64_t rank = 0; rank < ranks_.size(); ++rank) {
    for (int64_t l = 0; l < shape_.layers; ++l) {
      const Holding holding = rung_.holding(shape_, rank, l);
      for (int kind = 0; kind < 3; ++kind) {
        const Block& block = kind == 0 ? holding.parameters : holding.optimizer;
        auto* to = static_cast<float*>(buffers[kind]);
        for (int64_t i = 0; i < block.size(); ++i) {
          const int64_t row = block.row + i / block.columns,
                        column = block.column + i % block.columns;
          const int64_t at = (l * shape_.width + row) * shape_.width + column;
          const float got = ranks_.out(rank)[kind * parameters() + at];
          int8_t& first = owner[size_t(kind * parameters() + at)];
          if (first >= 0 && std::memcmp(&to[at], &got, sizeof got) != 0)
            return failure("ranks " + std::to_string(first) + " and " + std::to_string(rank) +
                           " hold different numbers of layer " + std::to_string(l));
          first = static_cast<int8_t>(rank);
          to[at] = got;
        }
      }
    }
  }
  auto* loss = static_cast<float*>(buffers[3]);
  *loss = 0;
  for (int64_t rank = 0; rank < ranks_.size(); ++rank) *loss += written_facts(rank)[kFactLoss];
  return {};
}

RankFacts TrainingRanks::facts(int64_t rank) const {
  const float* written = written_facts(rank);
  RankFacts facts{.busy_ns = written[kFactBusy]};
  for (int i = 0; i < kUses; ++i) facts.bytes[i] = written[kFactBytes + i];
  return facts;
}

void TrainingRanks::describe(Plan* plan) const {
  RankFacts most;
  RankCounts sends;
  for (int64_t rank = 0; rank < ranks_.size(); ++rank) {
    const RankFacts one = facts(rank);
    if (one.bytes_in_all() > most.bytes_in_all()) most = one;
    const RankCounts counts = messages(rank);
    if (counts.bytes_sent > sends.bytes_sent) sends = counts;
  }
  const auto mib = [](double bytes) { return bytes / 1048576; };
  std::snprintf(plan->note, sizeof plan->note,
                "MiB of a rank: w %.2f, g %.2f, optimizer %.2f, gathered %.2f, outputs %.2f; sends "
                "%.2f in %lld messages",
                mib(most.bytes[0]), mib(most.bytes[1]), mib(most.bytes[2]), mib(most.bytes[3]),
                mib(most.bytes[4]), mib(double(sends.bytes_sent)),
                static_cast<long long>(sends.messages));
  plan->workspace_bytes = static_cast<size_t>(most.bytes_in_all());
}

// ---- for KernelDesc --------------------------------------------------------------------------------------

TrainingShape training_shape(const Shape& shape) {
  return {.ranks = shape.dim[kParallelRanks],
          .layers = shape.dim[kParallelLayers],
          .width = shape.dim[kParallelWidth],
          .batch = shape.dim[kParallelBatch],
          .parts = shape.dim[kParallelParts]};
}

Status prepare_training(const Shape& shape, const TrainingRung& rung, Plan* plan) {
  if (const char* why = ranks_unavailable()) return refuse(why);
  auto ranks = std::make_unique<TrainingRanks>();
  const Status status = ranks->start(shape, rung);
  if (!status.ok()) return status;
  ranks->describe(plan);
  plan->release = [](void* state) { delete static_cast<TrainingRanks*>(state); };
  plan->state = ranks.release();
  return {};
}

Status launch_training(const Launch& launch) {
  return static_cast<TrainingRanks*>(launch.plan_state)->launch(launch);
}

Status time_training(const Launch& launch, int64_t calls, CallTimes* times) {
  return static_cast<TrainingRanks*>(launch.plan_state)->time(calls, times);
}

RankFacts facts_of_rank(void* plan_state, int rank) {
  return static_cast<TrainingRanks*>(plan_state)->facts(rank);
}

RankCounts messages_of_rank(void* plan_state, int rank) {
  return static_cast<TrainingRanks*>(plan_state)->messages(rank);
}

}  // namespace ridge::parallel
