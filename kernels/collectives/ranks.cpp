// Ranks as processes. They are forked, so that they share one piece of memory at one address, and end with their plan, or
// with the process that started them.
#include "kernels/collectives/collectives.h"
#include "kernels/collectives/links.h"

#ifdef __linux__
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string>

#include "common/core/program.h"
#include "common/harness/kernel/failure.h"
#include "common/harness/measure/child.h"

namespace ridge {

using collectives::clock_ns;
using collectives::Link;
using collectives::PortCost;
using collectives::Signal;

/// At the beginning of the memory that all ranks share; zero is its first state.
struct Shared {
  Signal command, done, barrier;
  int64_t calls;
  PortCost cost;
  double began_ns, ended_ns;  ///< of the last command, on rank 0
  RankCounts counts[kMostRanks];
  Link links[kMostRanks][kMostRanks];  ///< [from][to]
};

namespace {

constexpr int64_t kGuardWords = 64;
constexpr uint32_t kGuard = 0xdead'beef;
constexpr int kWrongCount = 3;  ///< exit code of a rank that was sent another number of elements
constexpr int64_t kLook_ns = 20'000'000;

}  // namespace

// ---- in a rank's process -------------------------------------------------------------------------

void Rank::wait_sent(int64_t to) {
  Link& link = shared_->links[me][to];
  link.taken.wait_for(link.sent.value());
}

void Rank::send(int64_t to, const float* data, int64_t n) {
  wait_sent(to);
  Link& link = shared_->links[me][to];
  out_busy_ns_ = std::max(clock_ns(), out_busy_ns_) + shared_->cost.of(n);
  step_out_ = std::max(step_, step_out_) + 1;
  link.data = data, link.count = n, link.arrives_ns = out_busy_ns_, link.step = step_out_;
  RankCounts& counts = shared_->counts[me];
  counts.bytes_sent += 4 * n, ++counts.messages;
  link.sent.raise();
}

const float* Rank::arrived(int64_t from, int64_t n) {
  Link& link = shared_->links[from][me];
  link.sent.wait_for(link.taken.value() + 1);
  if (link.count != n) ::_exit(kWrongCount);
  step_in_ = std::max(link.step, step_in_ + 1);
  step_ = std::max(step_, step_in_);
  if (const double cost = shared_->cost.of(n); cost > 0) {
    in_busy_ns_ = std::max(link.arrives_ns, in_busy_ns_ + cost);
    collectives::wait_until(in_busy_ns_);
  }
  return link.data;
}

void Rank::copy(float* to, const float* from, int64_t n) {
  std::memcpy(to, from, static_cast<size_t>(n) * sizeof(float));
}

void Rank::receive(int64_t from, float* to, int64_t n) {
  copy(to, arrived(from, n), n);
  shared_->links[from][me].taken.raise();
}

void Rank::reduce(int64_t from, const float* mine, float* to, int64_t n) {
  const float* message = arrived(from, n);
  for (int64_t i = 0; i < n; ++i) to[i] = mine[i] + message[i];
  shared_->links[from][me].taken.raise();
}

// ---- in the process that starts them ---------------------------------------------------------------

class Ranks {
 public:
  ~Ranks();
  Status start(const Shape& shape, void (*algorithm)(Rank&));
  /// One command: `calls` calls of every rank.
  Status run(int64_t calls, const PortCost& cost, CallTimes* times);
  Status launch(const Launch& launch);
  Status time(int64_t calls, CallTimes* times) { return run(calls, cost_, times); }
  void describe(Plan* plan) const;
  RankCounts counts(int rank) const { return shared_->counts[rank]; }

 private:
  bool map();
  float* place(int64_t rank, int64_t words) const;
  float* in(int64_t rank) const { return place(rank, kGuardWords); }
  float* out(int64_t rank) const { return place(rank, 2 * kGuardWords + count_); }
  float* scratch(int64_t rank) const { return place(rank, 3 * kGuardWords + 2 * count_ + ranks_); }
  int64_t words_of_rank() const { return 4 * kGuardWords + 3 * count_ + ranks_; }
  float* outcome(int64_t rank) const;
  void set_guards();
  int64_t rank_with_broken_guard() const;
  [[noreturn]] void serve(int64_t me, pid_t parent) const;
  void call(Rank* rank) const;
  Status lost();
  void end();

  Collective operation_ = Collective::all_reduce;
  int64_t ranks_ = 0, count_ = 0;
  PortCost cost_;
  void (*algorithm_)(Rank&) = nullptr;
  Shared* shared_ = nullptr;
  size_t bytes_ = 0;
  pid_t pids_[kMostRanks] = {};
  std::string why_lost_;
};

/// Guards stand before each of a rank's three buffers, and after the last.
float* Ranks::place(int64_t rank, int64_t words) const {
  auto* first = reinterpret_cast<std::byte*>(shared_) + (sizeof(Shared) + 63) / 64 * 64;
  return reinterpret_cast<float*>(first) + rank * words_of_rank() + words;
}

float* Ranks::outcome(int64_t rank) const {
  const bool in_place = operation_ == Collective::reduce_scatter;
  return out(rank) + (in_place ? chunk_of(count_, ranks_, rank).begin : 0);
}

bool Ranks::map() {
  bytes_ = sizeof(Shared) + 64 + static_cast<size_t>(ranks_ * words_of_rank()) * sizeof(float);
  void* memory = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  shared_ = memory == MAP_FAILED ? nullptr : new (memory) Shared();
  return shared_ != nullptr;
}

void Ranks::set_guards() {
  for (int64_t rank = 0; rank < ranks_; ++rank) {
    for (float* buffer : {in(rank), out(rank), scratch(rank), scratch(rank) + count_ + kGuardWords})
      for (int64_t i = 1; i <= kGuardWords; ++i) std::memcpy(buffer - i, &kGuard, sizeof kGuard);
  }
}

int64_t Ranks::rank_with_broken_guard() const {
  for (int64_t rank = 0; rank < ranks_; ++rank) {
    for (float* buffer : {in(rank), out(rank), scratch(rank), scratch(rank) + count_ + kGuardWords})
      for (int64_t i = 1; i <= kGuardWords; ++i)
        if (std::memcmp(buffer - i, &kGuard, sizeof kGuard) != 0) return rank;
  }
  return -1;
}

void Ranks::call(Rank* rank) const {
  rank->out_busy_ns_ = rank->in_busy_ns_ = 0;
  rank->step_ = rank->step_out_ = rank->step_in_ = 0;
  RankCounts& counts = shared_->counts[rank->me];
  counts = {};
  algorithm_(*rank);
  for (int64_t to = 0; to < ranks_; ++to) rank->wait_sent(to);
  counts.steps = rank->step_;
}

/// A rank's life. _exit: nothing of the parent's is to be flushed or freed twice.
void Ranks::serve(int64_t me, pid_t parent) const {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  const char name[] = {'r', 'a', 'n', 'k', ' ', static_cast<char>('0' + me), 0};
  ::prctl(PR_SET_NAME, name);
  ::prctl(PR_SET_TIMERSLACK, 1000);  // ns: waits for a link end in time
  ::signal(SIGINT, SIG_IGN);         // Ctrl-C is the parent's to handle
  Rank rank;
  rank.operation = operation_, rank.me = me, rank.ranks = ranks_, rank.count = count_;
  rank.in = in(me), rank.out = out(me), rank.scratch = scratch(me), rank.shared_ = shared_;
  uint32_t met = 0;
  const auto meet = [&] {
    met += static_cast<uint32_t>(ranks_);
    if (shared_->barrier.raise() != met) shared_->barrier.wait_for(met);
  };
  for (uint32_t number = 1;; ++number) {
    shared_->command.wait_for(number);
    for (int64_t i = 0; i < shared_->calls; ++i) {
      meet();
      if (i == 0 && me == 0) shared_->began_ns = clock_ns();
      call(&rank);
    }
    meet();
    if (me == 0) shared_->ended_ns = clock_ns();
    shared_->done.raise();
  }
}

Status Ranks::start(const Shape& shape, void (*algorithm)(Rank&)) {
  operation_ = collective_of(shape), algorithm_ = algorithm;
  ranks_ = shape.dim[kCollectiveRanks], count_ = shape.dim[kCollectiveCount];
  const auto rate = static_cast<double>(shape.dim[kCollectiveRate]);
  cost_.delay_ns = 1e3 * static_cast<double>(shape.dim[kCollectiveDelay]);
  cost_.ns_per_byte = rate > 0 ? 1e3 / rate : 0;
  if (!map()) return failure("no memory for the ranks' buffers: choose fewer bytes");
  set_guards();
  const pid_t parent = ::getpid();
  for (int64_t rank = 0; rank < ranks_; ++rank) {
    const pid_t pid = ::fork();
    if (pid == 0) serve(rank, parent);
    if (pid < 0)
      return failure("rank " + std::to_string(rank) +
                     " could not be started: " + std::strerror(errno));
    pids_[rank] = pid;
    measure::count_child(pid, true);
  }
  return run(1, {}, nullptr);  // counts what a call sends; links cost nothing yet
}

Ranks::~Ranks() {
  end();
  if (shared_ != nullptr) ::munmap(shared_, bytes_);
}

void Ranks::end() {
  for (pid_t& pid : pids_) {
    if (pid <= 0) continue;
    measure::count_child(pid, false);
    kill_and_reap(pid, false);
    pid = 0;
  }
}

/// Ends all ranks where one has ended, and says which. OK where all are there.
Status Ranks::lost() {
  for (int64_t rank = 0; rank < ranks_ && why_lost_.empty(); ++rank) {
    const auto ending = pids_[rank] > 0 ? peek_ending(pids_[rank]) : std::optional<Ending>();
    if (!ending) continue;
    why_lost_ = "rank " + std::to_string(rank) + " of " + std::to_string(ranks_) + " " +
                ending->text() +
                ": the collective cannot finish without it, so the other ranks were ended too";
  }
  if (why_lost_.empty()) return {};
  end();
  return failure(why_lost_);
}

Status Ranks::run(int64_t calls, const PortCost& cost, CallTimes* times) {
  Status status = lost();
  if (!status.ok()) return status;
  shared_->calls = calls, shared_->cost = cost;
  const uint32_t all = shared_->command.raise() * static_cast<uint32_t>(ranks_);
  const auto progress = [&] {
    uint32_t sum = shared_->barrier.value();
    for (const auto& from : shared_->links)
      for (const Link& link : from) sum += link.sent.value() + link.taken.value();
    return sum;
  };
  double moved_ns = clock_ns();
  for (uint32_t seen = progress(); !shared_->done.wait_at_most(all, kLook_ns);) {
    status = lost();
    if (!status.ok()) return status;
    const uint32_t now = progress();
    if (now != seen) moved_ns = clock_ns();
    seen = now;
    if (clock_ns() - moved_ns > 1e9 * measure::child_patience_s()) {
      char text[100];
      std::snprintf(text, sizeof text,
                    "no rank has sent or read a message for %.3g s, so the ranks were ended",
                    measure::child_patience_s());
      why_lost_ = text;
      return lost();
    }
  }
  // Without CPU time: ranks that wait for a link rightly use none.
  if (times != nullptr) *times = {.wall_ns = shared_->ended_ns - shared_->began_ns, .cpu_ns = 0};
  return {};
}

Status Ranks::launch(const Launch& launch) {
  auto* x = static_cast<float*>(launch.buffers[0]);
  auto* y = static_cast<float*>(launch.buffers[1]);
  const auto each = [&](auto f) {
    int64_t at = 0;
    for (int64_t rank = 0; rank < ranks_; ++rank) {
      const int64_t n = outcome_of(operation_, count_, ranks_, rank);
      f(rank, y + at, n);
      at += n;
    }
  };
  each([&](int64_t rank, const float* out, int64_t n) {
    Rank::copy(in(rank), x + rank * count_, count_);
    Rank::copy(outcome(rank), out, n);  // what the gate has poisoned
  });
  const Status status = run(1, cost_, nullptr);
  if (!status.ok()) return status;
  each([&](int64_t rank, float* out, int64_t n) {
    Rank::copy(x + rank * count_, in(rank),
               count_);  // where a rank has changed it, the gate sees that
    Rank::copy(out, outcome(rank), n);
  });
  const int64_t broken = rank_with_broken_guard();
  if (broken >= 0)
    return failure("a rank wrote outside the buffers of rank " + std::to_string(broken));
  return {};
}

void Ranks::describe(Plan* plan) const {
  RankCounts most;
  for (int64_t rank = 0; rank < ranks_; ++rank) {
    const RankCounts& one = shared_->counts[rank];
    most.bytes_sent = std::max(most.bytes_sent, one.bytes_sent);
    most.steps = std::max(most.steps, one.steps);
  }
  std::snprintf(plan->note, sizeof plan->note,
                "%d processes, %lld steps, the busiest rank sends %lld bytes",
                static_cast<int>(ranks_), static_cast<long long>(most.steps),
                static_cast<long long>(most.bytes_sent));
  plan->workspace_bytes = bytes_;
}

// ---- for KernelDesc --------------------------------------------------------------------------------

Status prepare_ranks(const Shape& shape, void (*algorithm)(Rank& rank), Plan* plan) {
  // Three buffers a rank, in memory that all processes share.
  constexpr int64_t kMostElements = int64_t{16} << 20;
  if (shape.dim[kCollectiveCount] > kMostElements)
    return refuse("takes buffers of 64 MiB at most; GPUs take 1 GiB");
  auto ranks = std::make_unique<Ranks>();
  const Status status = ranks->start(shape, algorithm);
  if (!status.ok()) return status;
  ranks->describe(plan);
  plan->release = [](void* state) { delete static_cast<Ranks*>(state); };
  plan->state = ranks.release();
  return {};
}

Status launch_ranks(const Launch& launch) {
  return static_cast<Ranks*>(launch.plan_state)->launch(launch);
}

Status time_ranks(const Launch& launch, int64_t calls, CallTimes* times) {
  return static_cast<Ranks*>(launch.plan_state)->time(calls, times);
}

RankCounts counts_of_rank(void* plan_state, int rank) {
  return static_cast<Ranks*>(plan_state)->counts(rank);
}

const char* ranks_unavailable() {
  return nullptr;
}

}  // namespace ridge
#endif
