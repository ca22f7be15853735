// The attention lab: every CPU rung through the real gate, and the gate against answers planted wrong.
#include <cmath>
#include <cstring>
#include <functional>
#include <thread>

#include "common/harness/kernel/registry.h"
#include "common/harness/measure/gate.h"
#include "common/harness/measure/isa.h"
#include "common/harness/quality/quality.h"
#include "common/record/inspection.h"
#include "common/record/params.h"
#include "common/record/run.h"
#include "kernels/attention/check.h"
#include "kernels/runtime/problems/attention.h"
#include "kernels/runtime/problems/attention_scores.h"
#include "tests/catch.h"
#include "tests/program.h"

using namespace ridge;
using namespace ridge::measure;

namespace {

const FamilyDesc& family() {
  const FamilyDesc* found = find_family("attention");
  REQUIRE(found != nullptr);
  return *found;
}

Params complete(const Params& wanted) {
  const auto params = resolve_params(family().params(), wanted, "attention");
  REQUIRE(params.ok());
  return *params;
}

std::unique_ptr<Problem> problem_of(const Params& wanted) {
  auto problem = family().make_problem(complete(wanted));
  REQUIRE(problem.ok());
  return std::move(*problem);
}

/// What a planted kernel does otherwise than attention.
struct Mistake {
  bool no_maximum = false, no_rescale = false, forgets_last_key = false, sees_next_key = false,
       wrong_head = false, no_scale = false;
  std::function<float(float)> round = [](float x) { return x; };
};

float to_tf32(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, 4);
  bits = (bits + 0x1000) & ~0x1fffu;
  std::memcpy(&x, &bits, 4);
  return x;
}

/// Attention in fp32, blocks of 8 keys, with a mistake: what the gate has to see.
void attend(const Problem& problem, const Mistake& mistake, HostBuffers* host) {
  const Shape shape = problem.shape();
  void* buffers[4];
  (*host)[kAttentionO].resize(problem.buffers()[kAttentionO].bytes);
  for (size_t i = 0; i < 4; ++i) buffers[i] = (*host)[i].data();
  const Attention a = attention_of({.shape = shape, .buffers = buffers});
  const auto *q = static_cast<const float*>(a.q), *k = static_cast<const float*>(a.k),
             *v = static_cast<const float*>(a.v);
  for (int64_t i = 0; i < a.heads * a.sequence; ++i) {
    const int64_t kv = mistake.wrong_head ? 0 : i / a.sequence / a.group;
    int64_t keys = attention_keys(a, i % a.sequence);
    if (mistake.forgets_last_key && keys > 1) --keys;
    if (mistake.sees_next_key && keys < a.sequence) ++keys;
    std::vector<float> o(static_cast<size_t>(a.d), 0.0f);
    float largest = mistake.no_maximum ? 0 : -INFINITY, sum = 0;
    for (int64_t j0 = 0; j0 < keys; j0 += 8) {
      float s[8], before = largest;
      const int64_t count = std::min<int64_t>(8, keys - j0);
      for (int64_t j = 0; j < count; ++j) {
        s[j] = 0;
        for (int64_t c = 0; c < a.d; ++c) {
          s[j] += mistake.round(q[i * a.d + c]) *
                  mistake.round(k[(kv * a.sequence + j0 + j) * a.d + c]);
        }
        if (!mistake.no_scale) s[j] *= a.scale;
        if (!mistake.no_maximum) largest = std::fmax(largest, s[j]);
      }
      const float rescale = mistake.no_rescale && j0 > 0 ? 1 : std::exp(before - largest);
      sum *= rescale;
      for (float& x : o) x *= rescale;
      for (int64_t j = 0; j < count; ++j) {
        const float p = std::exp(s[j] - largest);
        sum += p;
        for (int64_t c = 0; c < a.d; ++c) {
          o[static_cast<size_t>(c)] += p * v[(kv * a.sequence + j0 + j) * a.d + c];
        }
      }
    }
    for (int64_t c = 0; c < a.d; ++c) {
      static_cast<float*>(a.o)[i * a.d + c] = o[static_cast<size_t>(c)] / sum;
    }
  }
}

QualityCheck judged(const Params& wanted, const Mistake& mistake, bool full, uint64_t seed = 3) {
  const auto problem = problem_of(wanted);
  HostBuffers host;
  problem->generate(seed, &host);
  attend(*problem, mistake, &host);
  return problem->check(host, full, seed);
}

const Params kSmall = {{"sequence", int64_t{67}}, {"heads", int64_t{4}},
                       {"heads_kv", int64_t{2}},  {"batch", int64_t{2}},
                       {"d", int64_t{40}},        {"causal", std::string("yes")}};

}  // namespace

TEST_CASE("every CPU attention rung passes the gate: head sizes, mask, threads") {
  auto device = make_cpu_device();
  REQUIRE(device.ok());
  FullChecks checks;
  int tested = 0;
  int64_t rows = 0;
  for (const Params& shape : family().awkward()) {
    rows += param_int(shape, "batch") * param_int(shape, "heads") * param_int(shape, "sequence");
  }
  for (const KernelDesc* kernel : registered_kernels()) {
    if (kernel->backend != Backend::cpu || family_of(kernel->id) != "attention") continue;
    std::string reason;
    if (!isa_available(kernel->isa, &reason)) continue;
    if (kernel->unavailable != nullptr && kernel->unavailable() != nullptr) continue;
    ++tested;
    for (const auto& [d, causal, threads] :
         {std::tuple{int64_t{64}, "no", int64_t{1}}, {40, "yes", 2}, {8, "no", 2}}) {
      if (threads > int64_t(std::thread::hardware_concurrency())) continue;
      INFO(kernel->id << ", d = " << d << ", causal " << causal);
      const Params params = {{"d", d}, {"causal", std::string(causal)}, {"threads", threads}};
      const auto check = checks.get(*kernel, family(), params, device->get(), Observer());
      if (!check) FAIL(check.error().sentence());
      INFO(check->what << ": " << check->reason);
      CHECK(check->passed);
      CHECK(check->checked == kSeeds * d * rows);  // d is the run's, not the family's default
    }
  }
  CHECK(tested >= 2);
}

/// Every CPU rung on inputs of ours, judged whole.
void check_cpu_rungs(const Problem& problem, HostBuffers host, uint64_t seed) {
  host[kAttentionO].resize(problem.buffers()[kAttentionO].bytes);
  for (const KernelDesc* kernel : registered_kernels()) {
    std::string reason;
    if (kernel->backend != Backend::cpu || family_of(kernel->id) != "attention" ||
        !isa_available(kernel->isa, &reason) ||
        (kernel->unavailable != nullptr && kernel->unavailable() != nullptr)) {
      continue;
    }
    INFO(kernel->id);
    void* buffers[4];
    for (size_t i = 0; i < 4; ++i) buffers[i] = host[i].data();
    std::memset(buffers[kAttentionO], 0xff, host[kAttentionO].size());
    Plan plan;
    if (kernel->prepare != nullptr) REQUIRE(kernel->prepare(problem.shape(), &plan).ok());
    CHECK(kernel->launch({.shape = problem.shape(), .buffers = buffers, .plan_state = plan.state})
              .ok());
    if (plan.release != nullptr) plan.release(plan.state);
    const QualityCheck check = problem.check(host, true, seed);
    INFO(check.reason);
    CHECK(check.passed);
  }
}

void multiply(std::vector<std::byte>* buffer, int64_t begin, int64_t end, double by) {
  for (int64_t e = begin; e < end; ++e) {
    quality::store(buffer->data(), e, DType::fp32,
                   by * quality::load(buffer->data(), e, DType::fp32));
  }
}

/// Later keys of 3 times the length: the last query's scores grow from 100 by more than fp32's exponent has room
/// for, again and again. What keeps an old maximum for too long overflows.
TEST_CASE("the CPU rungs follow a maximum that keeps growing") {
  const auto problem = problem_of({{"sequence", int64_t{1100}}, {"d", int64_t{64}}});
  HostBuffers host;
  problem->generate(5, &host);
  for (int64_t j = 256; j < 1100; j += 256) {
    multiply(&host[kAttentionK], j * 64, std::min(j + 256, int64_t{1100}) * 64,
             double(j / 256 * 3));
  }
  check_cpu_rungs(*problem, std::move(host), 5);
}

/// The scores are the same; what adds a query to a key, or a weight to a value, loses all that is smaller.
/// The sequence is long enough for weights that are spread over hundreds of keys.
TEST_CASE("the CPU rungs do not mind queries, keys and values of very different sizes") {
  const int64_t d = 72, count = 1500 * d;
  const auto problem = problem_of({{"sequence", int64_t{1500}}, {"d", d}});
  HostBuffers host;
  problem->generate(6, &host);
  multiply(&host[kAttentionQ], 0, count, 0x1p12);
  multiply(&host[kAttentionK], 0, count, 0x1p-12);
  multiply(&host[kAttentionV], 0, count, 0x1p15);
  check_cpu_rungs(*problem, std::move(host), 6);
}

TEST_CASE("the gate refuses attention with a mistake, whole and sampled") {
  for (const bool full : {true, false}) {
    INFO((full ? "every row" : "sampled"));
    CHECK(judged(kSmall, {}, full).passed);
    CHECK_FALSE(judged(kSmall, {.no_maximum = true}, full).passed);
    CHECK_FALSE(judged(kSmall, {.no_rescale = true}, full).passed);
    CHECK_FALSE(judged(kSmall, {.forgets_last_key = true}, full).passed);
    CHECK_FALSE(judged(kSmall, {.sees_next_key = true}, full).passed);
    CHECK_FALSE(judged(kSmall, {.wrong_head = true}, full).passed);
    CHECK_FALSE(judged(kSmall, {.no_scale = true}, full).passed);
    CHECK_FALSE(judged(kSmall, {.round = to_tf32}, full).passed);
  }
}

TEST_CASE("honest fp32 stays far below the limit, also with one key") {
  for (const int64_t sequence : {1, 2, 5, 190}) {
    const QualityCheck check =
        judged({{"sequence", sequence}, {"d", int64_t{64}}}, {}, true, uint64_t(sequence));
    INFO(sequence << ": " << check.reason);
    CHECK(check.passed);
    CHECK(check.nmse <= 0.2 * check.nmse_limit);
    CHECK(check.worst_bound_share < 0.5);
  }
}

/// Each element within its own limit, but all of them off to one side: what only the mean can say.
TEST_CASE("bf16: rounding the output passes, 2.5 units more on every element do not") {
  const Params fp32 = {{"sequence", int64_t{70}}, {"d", int64_t{64}}};
  Params bf16 = fp32;
  bf16["dtype"] = std::string("bf16");
  const auto problem = problem_of(bf16), wide = problem_of(fp32);
  HostBuffers host, inputs(4);
  problem->generate(2, &host);
  host[kAttentionO].resize(problem->buffers()[kAttentionO].bytes);
  const int64_t count = 70 * 64;
  for (size_t i = 0; i < 3; ++i) {
    inputs[i].resize(wide->buffers()[i].bytes);
    for (int64_t e = 0; e < count; ++e) {
      quality::store(inputs[i].data(), e, DType::fp32,
                     quality::load(host[i].data(), e, DType::bf16));
    }
  }
  attend(*wide, {}, &inputs);
  const auto check = [&](double factor) {
    for (int64_t e = 0; e < count; ++e) {
      const double o = quality::load(inputs[kAttentionO].data(), e, DType::fp32);
      quality::store(host[kAttentionO].data(), e, DType::bf16, o * factor);
    }
    return problem->check(host, true, 2);
  };
  CHECK(check(1).passed);
  const QualityCheck off = check(1 + 2.5 * quality::unit_roundoff(DType::bf16));
  CHECK(off.worst_bound_share < 1);
  CHECK_FALSE(off.passed);
}

TEST_CASE("sampled: a row that no sample meets is seen when it is no mean of its values") {
  const auto problem = problem_of({{"sequence", int64_t{700}}, {"d", int64_t{8}}});
  HostBuffers host;
  problem->generate(1, &host);
  attend(*problem, {}, &host);
  REQUIRE(problem->check(host, false, 1).passed);
  for (const float wrong : {99.0f, NAN, -INFINITY}) {
    int refused = 0;
    for (int64_t row = 0; row < 700; row += 7) {
      HostBuffers broken = host;
      std::memcpy(broken[kAttentionO].data() + row * 8 * 4, &wrong, 4);
      refused += !problem->check(broken, false, 1).passed;
    }
    CHECK(refused == 100);
  }
}

TEST_CASE("the awkward problems have the run's head size, and the work is counted once") {
  const auto device = make_cpu_device();
  CHECK(
      problem_of({{"sequence", int64_t{100}}, {"heads", int64_t{3}}, {"d", int64_t{64}}})->flop() ==
      4.0 * 3 * 100 * 100 * 64);
  CHECK(problem_of({{"sequence", int64_t{100}}, {"d", int64_t{64}}, {"causal", std::string("yes")}})
            ->flop() == 2.0 * 100 * 100 * 64);
  // An exponential a score, whatever the head size; the backward pass takes them again.
  const Params wanted = {{"sequence", int64_t{100}}, {"heads", int64_t{3}}, {"d", int64_t{64}}};
  CHECK(problem_of(wanted)->work().at("exp") == 3.0 * 100 * 100);
  for (const auto& [name, given, exp] :
       {std::tuple{"attention_backward", wanted, 3.0 * 100 * 100},
        {"decode", Params{{"length", int64_t{100}}, {"heads", int64_t{8}}}, 800.0}}) {
    const FamilyDesc* other = find_family(name);
    const auto params = resolve_params(other->params(), given, name);
    REQUIRE(params);
    const auto problem = other->make_problem(*params);
    REQUIRE(problem);
    CHECK((*problem)->work().at("exp") == exp);
    CHECK(std::string(other->works) == "exp");
  }
  for (const Params& shape : family().awkward()) CHECK(shape.count("d") == 0);
  const Params half = family().shrink(complete({{"sequence", int64_t{1000}}}), 0.25);
  CHECK(param_int(half, "sequence") == 500);
}

TEST_CASE("bad parameters and scores that do not fit are one sentence each") {
  const auto refused = [](const Params& wanted) {
    const auto problem = family().make_problem(complete(wanted));
    REQUIRE_FALSE(problem.ok());
    return problem.error().sentence();
  };
  CHECK(refused({{"d", int64_t{60}}}).find("d=60 is not a multiple of 8") != std::string::npos);
  CHECK(refused({{"heads", int64_t{6}}, {"heads_kv", int64_t{4}}})
            .find("heads_kv=4 does not divide heads=6") != std::string::npos);
  const KernelDesc* stored = find_kernel("attention.cpu.stored");
  REQUIRE(stored != nullptr);
  const Shape shape = problem_of({{"sequence", int64_t{1} << 20}})->shape();
  Plan plan;
  const Status status = stored->prepare(shape, &plan);
  REQUIRE_FALSE(status.ok());
  CHECK(std::string(status.what).find("the stored scores take 4096.0 GiB, and ") == 0);
  CHECK(plan.state == nullptr);
}

/// The whole way, on a machine that says it has 3 MB left: the stored scores are a sentence with both sizes, and the
/// fused rung beside them runs.
TEST_CASE("the command line says what the stored scores would take, and goes on") {
  test::Folder root;
  std::filesystem::create_directory(root.path / "proc");
  test::write_all(root / "proc/meminfo", "MemAvailable:       3000 kB\n");
  setenv("RIDGE_SYSTEM_ROOT", root.path.c_str(), 1);
  std::vector<std::string> args = {
      "run",    "attention",     "--rungs", "attention.cpu.stored,attention.cpu.online",
      "--set",  "sequence=1100", "--set",   "d=8",
      "--mode", "live",          "--out",   root / "run.jsonl"};
  const test::Outcome outcome = test::Program(test::variable("RIDGE_BIN"), args).finish();
  std::vector<std::string> pair = {"compare",     "attention",
                                   "--baseline",  "attention.cpu.online",
                                   "--candidate", "attention.cpu.stored",
                                   "--set",       "d=8",
                                   "--set",       "sequence=1100",
                                   "--limit",     "1"};
  const test::Outcome compared = test::Program(test::variable("RIDGE_BIN"), pair).finish();
  unsetenv("RIDGE_SYSTEM_ROOT");
  INFO(outcome.out << outcome.err << compared.out << compared.err);
  CHECK(outcome.code == 0);
  CHECK(outcome.out.find("skipped: ") != std::string::npos);
  CHECK(compared.code == 69);  // nothing on this machine can do that
  CHECK(compared.out.find("INVALID") == std::string::npos);
  CHECK(compared.err.find("the stored scores take 4.6 MiB") != std::string::npos);
  CHECK(outcome.out.find("the stored scores take 4.6 MiB, and 2.6 MiB are free") !=
        std::string::npos);
  const size_t online = outcome.out.find("cpu.online");
  REQUIRE(online != std::string::npos);
  CHECK(outcome.out.substr(online, outcome.out.find('\n', online) - online).find("FLOP/s") !=
        std::string::npos);
  // The chart of memory has it as a hollow point.
  const auto run = Run::load(root / "run.jsonl");
  REQUIRE(run);
  REQUIRE(run->series().size() == 2);
  const Series& stored = run->series()[0];
  CHECK(stored.memory_bytes == 4.0 * 1100 * 1100 + 4.0 * 4 * 1100 * 8);
  CHECK_FALSE(stored.stats);
}

TEST_CASE("inspect steps through a query's online softmax, and comes to what three passes give") {
  std::vector<std::string> args = {
      "inspect", "attention.cpu.online", "--set", "sequence=150", "--set", "d=8", "--input", "149"};
  const test::Outcome outcome = test::Program(test::variable("RIDGE_BIN"), args).finish();
  INFO(outcome.out << outcome.err);
  CHECK(outcome.out.find("query 149 of 150, and 150 keys in blocks of 64") != std::string::npos);
  CHECK(outcome.out.find("accumulators × 0.0000") != std::string::npos);  // nothing was before
  const size_t last = outcome.out.find("  block 2: maximum ");
  REQUIRE(last != std::string::npos);
  CHECK(outcome.out.find("  block 3: maximum ") == std::string::npos);
  const auto number_after = [&](const std::string& what, size_t from) {
    return std::stod(outcome.out.substr(outcome.out.find(what, from) + what.size()));
  };
  const size_t at_once = outcome.out.find("all keys at once");
  REQUIRE(at_once != std::string::npos);
  CHECK(number_after("maximum ", last) == number_after("maximum ", at_once));
  CHECK(number_after("sum ", last) == Approx(number_after("sum ", at_once)).epsilon(1e-4));
  CHECK(number_after("differ by ", at_once) < 1e-12);
  const InspectAsked none{.input = 150};
  const auto refused = family().inspect(complete({{"sequence", int64_t{150}}}), none);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().sentence().find("there is no query 150") != std::string::npos);
}
