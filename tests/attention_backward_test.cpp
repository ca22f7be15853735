// The gradients of attention: every CPU rung through the real gate, the reference against differences of the
// forward pass, and the gate against gradients planted wrong.
#include <cmath>
#include <functional>
#include <thread>

#include "common/harness/kernel/registry.h"
#include "common/harness/measure/gate.h"
#include "common/harness/measure/isa.h"
#include "common/harness/quality/quality.h"
#include "common/record/params.h"
#include "kernels/attention_backward/backward.h"
#include "tests/catch.h"

using namespace ridge;
using namespace ridge::measure;

namespace {

const FamilyDesc& family() {
  const FamilyDesc* found = find_family("attention_backward");
  REQUIRE(found != nullptr);
  return *found;
}

std::unique_ptr<Problem> problem_of(const Params& wanted) {
  const auto params = resolve_params(family().params(), wanted, "attention_backward");
  REQUIRE(params.ok());
  auto problem = family().make_problem(*params);
  REQUIRE(problem.ok());
  return std::move(*problem);
}

/// A posed problem in fp32, and its gradients by the definition's rung.
struct Solved {
  explicit Solved(const Params& wanted, uint64_t seed = 3) : problem(problem_of(wanted)) {
    problem->generate(seed, &host);
    for (auto& buffer : host) buffers.push_back(buffer.data());
    const KernelDesc* stored = find_kernel("attention_backward.cpu.stored");
    REQUIRE(stored != nullptr);
    Plan plan;
    REQUIRE(stored->prepare(problem->shape(), &plan).ok());
    Launch launch;
    launch.shape = problem->shape();
    launch.buffers = buffers.data();
    launch.plan_state = plan.state;
    REQUIRE(stored->launch(launch).ok());
    plan.release(plan.state);
  }
  float* at(int buffer) { return reinterpret_cast<float*>(host[size_t(buffer)].data()); }
  size_t count(int buffer) const { return host[size_t(buffer)].size() / sizeof(float); }
  bool passes(bool full) const { return problem->check(host, full, 3).passed; }

  std::unique_ptr<Problem> problem;
  HostBuffers host;
  std::vector<void*> buffers;
};

const Params kSmall = {{"sequence", int64_t{37}}, {"heads", int64_t{4}},
                       {"heads_kv", int64_t{2}},  {"batch", int64_t{2}},
                       {"d", int64_t{24}},        {"causal", std::string("yes")}};

/// The sum of dO * O in double, of attention by its definition: what the gradients are the gradients of.
double loss(const Attention& a, const float* d_o) {
  const auto *q = static_cast<const float*>(a.q), *k = static_cast<const float*>(a.k),
             *v = static_cast<const float*>(a.v);
  double loss = 0;
  for (int64_t row = 0; row < a.heads * a.sequence; ++row) {
    const int64_t kv = row / a.sequence / a.group * a.sequence * a.d;
    const int64_t keys = attention_keys(a, row % a.sequence);
    double sum = 0, weighted = 0;
    for (int64_t j = 0; j < keys; ++j) {
      double score = 0, dp = 0;
      for (int64_t c = 0; c < a.d; ++c) {
        score += double(q[row * a.d + c]) * k[kv + j * a.d + c];
        dp += double(d_o[row * a.d + c]) * v[kv + j * a.d + c];
      }
      const double p = std::exp(score / std::sqrt(double(a.d)));
      sum += p;
      weighted += p * dp;
    }
    loss += weighted / sum;
  }
  return loss;
}

}  // namespace

TEST_CASE("every CPU backward rung passes the gate: head sizes, mask, threads") {
  auto device = make_cpu_device();
  REQUIRE(device.ok());
  FullChecks checks;
  int tested = 0;
  for (const KernelDesc* kernel : registered_kernels()) {
    if (kernel->backend != Backend::cpu || family_of(kernel->id) != "attention_backward") continue;
    std::string reason;
    if (!isa_available(kernel->isa, &reason)) continue;
    ++tested;
    for (const auto& [d, causal, threads] :
         {std::tuple{int64_t{64}, "no", int64_t{1}}, {40, "yes", 2}}) {
      if (threads > int64_t(std::thread::hardware_concurrency())) continue;
      INFO(kernel->id << ", d = " << d << ", causal " << causal);
      const Params params = {{"d", d}, {"causal", std::string(causal)}, {"threads", threads}};
      const auto check = checks.get(*kernel, family(), params, device->get(), Observer());
      if (!check) FAIL(check.error().sentence());
      INFO(check->what << ": " << check->reason);
      CHECK(check->passed);
    }
  }
  CHECK(tested >= 2);
}

/// The reference accepts what is checked here against nothing but the forward pass.
TEST_CASE("the gradients are those of the sum of dO * O, by central differences") {
  Solved solved({{"sequence", int64_t{9}},
                 {"heads", int64_t{2}},
                 {"heads_kv", int64_t{1}},
                 {"d", int64_t{8}},
                 {"causal", std::string("yes")}});
  REQUIRE(solved.passes(true));
  const Attention a =
      attention_of({.shape = solved.problem->shape(), .buffers = solved.buffers.data()});
  for (const auto& [input, gradient] : {std::pair{int(kAttentionQ), int(kBackwardDQ)},
                                        {int(kAttentionK), int(kBackwardDK)},
                                        {int(kAttentionV), int(kBackwardDV)}}) {
    for (size_t e = 0; e < solved.count(input); ++e) {
      float& x = solved.at(input)[e];
      const float before = x, step = 1.0f / 1024;
      x = before + step;
      const double above = loss(a, solved.at(kBackwardDO)), high = x;
      x = before - step;
      const double below = loss(a, solved.at(kBackwardDO)), low = x;
      x = before;
      INFO("buffer " << input << ", element " << e);
      // Beside the loud query (32 times as large) the third derivative shows.
      CHECK(std::abs((above - below) / (high - low) - double(solved.at(gradient)[e])) <
            2e-2 * (1 + std::abs(double(solved.at(gradient)[e]))));
    }
  }
}

TEST_CASE("the gate refuses gradients with a mistake, whole and sampled") {
  for (const bool full : {true, false}) {
    INFO((full ? "every row" : "sampled"));
    CHECK(Solved(kSmall).passes(full));
    for (const int buffer : {int(kBackwardDQ), int(kBackwardDK), int(kBackwardDV)}) {
      const auto refused = [&](const std::function<float(float, size_t)>& change) {
        Solved solved(kSmall);
        for (size_t e = 0; e < solved.count(buffer); ++e) {
          solved.at(buffer)[e] = change(solved.at(buffer)[e], e);
        }
        return !solved.passes(full);
      };
      INFO("buffer " << buffer);
      CHECK(refused([](float x, size_t) { return x * 4.899f; }));  // 1 / sqrt(d) forgotten
      CHECK(refused([](float, size_t) { return 0.0f; }));
      CHECK(refused([](float x, size_t e) { return e == 7 ? NAN : x; }));
      CHECK(refused([](float x, size_t) { return x * (1 + 0x1p-10f); }));
    }
    Solved other(kSmall);  // dO of another pass
    for (size_t e = 0; e < other.count(kBackwardDO); ++e) other.at(kBackwardDO)[e] *= -1;
    CHECK_FALSE(other.passes(full));
  }
}

TEST_CASE("dS without D, and a head that is not shared, are refused") {
  for (const bool shared : {true, false}) {
    Solved solved(kSmall);
    if (shared) {  // O of zeros: D is 0, as if it were left out
      std::fill_n(solved.at(kAttentionO), solved.count(kAttentionO), 0.0f);
    } else {  // the second head of each group left out
      const size_t size = 37 * 24;
      for (size_t e = 0; e < solved.count(kBackwardDO); ++e) {
        if (e / size % 2) solved.at(kBackwardDO)[e] = 0;
      }
    }
    CHECK_FALSE(solved.passes(true));
  }
}

TEST_CASE("the work is two and a half times the forward pass's, with its parameters") {
  const Params shape = {{"sequence", int64_t{100}}, {"heads", int64_t{3}}, {"d", int64_t{64}}};
  CHECK(problem_of(shape)->flop() == 10.0 * 3 * 100 * 100 * 64);
  CHECK(problem_of(shape)->buffers().size() == kBackwardBuffers);
  const auto refused =
      resolve_params(family().params(), {{"dtype", std::string("fp8")}}, "attention_backward");
  CHECK_FALSE(refused.ok());
}
