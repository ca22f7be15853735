// The fusion lab's CPU rungs through the real gate, and the gate's protections for these families: what a
// wrong kernel would do has to be seen.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>

#include "common/harness/kernel/registry.h"
#include "common/harness/measure/gate.h"
#include "common/harness/measure/harness.h"
#include "common/harness/measure/isa.h"
#include "common/harness/quality/quality.h"
#include "common/record/params.h"
#include "kernels/runtime/problems/rows.h"
#include "tests/catch.h"
#include "tests/family_problem.h"
#include "tests/rung_here.h"
#include "tests/skip.h"

using namespace ridge;
using namespace ridge::measure;
using namespace ridge::test;

namespace {

constexpr const char* kFamilies[] = {"rows", "copy", "transpose", "chain"};
constexpr const char* kOps[] = {"softmax", "layernorm", "rmsnorm", "gelu"};

/// What a correct rung leaves: rows.cpu.naive's own, computed here.
HostBuffers solved(const std::string& kernel, const Problem& problem, uint64_t seed) {
  HostBuffers host = inputs_of(problem, seed);
  const KernelDesc* desc = find_kernel(kernel);
  REQUIRE(desc);
  std::vector<void*> pointers;
  for (auto& buffer : host) pointers.push_back(buffer.data());
  Launch launch;
  launch.shape = problem.shape();
  launch.buffers = pointers.data();
  REQUIRE(desc->launch(launch).ok());
  return host;
}

std::vector<Params> choices_of(const std::string& family) {
  if (family != "rows") return {Params{}};
  std::vector<Params> all;
  for (const char* op : kOps) all.push_back({{"op", std::string(op)}});
  return all;
}

/// As a device launches it: its buffers begin at a cache line, which stores past the caches rely on.
void launch_aligned(const std::string& kernel, const Problem& problem, HostBuffers* host) {
  std::vector<std::unique_ptr<void, void (*)(void*)>> memory;
  std::vector<void*> pointers;
  for (const auto& buffer : *host) {
    memory.emplace_back(std::aligned_alloc(64, (buffer.size() + 63) / 64 * 64), std::free);
    pointers.push_back(memory.back().get());
    std::memcpy(pointers.back(), buffer.data(), buffer.size());
  }
  Launch launch;
  launch.shape = problem.shape();
  launch.buffers = pointers.data();
  REQUIRE(find_kernel(kernel)->launch(launch).ok());
  for (size_t i = 0; i < host->size(); ++i)
    std::memcpy((*host)[i].data(), pointers[i], (*host)[i].size());
}

}  // namespace

TEST_CASE(
    "every CPU rung of the fusion lab is right at awkward sizes, wide values and masks included") {
  int tested = 0;
  for (const KernelDesc* kernel : registered_kernels()) {
    const std::string family(family_of(kernel->id));
    const bool ours =
        std::find(std::begin(kFamilies), std::end(kFamilies), family) != std::end(kFamilies);
    if (!ours || kernel->backend != Backend::cpu) continue;
    for (Params params : choices_of(family)) {
      params["threads"] = int64_t{2};  // one more than a single core may hide
      if (!check_supported(*kernel, params, *cpu())) continue;
      INFO(kernel->id << " " << to_string(params));
      FullChecks checks;
      const auto check = checks.get(*kernel, *find_family(family), params, cpu(), Observer());
      if (!check) FAIL(check.error().sentence());
      INFO(check->what << ": " << check->reason << ", worst " << check->worst_bound_share);
      CHECK(check->passed);
      CHECK(check->checked > 10'000);
      ++tested;
    }
  }
  CHECK(tested >= (kIsX86 ? 20 : 14));  // the vector rows are of x86
}

TEST_CASE(
    "softmax: rows add up to 1, masked entries are 0, and a maximum of 1e4 does not overflow") {
  const auto problem = problem_of("rows", {{"m", int64_t{5}}, {"n", int64_t{1000}}});
  const HostBuffers host = solved("rows.cpu.naive", *problem, 2);  // even: wide and masked
  double largest = 0;
  int masked = 0;
  for (int64_t i = 0; i < 5; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < 1000; ++j) {
      const double x = quality::load(host[kRowsX].data(), i * 1000 + j, DType::fp32);
      const double y = quality::load(host[kRowsY].data(), i * 1000 + j, DType::fp32);
      sum += y;
      if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
      masked += std::isinf(x);
      if (std::isinf(x)) CHECK(y == 0);
    }
    CHECK(sum == Approx(1));
  }
  CHECK(largest > 9000);
  CHECK(masked == 1000);
  CHECK(problem->check(host, true, 2).passed);
}

TEST_CASE("one wrong element is refused, whichever operation and wherever it stands") {
  for (const char* op : kOps) {
    const auto problem =
        problem_of("rows", {{"m", int64_t{3}}, {"n", int64_t{500}}, {"op", std::string(op)}});
    const HostBuffers right = solved("rows.cpu.naive", *problem, 1);
    INFO(op);
    CHECK(problem->check(right, true, 1).passed);
    for (const int64_t at : {0, 499, 777, 1499}) {
      const double value = quality::load(right[kRowsY].data(), at, DType::fp32);
      for (const double wrong : {value + 1e-3, std::nan(""), HUGE_VAL}) {
        HostBuffers host = right;
        quality::store(host[kRowsY].data(), at, DType::fp32, wrong);
        CHECK_FALSE(problem->check(host, true, 1).passed);
        CHECK_FALSE(problem->check(host, false, 1).passed);  // three rows: all are judged
      }
    }
  }
}

TEST_CASE("an error too small for the mean is seen by the element's own limit") {
  const auto problem = problem_of("rows", {{"m", int64_t{3}}, {"n", int64_t{500}}});
  HostBuffers host = solved("rows.cpu.naive", *problem, 1);
  int64_t least = 0;
  for (int64_t i = 0; i < 1500; ++i) {
    const auto at = [&](int64_t j) { return quality::load(host[kRowsY].data(), j, DType::fp32); };
    if (at(i) < at(least)) least = i;
  }
  const double value = quality::load(host[kRowsY].data(), least, DType::fp32);
  quality::store(host[kRowsY].data(), least, DType::fp32, value * 1.001);
  const QualityCheck check = problem->check(host, true, 1);
  CHECK(check.nmse <= check.nmse_limit);
  CHECK_FALSE(check.passed);
}

TEST_CASE("moments in one pass hold where a row begins with values unlike the rest") {
  constexpr int64_t kLong = 100'000;
  const auto problem =
      problem_of("rows", {{"m", int64_t{1}}, {"n", kLong}, {"op", std::string("layernorm")}});
  for (const char* id : {"rows.cpu.avx2", "rows.cpu.avx512"}) {
    const KernelDesc* kernel = rung_here(id);
    if (!kernel || !check_supported(*kernel, {}, *cpu())) continue;
    HostBuffers host = inputs_of(*problem, 1);
    for (int64_t i = 0; i < 64; ++i) quality::store(host[kRowsX].data(), i, DType::fp32, 1e4);
    Launch launch;
    std::vector<void*> pointers;
    for (auto& buffer : host) pointers.push_back(buffer.data());
    launch.shape = problem->shape();
    launch.buffers = pointers.data();
    REQUIRE(kernel->launch(launch).ok());
    const QualityCheck check = problem->check(host, true, 1);
    INFO(id << ": " << check.reason << ", worst " << check.worst_bound_share);
    CHECK(check.passed);
  }
}

TEST_CASE("rows that stream hold where the mean is large against the deviation") {
  // A scalar row adds all elements into one sum, and its error is over the limit at this mean on any CPU.
  if (measure::usable_isa() < measure::IsaLevel::avx2) RIDGE_SKIP("no vector row here");
  const Params rows = {{"m", int64_t{33}}, {"n", int64_t{8000}}, {"op", std::string("layernorm")}};
  const Params chain = {{"height", int64_t{33}}, {"width", int64_t{8000}}, {"layers", int64_t{1}}};
  for (const char* family : {"rows", "chain"}) {
    const bool is_rows = std::string(family) == "rows";
    const auto problem = problem_of(family, is_rows ? rows : chain);
    HostBuffers host = inputs_of(*problem, 1);
    for (int64_t i = 0; i < 33 * 8000; ++i) {
      const double x = quality::load(host[kRowsX].data(), i, DType::fp32);
      quality::store(host[kRowsX].data(), i, DType::fp32, x + 50);
    }
    launch_aligned(std::string(family) + ".cpu.streamed", *problem, &host);
    const QualityCheck check = problem->check(host, true, 1);
    INFO(family << ": " << check.reason << ", worst " << check.worst_bound_share);
    CHECK(check.passed);
  }
}

TEST_CASE("a norm without its epsilon, its weight or its last element is refused") {
  const auto problem =
      problem_of("rows", {{"m", int64_t{4}}, {"n", int64_t{64}}, {"op", std::string("layernorm")}});
  const HostBuffers right = solved("rows.cpu.naive", *problem, 1);
  const auto with = [&](auto change) {
    HostBuffers host = right;
    for (int64_t i = 0; i < 4 * 64; ++i) {
      const double y = quality::load(host[kRowsY].data(), i, DType::fp32);
      quality::store(host[kRowsY].data(), i, DType::fp32, change(i, y));
    }
    return problem->check(host, true, 1).passed;
  };
  CHECK(with([](int64_t, double y) { return y; }));
  CHECK_FALSE(
      with([](int64_t, double y) { return y * (1 + 5e-6); }));  // sqrt(1 + 1e-5): no epsilon
  CHECK_FALSE(with([&](int64_t i, double y) {
    const double w = quality::load(right[kRowsWeight].data(), i % 64, DType::fp32);
    const double b = quality::load(right[kRowsBias].data(), i % 64, DType::fp32);
    return (y - b) / w + b;
  }));
  CHECK_FALSE(with([](int64_t, double y) { return y * 64.0 / 63; }));
}

TEST_CASE("the chain counts its layers, and a transpose and a copy are judged bit by bit") {
  const Params three = {{"height", int64_t{4}}, {"width", int64_t{100}}, {"layers", int64_t{3}}};
  Params two = three;
  two["layers"] = int64_t{2};
  const auto deep = problem_of("chain", three), shallow = problem_of("chain", two);
  const HostBuffers host = solved("chain.cpu.fused", *shallow, 1);
  CHECK(shallow->check(host, true, 1).passed);
  CHECK_FALSE(deep->check(host, true, 1).passed);

  const Params size = {{"m", int64_t{30}}, {"n", int64_t{20}}};
  const auto copy = problem_of("copy", size), turn = problem_of("transpose", size);
  HostBuffers turned = solved("transpose.cpu.naive", *turn, 1);
  CHECK(turn->check(turned, false, 1).passed);
  CHECK_FALSE(copy->check(turned, false, 1).passed);
  auto* y = reinterpret_cast<uint32_t*>(turned[kRowsY].data());
  y[599] ^= 1;
  const QualityCheck check = turn->check(turned, false, 1);
  CHECK_FALSE(check.passed);
  CHECK(check.reason == "1 of 600 elements are not where they belong");
}

TEST_CASE("what a call moves: each element once in and once out, and the vectors that are used") {
  const Params size = {{"m", int64_t{10}}, {"n", int64_t{8}}, {"dtype", std::string("bf16")}};
  const auto bytes = [&](const char* family, const char* op) {
    Params params = size;
    if (op) params["op"] = std::string(op);
    return problem_of(family, params)->bytes_min();
  };
  CHECK(bytes("copy", nullptr) == 2 * 80 * 2);
  CHECK(bytes("transpose", nullptr) == 2 * 80 * 2);
  CHECK(bytes("rows", "softmax") == 2 * 80 * 2);
  CHECK(bytes("rows", "rmsnorm") == 2 * (2 * 80 + 8));
  CHECK(bytes("rows", "layernorm") == 2 * (2 * 80 + 16));
  // A paired comparison with the copy runs on the same buffers only where the shapes agree.
  const auto softmax = problem_of("rows", size), copy = problem_of("copy", size);
  const Shape one = softmax->shape(), other = copy->shape();
  CHECK(std::equal(std::begin(one.dim), std::end(one.dim), std::begin(other.dim)));
  CHECK(softmax->items() == copy->items());
  CHECK(inputs_of(*softmax, 1) == inputs_of(*copy, 1));
}
