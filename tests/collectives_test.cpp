// The collectives' ranks through the real gate: every rung right for every number of ranks, with the bytes and the steps that
// its algorithm is known for, a rank that is lost, and no process left. Nothing here is timed.
#include <dirent.h>
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "common/core/files.h"
#include "common/harness/kernel/registry.h"
#include "common/harness/measure/child.h"
#include "common/harness/measure/gate.h"
#include "common/harness/measure/harness.h"
#include "kernels/collectives/collectives.h"
#include "tests/catch.h"
#include "tests/family_problem.h"

using namespace ridge;
using namespace ridge::measure;
using namespace ridge::test;

namespace {

const char* const kOperations[] = {"all_reduce", "all_gather", "reduce_scatter", "broadcast",
                                   "all_to_all"};

std::vector<const KernelDesc*> rungs() {
  std::vector<const KernelDesc*> all;
  for (const KernelDesc* kernel : registered_kernels())
    if (family_of(kernel->id) == "collectives" && kernel->backend == Backend::cpu)
      all.push_back(kernel);
  return all;
}

Params params_of(const char* op, int64_t ranks, int64_t count) {
  return {{"op", std::string(op)},
          {"ranks", ranks},
          {"bytes", 4 * count},
          {"delay_us", int64_t{0}},
          {"rate_mb_s", int64_t{0}}};
}

/// Ranks that wait for calls of a problem of their own.
class Prepared {
 public:
  Prepared(const char* id, const Params& params) : problem_(problem_of("collectives", params)) {
    const KernelDesc* kernel = find_kernel(id);
    REQUIRE(kernel);
    status = kernel->prepare(problem_->shape(), &plan);
    host_ = inputs_of(*problem_, 1);
    for (auto& buffer : host_) pointers_.push_back(buffer.data());
  }
  ~Prepared() {
    if (plan.release) plan.release(plan.state);
  }
  Launch launch() {
    return {.shape = problem_->shape(), .buffers = pointers_.data(), .plan_state = plan.state};
  }
  Plan plan;
  Status status;

 private:
  std::unique_ptr<Problem> problem_;
  HostBuffers host_;
  std::vector<void*> pointers_;
};

struct Most {
  int64_t bytes = 0, steps = 0;
  bool operator==(const Most&) const = default;
};

/// Of the busiest rank in a call.
Most counted(const char* id, const char* op, int64_t ranks, int64_t count) {
  Prepared prepared(id, params_of(op, ranks, count));
  REQUIRE(prepared.status.ok());
  REQUIRE(launch_ranks(prepared.launch()).ok());
  Most most;
  for (int rank = 0; rank < ranks; ++rank) {
    const RankCounts one = counts_of_rank(prepared.plan.state, rank);
    most.bytes = std::max(most.bytes, one.bytes_sent);
    most.steps = std::max(most.steps, one.steps);
  }
  return most;
}

/// A process's own name.
std::string comm_of(pid_t pid) {
  const auto text = read_whole("/proc/" + std::to_string(pid) + "/comm");
  return text.ok() ? *text : "";
}

int64_t log2_of(int64_t ranks) {
  int64_t log = 0;
  while (int64_t{1} << log < ranks) ++log;
  return log;
}

}  // namespace

TEST_CASE("every rung of the collectives is right for 2 to 8 ranks, whatever they do together") {
  FullChecks checks;
  const Observer silent;
  for (const KernelDesc* kernel : rungs()) {
    int taken = 0;
    for (const char* op : kOperations) {
      for (int64_t ranks = 2; ranks <= kMostRanks; ++ranks) {
        INFO(kernel->id << " " << op << " " << ranks);
        const Params params = {{"op", std::string(op)}, {"ranks", ranks}};
        const auto check = checks.get(*kernel, *find_family("collectives"), params, cpu(), silent);
        if (!check) {
          CHECK(check.error().code == ErrorCode::unavailable);  // it says which it takes
          CHECK(check.error().what.find("takes ") == 0);
          continue;
        }
        INFO(check->reason);
        CHECK(check->passed);
        ++taken;
      }
    }
    CHECK(taken > 0);
  }
  CHECK(children(false).empty());
}

TEST_CASE("an all-reduce sends the bytes and takes the steps of its algorithm") {
  constexpr int64_t kCount = 840;  // a multiple of all numbers of ranks
  for (const int64_t n : {2, 4, 8}) {
    INFO(n << " ranks");
    const int64_t buffer = 4 * kCount, log = log2_of(n);
    CHECK(counted("collectives.cpu.naive", "all_reduce", n, kCount) ==
          Most{(n - 1) * buffer, 2 * (n - 1)});
    CHECK(counted("collectives.cpu.ring", "all_reduce", n, kCount) ==
          Most{2 * (n - 1) * buffer / n, 2 * (n - 1)});
    CHECK(counted("collectives.cpu.tree", "all_reduce", n, kCount) == Most{log * buffer, 2 * log});
    // Half a buffer up and two down where a rank has children, half a buffer up where it is a leaf.
    CHECK(counted("collectives.cpu.double_tree", "all_reduce", n, kCount).bytes ==
          (n == 2 ? buffer : 2 * buffer));
    CHECK(counted("collectives.cpu.recursive_doubling", "all_reduce", n, kCount) ==
          Most{log * buffer, log});
    CHECK(counted("collectives.cpu.halving_doubling", "all_reduce", n, kCount) ==
          Most{2 * (n - 1) * buffer / n, 2 * log});
    CHECK(counted("collectives.cpu.two_shot", "all_reduce", n, kCount) ==
          Most{2 * (n - 1) * buffer / n, 2 * (n - 1)});
  }
}

TEST_CASE("half of an all-reduce takes half the steps of its algorithm") {
  constexpr int64_t kCount = 840;
  for (const int64_t n : {2, 4, 8}) {
    INFO(n << " ranks");
    const int64_t buffer = 4 * kCount, log = log2_of(n);
    const Most half_ring = {(n - 1) * buffer / n, n - 1};
    CHECK(counted("collectives.cpu.ring", "reduce_scatter", n, kCount) == half_ring);
    CHECK(counted("collectives.cpu.ring", "all_gather", n, kCount) == half_ring);
    for (const char* op : {"reduce_scatter", "all_gather", "all_to_all"})
      CHECK(counted("collectives.cpu.two_shot", op, n, kCount) == half_ring);
    CHECK(counted("collectives.cpu.tree", "broadcast", n, kCount) == Most{log * buffer, log});
    CHECK(counted("collectives.cpu.naive", "broadcast", n, kCount) ==
          Most{(n - 1) * buffer, n - 1});
  }
}

TEST_CASE("more ranks than cores finish, and what they send is counted for each call alone") {
  Prepared prepared("collectives.cpu.ring", params_of("all_reduce", 8, 4096));
  REQUIRE(prepared.status.ok());
  CallTimes times;
  REQUIRE(time_ranks(prepared.launch(), 200, &times).ok());
  CHECK(times.wall_ns > 0);
  CHECK(counts_of_rank(prepared.plan.state, 3).messages == 14);
}

TEST_CASE("a link's delay and rate are the least that a call takes") {
  Params params = params_of("all_reduce", 2, 250'000);  // 1 MB
  params["delay_us"] = int64_t{2000}, params["rate_mb_s"] = int64_t{100};
  Prepared prepared("collectives.cpu.tree", params);
  REQUIRE(prepared.status.ok());
  CallTimes times;
  REQUIRE(time_ranks(prepared.launch(), 2, &times).ok());
  CHECK(times.wall_ns >=
        2 * 2 * (2e6 + 10e6));  // two calls, two steps: a lower bound by construction
}

TEST_CASE("a rank that is killed ends all of them, with a sentence that names it") {
  Prepared prepared("collectives.cpu.ring", params_of("all_reduce", 4, 1 << 20));
  REQUIRE(prepared.status.ok());
  const std::vector<pid_t> ranks = children(false);
  REQUIRE(ranks.size() == 4);
  pid_t second = 0;
  for (const pid_t pid : ranks) {
    const std::string name = comm_of(pid);
    if (name == "rank 2\n") second = pid;
  }
  REQUIRE(second > 0);
  SECTION("before a call") {
    kill(second, SIGKILL);
  }
  SECTION("in one") {
    std::thread([second] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      kill(second, SIGKILL);
    }).detach();
  }
  CallTimes times;
  Status status;
  for (int call = 0; call < 10'000 && status.ok(); ++call)
    status = time_ranks(prepared.launch(), 10, &times);
  REQUIRE_FALSE(status.ok());
  CHECK(std::string(status.what) ==
        "rank 2 of 4 was ended (SIGKILL): the others cannot finish without it, so they were ended "
        "too");
  CHECK(children(false).empty());
  for (const pid_t pid : ranks) CHECK(kill(pid, 0) != 0);
  CHECK(std::string(launch_ranks(prepared.launch()).what).find("rank 2 of 4") == 0);  // for good
}

TEST_CASE("a rank that stands still is given up after the patience that is set") {
  setenv("RIDGE_PEER_PATIENCE_S", "0.2", 1);
  {
    Prepared prepared("collectives.cpu.tree", params_of("all_reduce", 2, 1024));
    REQUIRE(prepared.status.ok());
    for (const pid_t pid : children(false)) kill(pid, SIGSTOP);
    const Status status = launch_ranks(prepared.launch());
    REQUIRE_FALSE(status.ok());
    CHECK(std::string(status.what).find("no rank has sent or read a message for 0.2 s") == 0);
    CHECK(children(false).empty());
  }
  unsetenv("RIDGE_PEER_PATIENCE_S");
}

TEST_CASE("a rung that writes outside its buffers, or sends another number of elements, is told") {
  const auto problem = problem_of("collectives", params_of("all_reduce", 2, 100));
  HostBuffers host = inputs_of(*problem, 1);
  std::vector<void*> pointers;
  for (auto& buffer : host) pointers.push_back(buffer.data());
  Plan plan;
  const auto planted = [&](void (*algorithm)(Rank&)) {
    Status status = prepare_ranks(problem->shape(), algorithm, &plan);
    if (status.ok())
      status = launch_ranks(
          {.shape = problem->shape(), .buffers = pointers.data(), .plan_state = plan.state});
    if (plan.release) plan.release(plan.state);
    plan = {};
    return std::string(status.ok() ? "" : status.what);
  };
  CHECK(planted([](Rank&) {}).empty());
  CHECK(planted([](Rank& r) { r.out[r.me == 1 ? -1 : 0] = 1; }) ==
        "a rank wrote outside the buffers of rank 1");
  CHECK(planted([](Rank& r) { r.scratch[r.count] = 1; }) ==
        "a rank wrote outside the buffers of rank 0");
  CHECK(planted([](Rank& r) {
          if (r.me == 0) r.send(1, r.in, 3);
          if (r.me == 1) r.receive(0, r.out, 4);
        }).find("rank 1 of 2 exited with code 3: ") == 0);
  const std::vector<std::byte> before = host[0];
  CHECK(planted([](Rank& r) { const_cast<float*>(r.in)[0] = 7; }).empty());
  CHECK(host[0] != before);  // which the gate looks for
}

TEST_CASE("a plan's ranks end with it, and say before what a call sends") {
  {
    Prepared prepared("collectives.cpu.tree", params_of("broadcast", 8, 1024));
    REQUIRE(prepared.status.ok());
    CHECK(std::string(prepared.plan.note) ==
          "8 processes, 3 steps, the busiest rank sends 12288 bytes");
    CHECK(children(false).size() == 8);
  }
  CHECK(children(false).empty());
}

TEST_CASE("bytes that are no fp32 elements, and too many ranks, are refused in a sentence") {
  const FamilyDesc* family = find_family("collectives");
  REQUIRE(family);
  const auto odd = resolve_params(family->params(), {{"bytes", int64_t{1026}}}, "collectives");
  REQUIRE(odd.ok());
  const auto refused = family->make_problem(*odd);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().sentence() ==
        "parameter bytes of collectives: 1026 bytes are no whole number of fp32 elements; choose a "
        "multiple of 4");
  for (const int64_t ranks : {1, 9})
    CHECK_FALSE(resolve_params(family->params(), {{"ranks", ranks}}, "collectives").ok());
}
