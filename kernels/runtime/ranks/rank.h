// A rank: one of several processes that work on one problem and exchange messages over links of a given delay and rate.
// Rungs of collectives and of parallel training are written with it.
#pragma once

#include <stdint.h>

namespace ridge {

/// What ranks do together, in the words of MPI and NCCL.
enum class Collective : int64_t { all_reduce, all_gather, reduce_scatter, broadcast, all_to_all };
enum { kMostRanks = 8 };

struct Chunk {
  int64_t begin = 0, count = 0;
};
/// Chunk `index` of `count` elements in `chunks` parts; any index, counted modulo `chunks`.
inline Chunk chunk_of(int64_t count, int64_t chunks, int64_t index) {
  const int64_t c = (index % chunks + chunks) % chunks;
  return {count * c / chunks, count * (c + 1) / chunks - count * c / chunks};
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

const char* ranks_unavailable();  ///< why no process can be forked here; null: it can

}  // namespace ridge
