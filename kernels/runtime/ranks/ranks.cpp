#include "kernels/runtime/ranks/processes.h"

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

using ranks::clock_ns;
using ranks::Link;
using ranks::PortCost;
using ranks::Signal;

/// At the beginning of the memory that all ranks share; zero is its first state.
struct Shared {
  Signal command, done, barrier;
  int64_t calls, what;
  PortCost cost;
  double began_ns, ended_ns;  ///< of the last command, on rank 0
  RankCounts counts[kMostRanks];
  Link links[kMostRanks][kMostRanks];  ///< [from][to]
};

namespace {

constexpr int64_t kGuardWords = 64;
constexpr uint32_t kGuard = 0xdead'beef;
constexpr int kWrongCount = 3;  ///< exit code of a rank that was sent another number of elements
constexpr int kGaveUp = 4;
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
    ranks::wait_until(in_busy_ns_);
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

/// Guards stand before each of a rank's three buffers, and after the last.
float* Ranks::place(int64_t rank, int64_t words) const {
  auto* first = reinterpret_cast<std::byte*>(shared_) + (sizeof(Shared) + 63) / 64 * 64;
  return reinterpret_cast<float*>(first) + rank * words_of_rank() + words;
}

int64_t Ranks::words_of_rank() const {
  return 4 * kGuardWords + room_.in + room_.out + room_.scratch;
}

float* Ranks::in(int64_t rank) const {
  return place(rank, kGuardWords);
}

float* Ranks::out(int64_t rank) const {
  return in(rank) + room_.in + kGuardWords;
}

float* Ranks::scratch(int64_t rank) const {
  return out(rank) + room_.out + kGuardWords;
}

RankCounts Ranks::counts(int64_t rank) const {
  return shared_->counts[rank];
}

bool Ranks::map() {
  bytes_ = sizeof(Shared) + 64 + static_cast<size_t>(size() * words_of_rank()) * sizeof(float);
  void* memory = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  shared_ = memory == MAP_FAILED ? nullptr : new (memory) Shared();
  return shared_ != nullptr;
}

/// act(rank, word) of each word of a guard.
template <class Do>
void Ranks::each_guard(Do act) const {
  for (int64_t rank = 0; rank < size(); ++rank) {
    for (float* buffer :
         {in(rank), out(rank), scratch(rank), scratch(rank) + room_.scratch + kGuardWords})
      for (int64_t i = 1; i <= kGuardWords; ++i) act(rank, buffer - i);
  }
}

void Ranks::set_guards() {
  each_guard([](int64_t, float* word) { std::memcpy(word, &kGuard, sizeof kGuard); });
}

int64_t Ranks::rank_with_broken_guard() const {
  int64_t broken = -1;
  each_guard([&](int64_t rank, const float* word) {
    if (broken < 0 && std::memcmp(word, &kGuard, sizeof kGuard) != 0) broken = rank;
  });
  return broken;
}

void Ranks::give_up() {
  ::_exit(kGaveUp);
}

bool Ranks::is_taken(const Rank& rank, int64_t to) {
  const Link& link = rank.shared_->links[rank.me][to];
  return link.taken.value() == link.sent.value();
}

bool Ranks::has_arrived(const Rank& rank, int64_t from, int64_t n) {
  const Link& link = rank.shared_->links[from][rank.me];
  if (link.sent.value() == link.taken.value()) return false;
  const double cost = rank.shared_->cost.of(n);
  return clock_ns() >= std::max(link.arrives_ns, cost > 0 ? rank.in_busy_ns_ + cost : 0);
}

void Ranks::call(Rank* rank) const {
  rank->out_busy_ns_ = rank->in_busy_ns_ = 0;
  rank->step_ = rank->step_out_ = rank->step_in_ = 0;
  RankCounts& counts = shared_->counts[rank->me];
  counts = {};
  call_(*rank, shared_->what);
  for (int64_t to = 0; to < size(); ++to) rank->wait_sent(to);
  counts.steps = rank->step_;
}

/// A rank's life. _exit: nothing of the parent's is to be flushed or freed twice.
void Ranks::serve(int64_t me, int parent) const {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  const char name[] = {'r', 'a', 'n', 'k', ' ', static_cast<char>('0' + me), 0};
  ::prctl(PR_SET_NAME, name);
  ::prctl(PR_SET_TIMERSLACK, 1000);  // ns: waits for a link end in time
  ::signal(SIGINT, SIG_IGN);         // Ctrl-C is the parent's to handle
  Rank rank = like_;
  rank.me = me, rank.in = in(me), rank.out = out(me), rank.scratch = scratch(me),
  rank.shared_ = shared_;
  uint32_t met = 0;
  const auto meet = [&] {
    met += static_cast<uint32_t>(size());
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

Status Ranks::start(const Rank& like, const RankRoom& room, RankCall call) {
  like_ = like, room_ = room, call_ = std::move(call);
  if (!map()) return failure("no memory for the ranks' buffers: choose fewer bytes");
  set_guards();
  const pid_t parent = ::getpid();
  for (int64_t rank = 0; rank < size(); ++rank) {
    const pid_t pid = ::fork();
    if (pid == 0) serve(rank, parent);
    if (pid < 0)
      return failure("rank " + std::to_string(rank) +
                     " could not be started: " + std::strerror(errno));
    pids_[rank] = pid;
    measure::count_child(pid, true);
  }
  return {};
}

Ranks::~Ranks() {
  end();
  if (shared_ != nullptr) ::munmap(shared_, bytes_);
}

void Ranks::end() {
  for (int& pid : pids_) {
    if (pid <= 0) continue;
    measure::count_child(pid, false);
    kill_and_reap(pid, false);
    pid = 0;
  }
}

/// Ends all ranks where one has ended, and says which. OK where all are there.
Status Ranks::lost() {
  for (int64_t rank = 0; rank < size() && why_lost_.empty(); ++rank) {
    const auto ending = pids_[rank] > 0 ? peek_ending(pids_[rank]) : std::optional<Ending>();
    if (!ending) continue;
    why_lost_ = "rank " + std::to_string(rank) + " of " + std::to_string(size()) + " " +
                ending->text() + ": the others cannot finish without it, so they were ended too";
  }
  if (why_lost_.empty()) return {};
  end();
  return failure(why_lost_);
}

Status Ranks::run(int64_t calls, const PortCost& cost, CallTimes* times, int64_t what) {
  Status status = lost();
  if (!status.ok()) return status;
  shared_->calls = calls, shared_->what = what, shared_->cost = cost;
  const uint32_t all = shared_->command.raise() * static_cast<uint32_t>(size());
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

const char* ranks_unavailable() {
  return nullptr;
}

}  // namespace ridge
#endif
