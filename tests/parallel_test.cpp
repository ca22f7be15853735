// Parallel training: every rung comes to the parameters of one process, for every number of ranks; memory by its use and
// bytes sent are what is known of each way. Nothing here is timed.
#include <dirent.h>

#include <cstring>
#include <string>
#include <vector>

#include "common/harness/kernel/registry.h"
#include "common/harness/measure/gate.h"
#include "common/harness/measure/harness.h"
#include "kernels/parallel/parallel.h"
#include "tests/catch.h"
#include "tests/family_problem.h"

using namespace ridge;
using namespace ridge::measure;
using namespace ridge::parallel;
using namespace ridge::test;

namespace {

constexpr double kNumber = sizeof(float);

Params params_of(int64_t ranks, int64_t width, int64_t layers, int64_t batch, int64_t parts) {
  return {{"ranks", ranks},         {"width", width},         {"layers", layers},
          {"batch", batch},         {"parts", parts},         {"mflop_s", int64_t{0}},
          {"delay_us", int64_t{0}}, {"rate_mb_s", int64_t{0}}};
}

std::vector<const KernelDesc*> rungs() {
  std::vector<const KernelDesc*> all;
  for (const KernelDesc* kernel : registered_kernels())
    if (family_of(kernel->id) == "parallel") all.push_back(kernel);
  return all;
}

/// Ranks that wait for steps of a problem of their own.
class Prepared {
 public:
  Prepared(const KernelDesc& kernel, const Params& params)
      : problem(problem_of("parallel", params)), kernel_(kernel) {
    status = kernel.prepare(problem->shape(), &plan);
    host = inputs_of(*problem, 1);
    for (auto& buffer : host) pointers_.push_back(buffer.data());
  }
  ~Prepared() {
    if (plan.release) plan.release(plan.state);
  }
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  Launch launch() const { return {problem->shape(), pointers_.data(), nullptr, plan.state}; }
  Status step() const { return kernel_.launch(launch()); }
  std::string verdict() const {
    const Status done = step();
    if (!done.ok()) return done.what;
    return problem->check(host, true, 1).reason;
  }
  RankFacts fullest() const {
    RankFacts most;
    for (int rank = 0; rank < problem->shape().dim[kParallelRanks]; ++rank) {
      const RankFacts one = facts_of_rank(plan.state, rank);
      if (one.bytes_in_all() > most.bytes_in_all()) most = one;
    }
    return most;
  }
  double of(Use use) const { return fullest().bytes[int(use)]; }

  std::unique_ptr<Problem> problem;
  Plan plan;
  Status status;
  HostBuffers host;

 private:
  const KernelDesc& kernel_;
  std::vector<void*> pointers_;
};

const KernelDesc& rung(const std::string& name) {
  const KernelDesc* found = find_kernel("parallel.cpu." + name);
  REQUIRE(found);
  return *found;
}

}  // namespace

TEST_CASE("every rung makes the step of one process, for every number of ranks") {
  REQUIRE(rungs().size() >= 11);
  int refused = 0, made = 0;
  for (const KernelDesc* kernel : rungs()) {
    for (const int64_t ranks : {2, 3, 4, 8}) {
      for (const Params& params :
           {params_of(ranks, 1, 8, 3, 1), params_of(ranks, 5, 3, 2, 4),
            params_of(ranks, 37, 8, 13, 5), params_of(ranks, 64, 8, 32, 8),
            params_of(ranks, 24, 16, 48, 12), params_of(ranks, 16, 16, 16, 16)}) {
        INFO(kernel->id << " " << to_string(params));
        const Prepared prepared(*kernel, params);
        refused += prepared.status.refused;
        if (prepared.status.refused) continue;
        REQUIRE(prepared.status.ok());
        CHECK(prepared.verdict() == "");
        CHECK(prepared.verdict() == "");  // again, from the same inputs
        ++made;
      }
    }
  }
  CHECK(made > 9 * refused);
}

TEST_CASE("every rung passes the gate's awkward problems, with other seeds") {
  FullChecks checks;
  const Observer silent;
  for (const KernelDesc* kernel : rungs()) {
    for (const int64_t ranks : {3, 4}) {
      INFO(kernel->id << " " << ranks);
      const auto check = checks.get(*kernel, *find_family("parallel"),
                                    {{"ranks", ranks}, {"parts", ranks}}, cpu(), silent);
      REQUIRE(check.ok());
      INFO(check->what << ": " << check->reason);
      CHECK(check->passed);
    }
  }
}

TEST_CASE("a step whose size is wrong does not pass") {
  const Prepared prepared(rung("one"), params_of(2, 16, 2, 8, 1));
  REQUIRE(prepared.step().ok());
  HostBuffers host = prepared.host;
  constexpr int kNewW = 5;
  auto* w = reinterpret_cast<float*>(host[kNewW].data());
  const auto* before = reinterpret_cast<const float*>(host[0].data());
  for (int i = 0; i < 2 * 16 * 16; ++i) w[i] = before[i] + 1.01f * (w[i] - before[i]);
  CHECK(prepared.problem->check(host, true, 1).reason.find("the step of the parameters") == 0);
}

TEST_CASE("a step goes on from the step before") {
  for (const KernelDesc* kernel : rungs()) {
    INFO(kernel->id);
    const Prepared prepared(*kernel, params_of(4, 32, 8, 16, 4));
    REQUIRE(prepared.step().ok());
    CallTimes times;
    REQUIRE(kernel->time_calls(prepared.launch(), 3, &times).ok());
    CHECK(times.wall_ns > 0);
    CHECK(prepared.verdict() == "");
  }
}

TEST_CASE("what a rung cannot share out it refuses in a sentence") {
  const auto why = [](const char* name, const Params& params) {
    const Prepared prepared(rung(name), params);
    CHECK(prepared.status.refused);
    return std::string(prepared.status.what);
  };
  CHECK(why("tensor", params_of(2, 8, 3, 4, 1)) == "takes layers in pairs");
  CHECK(why("interleaved", params_of(2, 8, 4, 4, 4)) ==
        "takes 3 ranks at least: with 2, both directions share a link");
  CHECK(why("interleaved", params_of(4, 8, 8, 6, 6)) == "takes parts in multiples of the ranks");
}

TEST_CASE("a rank holds what its way of sharing out says") {
  constexpr int64_t kRanks = 4, kWidth = 64, kLayers = 8, kBatch = 32;
  const Params params = params_of(kRanks, kWidth, kLayers, kBatch, 4);
  const double layer = kNumber * kWidth * kWidth, all = kLayers * layer;
  const auto uses = [&](const char* name) {
    const Prepared prepared(rung(name), params);
    REQUIRE(prepared.step().ok());
    const RankFacts most = prepared.fullest();
    INFO(name);
    return std::vector<double>(most.bytes, most.bytes + kUses - 1);
  };
  using Uses = std::vector<double>;  // parameters, gradients, optimizer, gathered
  CHECK(uses("one") == Uses{all, all, 2 * all, 0});
  CHECK(uses("data_layers") == Uses{all, all, 2 * all, 0});
  CHECK(uses("data_bucket") == Uses{all, all, 2 * all, 0});
  CHECK(uses("data_overlapped") == Uses{all, all, 2 * all, 0});
  CHECK(uses("zero_1") == Uses{all, all, 2 * all / kRanks, 0});
  CHECK(uses("gpipe") == Uses{all / kRanks, all / kRanks, 2 * all / kRanks, 0});
  const Uses zero_2 = uses("zero_2"), zero_3 = uses("zero_3"), tensor = uses("tensor");
  CHECK(zero_2[0] == all);
  CHECK(zero_2[1] <= all / kRanks + layer + layer / kRanks);
  CHECK(zero_2[2] == 2 * all / kRanks);
  CHECK(zero_3[0] == all / kRanks);
  CHECK(zero_3[1] <= layer);
  CHECK(zero_3[2] == 2 * all / kRanks);
  CHECK(zero_3[3] <= layer);
  CHECK(tensor[0] == all / kRanks);
  CHECK(tensor[2] == 2 * all / kRanks);
}

TEST_CASE("ZeRO's third stage holds parts, a gathered layer, its gradient and the outputs") {
  constexpr int64_t kRanks = 4, kWidth = 128, kLayers = 8, kBatch = 64;
  const Prepared prepared(rung("zero_3"), params_of(kRanks, kWidth, kLayers, kBatch, 1));
  REQUIRE(prepared.step().ok());
  const double layer = kNumber * kWidth * kWidth, output = kNumber * kBatch / kRanks * kWidth;
  // On the way back at the last layer: all outputs but the first, which is the batch itself, and two gradients of outputs.
  const double expected =
      4 * kLayers * layer / kRanks - kLayers * layer / kRanks + 2 * layer + (kLayers + 1) * output;
  CHECK(prepared.fullest().bytes_in_all() == Approx(expected).epsilon(0.05));
}

TEST_CASE(
    "one forward, one backward keeps the outputs of as many parts as there are ranks behind") {
  const Params params = params_of(4, 32, 8, 64, 16);
  const Prepared all(rung("gpipe"), params), few(rung("one_f_one_b"), params);
  REQUIRE(all.step().ok());
  REQUIRE(few.step().ok());
  const auto outputs = [](const Prepared& prepared, int rank) {
    return facts_of_rank(prepared.plan.state, rank).bytes[int(Use::activations)];
  };
  CHECK(outputs(few, 3) < 0.15 * outputs(all, 3));
  CHECK(outputs(few, 1) < 0.3 * outputs(all, 1));
}

TEST_CASE("ranks send what each way is known to send") {
  constexpr int64_t kRanks = 4, kWidth = 64, kLayers = 8, kBatch = 32, kParts = 8;
  const Params params = params_of(kRanks, kWidth, kLayers, kBatch, kParts);
  const int64_t all = 4 * kLayers * kWidth * kWidth, outputs = 4 * kBatch * kWidth;
  const auto sent = [&](const char* name, int rank) {
    const Prepared prepared(rung(name), params);
    REQUIRE(prepared.step().ok());
    return messages_of_rank(prepared.plan.state, rank);
  };
  const int64_t round = kRanks - 1;
  CHECK(sent("one", 0).bytes_sent == 0);
  for (const char* name : {"data_layers", "data_bucket", "data_overlapped", "zero_1", "zero_2"}) {
    INFO(name);
    CHECK(sent(name, 1).bytes_sent == 2 * round * all / kRanks);
  }
  CHECK(sent("zero_3", 1).bytes_sent == 3 * round * all / kRanks);
  CHECK(sent("data_layers", 1).messages == kLayers * 2 * round);
  CHECK(sent("data_bucket", 1).messages == 2 * round);
  CHECK(sent("tensor", 1).bytes_sent == kLayers * 2 * round * outputs / kRanks);
  for (const char* name : {"gpipe", "one_f_one_b"}) {
    INFO(name);
    CHECK(sent(name, 1).messages == 2 * kParts);
    CHECK(sent(name, 1).bytes_sent == 2 * outputs);
    CHECK(sent(name, 0).bytes_sent == outputs);
  }
}

TEST_CASE("a gradient that misses a rank's rows, or is summed twice, does not pass") {
  const Prepared prepared(rung("data_bucket"), params_of(4, 32, 4, 16, 1));
  REQUIRE(prepared.step().ok());
  HostBuffers host = prepared.host;
  constexpr int kNewM = 6, kLoss = 8;
  auto* m = reinterpret_cast<float*>(host[kNewM].data());
  const auto* before = reinterpret_cast<const float*>(host[1].data());
  for (int i = 0; i < 4 * 32 * 32; ++i) m[i] = 0.9f * before[i] + 0.75f * (m[i] - 0.9f * before[i]);
  CHECK(prepared.problem->check(host, true, 1).reason.find("the mean of gradients") == 0);
  host = prepared.host;
  reinterpret_cast<float*>(host[kLoss].data())[0] *= 1.001f;
  CHECK(prepared.problem->check(host, true, 1).reason.find("the loss") == 0);
}

TEST_CASE("ranks whose copies of a parameter differ are told") {
  const auto problem = problem_of("parallel", params_of(2, 8, 2, 4, 1));
  const TrainingRung alone = {.holding = holds_all, .step = [](TrainingRank& r) {
                                // Each its own gradient: no sum over the ranks.
                                Pass pass = r.begin(chunk_of(r.shape.batch, r.shape.ranks, r.me));
                                for (int64_t l = 0; l < 2; ++l) r.forward(&pass, l, r.layers[l].w);
                                r.judge(&pass);
                                for (int64_t l = 2; l-- > 0;) {
                                  float* g = r.take_gradient(64);
                                  r.backward(&pass, l, r.layers[l].w, g);
                                  r.update(l, r.layers[l].w, g);
                                  r.give(g);
                                }
                                r.end(&pass);
                              }};
  Plan plan;
  REQUIRE(prepare_training(problem->shape(), alone, &plan).ok());
  HostBuffers host = inputs_of(*problem, 1);
  std::vector<void*> pointers;
  for (auto& buffer : host) pointers.push_back(buffer.data());
  const Status status = launch_training({problem->shape(), pointers.data(), nullptr, plan.state});
  REQUIRE_FALSE(status.ok());
  CHECK(std::string(status.what) == "ranks 0 and 1 hold different numbers of layer 0");
  plan.release(plan.state);
}

TEST_CASE("a rank that takes more memory than there is ends the step in a sentence") {
  const auto problem = problem_of("parallel", params_of(2, 8, 2, 4, 1));
  const TrainingRung greedy = {.holding = holds_all, .step = [](TrainingRank& r) {
                                 for (int i = 0; i < 1000 && r.me == 1; ++i)
                                   r.take(Use::activations, 1000);
                               }};
  Plan plan;
  const Status status = prepare_training(problem->shape(), greedy, &plan);
  REQUIRE_FALSE(status.ok());
  CHECK(std::string(status.what).find("rank 1 of 2 ") == 0);
}

TEST_CASE("a rank that writes over the batch is told") {
  const auto problem = problem_of("parallel", params_of(2, 8, 2, 4, 1));
  const TrainingRung careless = {.holding = holds_all, .step = [](TrainingRank& r) {
                                   if (r.me == 1) r.begin({0, 1}).outputs[0][3] += 1;
                                 }};
  Plan plan;
  REQUIRE(prepare_training(problem->shape(), careless, &plan).ok());
  HostBuffers host = inputs_of(*problem, 1);
  std::vector<void*> pointers;
  for (auto& buffer : host) pointers.push_back(buffer.data());
  const Status status = launch_training({problem->shape(), pointers.data(), nullptr, plan.state});
  REQUIRE_FALSE(status.ok());
  CHECK(std::string(status.what) == "rank 1 changed its inputs");
  plan.release(plan.state);
}
