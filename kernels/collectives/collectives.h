// The collectives family: ranks, each a process of its own, that exchange messages over links of a given delay and rate.
//
//   dim {operation, ranks, count, delay_us, rate_mb_s}: `count` elements of fp32 are a rank's buffer
//   buffers  x[ranks][count]   what each rank has
//            y                 what each rank gets, rank after rank: outcome_of() elements each
//
// Chunk c of a buffer are the elements of chunk_of(count, ranks, c). With x[r] and y[r] as rank r's:
//   all_reduce      y[r] = x[0] + x[1] + ...
//   all_gather      chunk c of y[r] = chunk c of x[c]
//   reduce_scatter  y[r] = chunk r of the sum
//   broadcast       y[r] = x[0]
//   all_to_all      y[r] = chunk r of x[0], chunk r of x[1], ...
// These are the operations of MPI and NCCL, but that a chunk lies where it lies in the whole buffer, and that chunks of
// one buffer may differ by one element.
#pragma once

#include <stdint.h>

#include "common/harness/kernel/kernel.h"

namespace ridge {

enum class Collective : int64_t { all_reduce, all_gather, reduce_scatter, broadcast, all_to_all };
enum { kCollectiveOp, kCollectiveRanks, kCollectiveCount, kCollectiveDelay, kCollectiveRate };
enum { kMostRanks = 8 };

struct Chunk {
  int64_t begin = 0, count = 0;
};
/// Chunk `index` of `count` elements in `chunks` parts; any index, counted modulo `chunks`.
inline Chunk chunk_of(int64_t count, int64_t chunks, int64_t index) {
  const int64_t c = (index % chunks + chunks) % chunks;
  return {count * c / chunks, count * (c + 1) / chunks - count * c / chunks};
}

/// Elements that rank `rank` gets.
inline int64_t outcome_of(Collective operation, int64_t count, int64_t ranks, int64_t rank) {
  const int64_t own = chunk_of(count, ranks, rank).count;
  return operation == Collective::reduce_scatter ? own
         : operation == Collective::all_to_all   ? ranks * own
                                                 : count;
}

/// What a rung is written with: one rank, in a process of its own. Each function names the other rank. Nothing here
/// allocates memory or takes a lock: the process was forked from one that had threads.
class Rank {
 public:
  Collective operation = Collective::all_reduce;
  int64_t me = 0, ranks = 0;
  int64_t count = 0;          ///< of elements in `in`
  const float* in = nullptr;  ///< x[me]
  /// y[me] begins at its first element; of a reduce-scatter it is chunk `me`, where it lies in the whole buffer. `out`
  /// holds count + ranks elements, `scratch` count.
  float *out = nullptr, *scratch = nullptr;

  Chunk chunk(int64_t index) const { return chunk_of(count, ranks, index); }
  /// Starts a message and goes on. The receiver reads `data` itself: it may not change until wait_sent().
  void send(int64_t to, const float* data, int64_t n);
  /// Until the last message to this rank was read there.
  void wait_sent(int64_t to);
  /// Waits for the next message of rank `from`, and copies its `n` elements.
  void receive(int64_t from, float* to, int64_t n);
  /// As receive(), and adds: to[i] = mine[i] + message[i]. `to` may be `mine`.
  void reduce(int64_t from, const float* mine, float* to, int64_t n);
  /// In this process alone: to[i] = from[i].
  static void copy(float* to, const float* from, int64_t n);

 private:
  friend class Ranks;
  const float* arrived(int64_t from, int64_t n);
  struct Shared* shared_ = nullptr;
  double out_busy_ns_ = 0, in_busy_ns_ = 0;  ///< when the rank's port is free again, each way
  int64_t step_ = 0, step_out_ = 0, step_in_ = 0;
};

/// What a call of one rank came to.
struct RankCounts {
  int64_t bytes_sent = 0, messages = 0;
  /// Messages one after another up to this rank's result: a rank sends one at a time and receives one at a time.
  int64_t steps = 0;
};

// ---- for KernelDesc: rungs/ring.cpp shows it ----

/// Starts the ranks, which run `algorithm` in each call. They live as long as the plan.
Status prepare_ranks(const Shape& shape, void (*algorithm)(Rank& rank), Plan* plan);
/// All buffers to the ranks, one call, and back.
Status launch_ranks(const Launch& launch);
/// A call begins when all ranks have come to it, and ends when the last of them has its result.
Status time_ranks(const Launch& launch, int64_t calls, CallTimes* times);
const char* ranks_unavailable();  ///< why no process can be forked here; null: it can
/// Of the last call.
RankCounts counts_of_rank(void* plan_state, int rank);

/// The operation that this problem asks for.
inline Collective collective_of(const Shape& shape) {
  return static_cast<Collective>(shape.dim[kCollectiveOp]);
}

}  // namespace ridge
