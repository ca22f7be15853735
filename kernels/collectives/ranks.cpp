// A collective's ranks: their buffers filled before a call and read after it.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

#include "common/harness/kernel/failure.h"
#include "kernels/collectives/collectives.h"
#include "kernels/runtime/ranks/processes.h"

namespace ridge {
namespace {

class CollectiveRanks {
 public:
  Status start(const Shape& shape, void (*algorithm)(Rank&));
  Status launch(const Launch& launch);
  Status time(int64_t calls, CallTimes* times) { return ranks_.run(calls, cost_, times); }
  void describe(Plan* plan) const;
  RankCounts counts(int rank) const { return ranks_.counts(rank); }

 private:
  /// A chunk lies where it lies in the whole buffer.
  float* outcome(int64_t rank) const {
    const bool in_place = like_.operation == Collective::reduce_scatter;
    return ranks_.out(rank) + (in_place ? chunk_of(like_.count, like_.ranks, rank).begin : 0);
  }

  Ranks ranks_;
  Rank like_;
  ranks::PortCost cost_;
};

Status CollectiveRanks::start(const Shape& shape, void (*algorithm)(Rank&)) {
  like_.operation = collective_of(shape);
  like_.ranks = shape.dim[kCollectiveRanks], like_.count = shape.dim[kCollectiveCount];
  cost_ = ranks::port_cost(shape.dim[kCollectiveDelay], shape.dim[kCollectiveRate]);
  const RankRoom room = {like_.count, like_.count + like_.ranks, like_.count};
  const Status status =
      ranks_.start(like_, room, [algorithm](Rank& rank, int64_t) { algorithm(rank); });
  return status.ok()
             ? ranks_.run(1, {}, nullptr)  // counts what a call sends; links cost nothing yet
             : status;
}

Status CollectiveRanks::launch(const Launch& launch) {
  auto* x = static_cast<float*>(launch.buffers[0]);
  auto* y = static_cast<float*>(launch.buffers[1]);
  const int64_t count = like_.count;
  const auto each = [&](auto f) {
    int64_t at = 0;
    for (int64_t rank = 0; rank < like_.ranks; ++rank) {
      const int64_t n = outcome_of(like_.operation, count, like_.ranks, rank);
      f(rank, y + at, n);
      at += n;
    }
  };
  each([&](int64_t rank, const float* out, int64_t n) {
    Rank::copy(ranks_.in(rank), x + rank * count, count);
    Rank::copy(outcome(rank), out, n);  // what the gate has poisoned
  });
  const Status status = ranks_.run(1, cost_, nullptr);
  if (!status.ok()) return status;
  each([&](int64_t rank, float* out, int64_t n) {
    Rank::copy(x + rank * count, ranks_.in(rank),
               count);  // where a rank has changed it, the gate sees that
    Rank::copy(out, outcome(rank), n);
  });
  const int64_t broken = ranks_.rank_with_broken_guard();
  if (broken >= 0)
    return failure("a rank wrote outside the buffers of rank " + std::to_string(broken));
  return {};
}

void CollectiveRanks::describe(Plan* plan) const {
  RankCounts most;
  for (int64_t rank = 0; rank < like_.ranks; ++rank) {
    const RankCounts one = ranks_.counts(rank);
    most.bytes_sent = std::max(most.bytes_sent, one.bytes_sent);
    most.steps = std::max(most.steps, one.steps);
  }
  std::snprintf(plan->note, sizeof plan->note,
                "%d processes, %lld steps, the busiest rank sends %lld bytes",
                static_cast<int>(like_.ranks), static_cast<long long>(most.steps),
                static_cast<long long>(most.bytes_sent));
  plan->workspace_bytes = ranks_.bytes();
}

}  // namespace

Status prepare_ranks(const Shape& shape, void (*algorithm)(Rank& rank), Plan* plan) {
  if (const char* why = ranks_unavailable()) return refuse(why);
  // Three buffers a rank, in memory that all processes share.
  constexpr int64_t kMostElements = int64_t{16} << 20;
  if (shape.dim[kCollectiveCount] > kMostElements)
    return refuse("takes buffers of 64 MiB at most; GPUs take 1 GiB");
  auto ranks = std::make_unique<CollectiveRanks>();
  const Status status = ranks->start(shape, algorithm);
  if (!status.ok()) return status;
  ranks->describe(plan);
  plan->release = [](void* state) { delete static_cast<CollectiveRanks*>(state); };
  plan->state = ranks.release();
  return {};
}

Status launch_ranks(const Launch& launch) {
  return static_cast<CollectiveRanks*>(launch.plan_state)->launch(launch);
}

Status time_ranks(const Launch& launch, int64_t calls, CallTimes* times) {
  return static_cast<CollectiveRanks*>(launch.plan_state)->time(calls, times);
}

RankCounts counts_of_rank(void* plan_state, int rank) {
  return static_cast<CollectiveRanks*>(plan_state)->counts(rank);
}

}  // namespace ridge
