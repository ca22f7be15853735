// The perceptrons of the score card: training, int8 and the two rungs, and the probes of the ceilings that
// they and the look-up tables are held against.
#include <algorithm>
#include <tuple>

#include "common/harness/kernel/registry.h"
#include "common/harness/measure/ceilings.h"
#include "common/harness/measure/gate.h"
#include "common/record/derive.h"
#include "common/record/params.h"
#include "kernels/mlp/network.h"
#include "tests/catch.h"
#include "tests/rung_here.h"

using namespace ridge;

namespace {

const Garments& small_set() {
  static const Garments set = synthetic_garments(1024, 300, 3);
  return set;
}

int predict_fp32(const mlp::Perceptron& network, const uint8_t* pixels) {
  double scores[kMlpOut];
  mlp::scores_of(network, pixels, scores);
  return static_cast<int>(std::max_element(scores, scores + kMlpOut) - scores);
}

}  // namespace

TEST_CASE("the perceptron learns, and its int8 form agrees with it nearly always") {
  const auto network = mlp::train({.epochs = 6, .seed = 1}, small_set().train, 1, nullptr);
  REQUIRE(network != nullptr);
  const ImageSet& test = small_set().test;
  int right = 0, right_int8 = 0, same = 0;
  for (int64_t i = 0; i < test.count(); ++i) {
    const int fp32 = predict_fp32(*network, test.image(i));
    const int int8 = mlp::predict_int8(*network, test.image(i));
    right += fp32 == test.labels[static_cast<size_t>(i)];
    right_int8 += int8 == test.labels[static_cast<size_t>(i)];
    same += fp32 == int8;
  }
  CHECK(right > 0.8 * double(test.count()));
  CHECK(right_int8 > 0.8 * double(test.count()));
  CHECK(same > 0.97 * double(test.count()));
  CHECK(mlp::train({.epochs = 6, .seed = 1}, small_set().train, 1, nullptr)->w1 == network->w1);
}

TEST_CASE("cancelled, there is no perceptron") {
  const FamilyProgress stop = [](const std::string&, double) { return false; };
  CHECK(mlp::train({.epochs = 1, .seed = 1}, small_set().train, 1, &stop) == nullptr);
}

TEST_CASE("the perceptron rungs predict as the definition does, whatever the number of images") {
  const auto device = measure::make_cpu_device();
  REQUIRE(device);
  measure::FullChecks checks;
  for (const char* id :
       {"mlp.cpu.sgemm", "mlp.cpu.bf16_avx2", "mlp.cpu.int8_avx2", "mlp.cpu.vnni"}) {
    const KernelDesc* kernel = test::rung_here(id);
    if (kernel == nullptr) continue;
    const Params params = {{"dtype", std::string(kernel->dtypes)}};
    const auto check =
        checks.get(*kernel, *find_family("mlp"), params, device->get(), measure::Observer());
    if (!check) FAIL(check.error().sentence());
    INFO(id << ": " << check->what << ": " << check->reason);
    CHECK(check->passed);
    CHECK(check->checked > 2000);
  }
}

TEST_CASE("probes of logic, int8 and L2 do all of their steps, and one step less is refused") {
  const auto device = measure::make_cpu_device();
  REQUIRE(device);
  const FamilyDesc* family = find_family("probe");
  for (const auto& [id, what, dtype] : {std::tuple{"probe.cpu.dot_int8", "dot", "int8"},
                                        std::tuple{"probe.cpu.logic_avx512", "logic", "bits"},
                                        std::tuple{"probe.cpu.l2_read", "l2", "fp32"}}) {
    INFO(id);
    const KernelDesc* kernel = test::rung_here(id);
    if (kernel == nullptr) continue;
    const auto problem_of = [&](int64_t n) {
      const Params given = {{"what", std::string(what)}, {"dtype", std::string(dtype)}, {"n", n}};
      const auto params = resolve_params(family->params(), given, "probe");
      REQUIRE(params);
      auto problem = family->make_problem(*params);
      REQUIRE(problem);
      return std::move(*problem);
    };
    const auto problem = problem_of(9), other = problem_of(8);
    HostBuffers host;
    for (const BufferSpec& spec : problem->buffers()) host.emplace_back(spec.bytes + 64);
    for (size_t i = 0; i < host.size(); ++i) host[i].resize(problem->buffers()[i].bytes);
    problem->generate(1, &host);
    std::vector<void*> buffers;
    for (auto& buffer : host) buffers.push_back(buffer.data());
    REQUIRE(kernel->launch({.shape = problem->shape(), .buffers = buffers.data()}).ok());
    CHECK(problem->check(host, true, 1).passed);
    CHECK_FALSE(other->check(host, true, 1).passed);  // a pass more than that problem asks
  }
}

TEST_CASE("logic instructions and L2 bytes give shares where their ceilings were measured") {
  Series series;
  series.kernel = "weightless.cpu.generated", series.dtype = "bits";
  series.status = SeriesStatus::ok;
  series.work = {{"logic", 5e8}, {"l2_read", 1e9}}, series.bytes_min = 1e6;
  series.stats = Stats{};
  series.stats->median_ns = 1e9;
  QualityCheck check;
  check.passed = true;
  series.checks = {check};
  Ceiling logic{.name = "three-input logic, 1 thread",
                .backend = Backend::cpu,
                .resource = "logic",
                .dtype = "bits",
                .threads = 1,
                .value = 1e9,
                .unit = "1/s",
                .source = "measured"};
  Ceiling l2 = logic;
  l2.name = "L2 read, 1 thread", l2.resource = "l2_read", l2.dtype = "", l2.value = 4e9;
  const Derived both = derive(series, {logic, l2}, {});
  REQUIRE(both.compute);
  CHECK(both.compute->value == Approx(0.5));
  CHECK_FALSE(both.flop_per_s);
  REQUIRE(both.bandwidth);
  CHECK(both.bandwidth->name == "L2 read, 1 thread");
  CHECK(both.bandwidth->value == Approx(0.25));
  CHECK_FALSE(derive(series, {l2}, {}).compute);
}
