// The processes that ranks are. They are forked, so that they share one piece of memory at one address, and end with the
// object that started them, or with the process that it is in.
#pragma once

#include <stddef.h>

#include <functional>
#include <string>

#include "common/harness/kernel/kernel.h"
#include "kernels/runtime/ranks/links.h"
#include "kernels/runtime/ranks/rank.h"

namespace ridge {

/// Numbers that each rank has room for, in memory that all of them share.
struct RankRoom {
  int64_t in = 0, out = 0, scratch = 0;
};

/// What a call does, in each rank's process. `what` is the caller's own: which kind of call. It allocates no memory.
using RankCall = std::function<void(Rank& rank, int64_t what)>;

class Ranks {
 public:
  Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  ~Ranks();

  /// Starts as many ranks as `like` says, each with its operation and count.
  Status start(const Rank& like, const RankRoom& room, RankCall call);
  /// One command: `calls` calls of every rank. A call begins when all have come to it, and ends with the last of them.
  Status run(int64_t calls, const ranks::PortCost& cost, CallTimes* times, int64_t what = 0);
  RankCounts counts(int64_t rank) const;  ///< of the last call

  int64_t size() const { return like_.ranks; }
  float* in(int64_t rank) const;
  float* out(int64_t rank) const;
  float* scratch(int64_t rank) const;
  size_t bytes() const { return bytes_; }
  /// A rank that something has written outside the buffers of; -1: none.
  int64_t rank_with_broken_guard() const;

  // ---- for a rank that goes on with its work while messages travel ----
  /// Whether the next message of rank `from` is here: receive() would not wait.
  static bool has_arrived(const Rank& rank, int64_t from, int64_t n);
  /// Whether the last message to that rank was read there: send() and wait_sent() would not wait.
  static bool is_taken(const Rank& rank, int64_t to);
  /// Ends this rank, and so all of them: it cannot go on.
  [[noreturn]] static void give_up();

 private:
  bool map();
  float* place(int64_t rank, int64_t words) const;
  int64_t words_of_rank() const;
  void set_guards();
  template <class Do>
  void each_guard(Do act) const;
  [[noreturn]] void serve(int64_t me, int parent) const;
  void call(Rank* rank) const;
  Status lost();
  void end();

  Rank like_;
  RankRoom room_;
  RankCall call_;
  struct Shared* shared_ = nullptr;
  size_t bytes_ = 0;
  int pids_[kMostRanks] = {};
  std::string why_lost_;
};

}  // namespace ridge
