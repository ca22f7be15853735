// What follows from a series and the ceilings of its machine.
#include "common/record/derive.h"

#include <limits>

#include "common/record/clocks.h"
#include "common/record/compute_unit.h"
#include "common/record/diagnosis.h"
#include "common/record/run.h"
#include "tests/catch.h"
#include "tests/program.h"

using namespace ridge;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Series measured(const std::string& kernel, int64_t threads) {
  Series series;
  series.kernel = kernel;
  series.dtype = "fp32";
  series.params = {{"threads", threads}};
  series.status = SeriesStatus::ok;
  series.stats = Stats{};
  series.stats->n = 20;
  series.stats->median_ns = 1000;
  series.stats->ci_ns = Interval{800, 1250};
  series.flop = 50000;
  series.bytes_min = 8000;
  series.checks.emplace_back().passed = true;
  return series;
}

std::vector<Ceiling> cpu_ceilings() {
  return {{"FMA fp32, 1 thread", Backend::cpu, "flop", "fp32", 1, 1e11, "FLOP/s", "measured"},
          {"FMA fp32, 2 threads", Backend::cpu, "flop", "fp32", 2, 2e11, "FLOP/s", "measured"},
          {"FMA fp64, 1 thread", Backend::cpu, "flop", "fp64", 1, 5e10, "FLOP/s", "measured"},
          {"DRAM read, 1 thread", Backend::cpu, "dram_read", "", 1, 1.6e10, "B/s", "measured"},
          {"DRAM copy", Backend::cuda, "dram_copy", "", 0, 4e12, "B/s", "measured"},
          {"FFMA", Backend::cuda, "flop", "fp32", 0, 6e13, "FLOP/s", "datasheet"}};
}

/// On a machine of which only the ceilings are known.
Derived derived_of(const Series& series, const std::vector<Ceiling>& ceilings) {
  return derive(series, ceilings, std::nullopt);
}

}  // namespace

TEST_CASE("speeds and shares follow from the median") {
  const Derived derived = derived_of(measured("gemm.cpu.a", 1), cpu_ceilings());
  CHECK(*derived.flop_per_s == Approx(5e10));
  CHECK(*derived.bytes_per_s == Approx(8e9));
  CHECK(derived.flop_per_s_ci->low == Approx(4e10));
  CHECK(derived.flop_per_s_ci->high == Approx(6.25e10));
  REQUIRE(derived.compute);
  CHECK(derived.compute->value == Approx(0.5));
  CHECK(derived.compute->name == "FMA fp32, 1 thread");
  CHECK(derived.compute->source == "derived");
  CHECK(derived.bandwidth->value == Approx(0.5));
  CHECK(derived.no_compute_reason.empty());
  CHECK(derived.no_bandwidth_reason.empty());
}

TEST_CASE("a ceiling must match backend, type and threads, and be measured") {
  const std::vector<Ceiling> ceilings = cpu_ceilings();
  CHECK(derived_of(measured("gemm.cpu.a", 2), ceilings).compute->value == Approx(0.25));
  const Derived two = derived_of(measured("gemm.cpu.a", 2), ceilings);
  CHECK(!two.bandwidth);
  CHECK(two.no_bandwidth_reason ==
        "no measured ceiling for memory bandwidth with 2 threads on cpu");
  const Derived gpu = derived_of(measured("gemm.cuda.a", 1), ceilings);
  CHECK(!gpu.compute);
  CHECK(gpu.no_compute_reason == "no measured ceiling for fp32 on cuda");
  CHECK(gpu.bandwidth->name == "DRAM copy");
  CHECK(find_ceiling(ceilings, Backend::cpu, "flop", "fp32", 4) == nullptr);
  CHECK(find_ceiling(ceilings, Backend::cpu, "flop", "bf16", 1) == nullptr);
  CHECK(find_ceiling({{"x", Backend::cpu, "flop", "fp32", 1, kNaN, "FLOP/s", "measured"}},
                     Backend::cpu, "flop", "fp32", 1) == nullptr);
}

TEST_CASE("nothing is derived from a result that may not be used") {
  const auto refused = [](const Series& series) {
    const Derived derived = derived_of(series, cpu_ceilings());
    CHECK(!derived.flop_per_s);
    CHECK(!derived.bytes_per_s);
    CHECK(!derived.compute);
    CHECK(!derived.bandwidth);
    CHECK(derived.no_compute_reason == derived.no_bandwidth_reason);
    return derived.no_compute_reason;
  };
  Series series = measured("gemm.cpu.a", 1);
  series.checks[0].passed = false;
  series.checks[0].reason = "3 elements are NaN";
  CHECK(refused(series) == "3 elements are NaN");
  series.checks.clear();
  CHECK(refused(series) == "its output was not checked");
  series = measured("gemm.cpu.a", 1);
  series.status = SeriesStatus::failed;
  series.reason = "launch failed";
  CHECK(refused(series) == "launch failed");
  series = measured("gemm.cpu.a", 1);
  series.stats->median_ns = kNaN;
  CHECK(!refused(series).empty());
  series.stats.reset();
  CHECK(!refused(series).empty());
}

TEST_CASE("a share that reads above 100 % is known as one, whether it is let pass or not") {
  const auto with_flop = [](double flop) {
    Series series = measured("gemm.cpu.a", 1);
    series.bytes_min = 0;
    series.flop = flop;  // of 1e5 in a microsecond
    return derived_of(series, cpu_ceilings());
  };
  CHECK_FALSE(is_over_ceiling(with_flop(0.99e5)));
  CHECK_FALSE(is_over_ceiling(with_flop(1.004e5)));  // it reads 100 %
  CHECK(is_over_ceiling(with_flop(1.02e5)));
  CHECK(is_over_ceiling(with_flop(2e5)));
}

TEST_CASE("a share well above the ceiling is not shown as one") {
  Series series = measured("gemm.cpu.a", 1);
  series.bytes_min = 80000;  // 5 times what DRAM reads
  const Derived derived = derived_of(series, cpu_ceilings());
  CHECK(derived.bytes_per_s);
  CHECK(!derived.bandwidth);
  CHECK(derived.no_bandwidth_reason.find("cache") != std::string::npos);
}

TEST_CASE(
    "bytes that no cache holds and that pass DRAM put its ceiling in doubt, and no cause is "
    "named") {
  Series series = measured("gemv.cpu.a", 1);
  series.bytes_min = 20000;  // 1.25 times what DRAM reads
  series.cache = CacheMode::hot, series.kind = RungKind::kernel;
  Environment machine;
  machine.cpu.l3_bytes = 32 << 20;
  const auto derived = [&](double memory_bytes) {
    series.memory_bytes = memory_bytes;
    return derive(series, cpu_ceilings(), machine);
  };
  CHECK_FALSE(derived(16 << 20).above_bandwidth);
  CHECK_FALSE(is_over_ceiling(derived(16 << 20)));
  CHECK_FALSE(derived(64 << 20).above_bandwidth);  // a half of it may stay in the cache
  CHECK(derived(129 << 20).above_bandwidth);
  const Derived above = derived(512 << 20);
  CHECK(above.above_bandwidth);
  CHECK(is_over_ceiling(above));
  CHECK(above.no_bandwidth_reason ==
        "above the measured ceiling DRAM read, 1 thread, 16.0 GB/s, and the last cache holds only "
        "32.0 MiB of its 512 MiB: the ceiling should be measured again");
  const auto found = diagnose(series, cpu_ceilings(), machine);
  REQUIRE(found);
  CHECK(found->bottleneck == Bottleneck::not_sure);
  CHECK(found->reason == above.no_bandwidth_reason);
  // Nor is it far below each ceiling where that one is in doubt.
  std::vector<Ceiling> doubted = cpu_ceilings();
  doubted[3].doubt = "others used the CPU";
  series.flop = 5000;  // far below the unit's
  const auto open = diagnose(series, doubted, machine);
  REQUIRE(open);
  CHECK(open->reason == "the ceiling DRAM read, 1 thread is in doubt: others used the CPU");
  series.bytes_min = 2000;  // far from memory, however much it is in doubt
  CHECK(diagnose(series, doubted, machine)->reason.rfind("it is far below each ceiling", 0) == 0);
}

TEST_CASE(
    "what writes as much as it reads is held against copying, what mostly reads against reading") {
  Series series = measured("rows.cpu.a", 1);
  std::vector<Ceiling> ceilings = cpu_ceilings();
  ceilings.push_back(
      {"DRAM copy, 1 thread", Backend::cpu, "dram_copy", "", 1, 1e10, "B/s", "measured"});
  series.bytes_written = 4000;
  CHECK(derived_of(series, ceilings).bandwidth->value == Approx(0.8));
  CHECK(derived_of(series, ceilings).bandwidth->name == "DRAM copy, 1 thread");
  series.bytes_written = 8000.0 / 3;  // a square product
  CHECK(derived_of(series, ceilings).bandwidth->name == "DRAM read, 1 thread");
  series.bytes_written = 0;  // not known: a recording from before
  CHECK(derived_of(series, ceilings).bandwidth->name == "DRAM read, 1 thread");
  ceilings.pop_back();
  series.bytes_written = 4000;  // where copying was not measured, reading stands in
  CHECK(derived_of(series, ceilings).bandwidth->name == "DRAM read, 1 thread");
}

TEST_CASE("no share is made of a ceiling in doubt, and the reason is said") {
  std::vector<Ceiling> ceilings = cpu_ceilings();
  ceilings[0].doubt = "100 GFLOP/s cannot be right";
  ceilings[3].doubt = "16 GB/s cannot be right";
  const Derived derived = derived_of(measured("gemm.cpu.a", 1), ceilings);
  CHECK(derived.flop_per_s);
  CHECK_FALSE(derived.compute);
  CHECK_FALSE(derived.bandwidth);
  CHECK_FALSE(derived.above_compute);
  CHECK(derived.no_compute_reason ==
        "the ceiling FMA fp32, 1 thread is in doubt: 100 GFLOP/s cannot be right");
  CHECK(derived.no_bandwidth_reason.find("16 GB/s cannot be right") != std::string::npos);
  CHECK(find_ceiling(ceilings, Backend::cpu, "flop", "fp32", 1) == nullptr);
  CHECK(find_ceiling(ceilings, Backend::cpu, "flop", "fp32", 2));
}

TEST_CASE("a share of a ceiling says at which clocks both ran, where both are recorded") {
  Series product = measured("gemm.cuda.a", 1);
  product.flop = 4e7, product.bytes_min = 1.6e5;
  std::vector<Ceiling> ceilings = {
      {"FFMA fp32", Backend::cuda, "flop", "fp32", 0, 6.5e13, "FLOP/s", "measured"},
      {"DRAM read", Backend::cuda, "dram_read", "", 0, 4.5e12, "B/s", "measured"}};
  CHECK(clocks_text(*derived_of(product, ceilings).compute).empty());
  product.sm_clock_hz = 1.62e9;
  CHECK(clocks_text(*derived_of(product, ceilings).compute).empty());
  for (Ceiling& one : ceilings) one.sm_clock_hz = 1.755e9;
  const Derived derived = derived_of(product, ceilings);
  CHECK(clocks_text(*derived.compute) == " at 1620 MHz, the ceiling at 1755 MHz");
  CHECK(clocks_text(*derived.bandwidth).empty());  // memory has a clock of its own
  CHECK(ceiling_source(ceilings[0]) == "measured, at 1755 MHz");
  const auto diagnosis = diagnose(product, ceilings, std::nullopt);
  REQUIRE(diagnosis);
  CHECK(evidence_text(*diagnosis, 1) == "61.5 % of FFMA fp32 at 1620 MHz, the ceiling at 1755 MHz");
}

TEST_CASE("DRAM is no stand-in for the ceiling that was not measured") {
  // A third of the Tensor Cores' tf32 binds 3xTF32; FFMA is a ceiling of other units.
  Series product = measured("gemm.cuda.tf32x3", 1);
  product.flop = 1.1e8;
  product.bytes_min = 1.6e5;
  std::vector<Ceiling> ceilings = {
      {"FFMA fp32", Backend::cuda, "flop", "fp32", 0, 6.5e13, "FLOP/s", "measured"},
      {"DRAM read", Backend::cuda, "dram_read", "", 0, 4.5e12, "B/s", "measured"}};
  const Derived open = derived_of(product, ceilings);
  CHECK(open.bandwidth->value == Approx(0.0356).epsilon(0.01));
  CHECK(nearest_ceiling(open) == nullptr);
  CHECK(no_ceiling_reason(open) == "no measured ceiling for its unit, tf32 on cuda");
  ceilings.push_back(
      {"tensor tf32", Backend::cuda, "flop", "tf32", 0, 4.8e14, "FLOP/s", "measured"});
  CHECK(nearest_ceiling_text(derived_of(product, ceilings)) == "68.7 %");
  // So few FLOP for its bytes that no unit is slower than DRAM: that binds.
  product.kernel = "gemv.cuda.a";
  product.dtype = "bf16";
  product.flop = 1.6e5;
  CHECK(nearest_ceiling_text(derived_of(product, ceilings)) == "3.56 % of DRAM read");
  // What ranks send each other goes over links.
  product.kernel = "collectives.cuda.ring";
  product.flop = 0;
  const Derived sent = derived_of(product, ceilings);
  CHECK(sent.bytes_per_s);
  CHECK(nearest_ceiling(sent) == nullptr);
  CHECK(no_ceiling_reason(sent) == "no measured ceiling for the links between its ranks");
}

TEST_CASE("the ceiling that a rung comes nearest to is named where it is not that of compute") {
  Series series = measured("gemv.cpu.a", 1);
  series.flop = 5000;
  const Derived product = derived_of(series, cpu_ceilings());
  REQUIRE(nearest_ceiling(product));
  CHECK(nearest_ceiling(product)->name == "DRAM read, 1 thread");
  CHECK(nearest_ceiling_text(product) == "50.0 % of DRAM read");
  series.flop = 80000;
  CHECK(nearest_ceiling_text(derived_of(series, cpu_ceilings())) == "80.0 %");
  CHECK_FALSE(product.is_compute_doubted);
  // Hot data that fit into a GPU's L2 come from there: of DRAM's rate they would take a large share.
  const std::vector<Ceiling> gpu = {
      {"tensor int8", Backend::cuda, "flop", "int8", 0, 1.9e15, "FLOP/s", "measured"},
      {"L2 read", Backend::cuda, "l2_read", "", 0, 1.2e13, "B/s", "measured"},
      {"DRAM copy", Backend::cuda, "dram_copy", "", 0, 4e12, "B/s", "measured"}};
  Environment machine;
  machine.gpus.emplace_back().l2_bytes = 60 << 20;
  series.kernel = "gemm.cuda.a", series.dtype = "int8";
  series.flop = 3.8e8, series.bytes_min = 1.2e6, series.memory_bytes = 1.2e6;
  series.cache = CacheMode::hot;
  CHECK(nearest_ceiling_text(derive(series, gpu, machine)) == "20.0 %");
  CHECK(derive(series, gpu, machine).bandwidth->name == "L2 read");
  series.cache = CacheMode::cold;
  CHECK(nearest_ceiling_text(derive(series, gpu, machine)) == "30.0 % of DRAM copy");
  CHECK(nearest_ceiling(derived_of(series, {})) == nullptr);
  CHECK(nearest_ceiling_text(derived_of(series, {})).empty());
}

TEST_CASE("fp32 made of three TF32 products has a third of the Tensor Cores' ceiling, or none") {
  std::vector<Ceiling> ceilings = {
      {"FFMA fp32", Backend::cuda, "flop", "fp32", 0, 6e13, "FLOP/s", "measured"}};
  Series series = measured("gemm.cuda.tf32x3", 1);
  series.flop = 1e8;  // 100 TFLOP/s: over what FFMA allows
  const Derived without = derived_of(series, ceilings);
  CHECK_FALSE(without.compute);
  CHECK_FALSE(without.above_compute);
  CHECK(without.no_compute_reason == "no measured ceiling for its unit, tf32 on cuda");
  CHECK_FALSE(flop_ceiling(ceilings, series));
  ceilings.push_back(
      {"tensor tf32", Backend::cuda, "flop", "tf32", 0, 4.8e14, "FLOP/s", "measured"});
  for (const char* kernel : {"gemm.cuda.tf32x3", "gemm.cuda.tf32x3_edit"}) {
    series.kernel = kernel;
    const Derived derived = derived_of(series, ceilings);
    REQUIRE(derived.compute);
    CHECK(derived.compute->name == "tensor tf32 / 3");
    CHECK(derived.compute->value == Approx(100.0 / 160));
    CHECK(flop_ceiling(ceilings, series)->value == Approx(1.6e14));
  }
  CHECK(flop_ceiling(ceilings, measured("gemm.cuda.naive", 1))->name == "FFMA fp32");
}

TEST_CASE("exponentials are held against a ceiling of their own, beside FLOP") {
  Series series = measured("attention.cpu.a", 1);
  series.work = {{"exp", 5000}};
  std::vector<Ceiling> ceilings = cpu_ceilings();
  const Derived without = derived_of(series, ceilings);
  REQUIRE(without.rate_of("exp"));
  CHECK(without.rate_of("exp")->per_s == Approx(5e9));
  CHECK(!without.rate_of("exp")->share);
  CHECK(without.rate_of("exp")->no_share_reason ==
        "no measured ceiling for exponentials with 1 thread on cpu");
  CHECK(exponentials_text(without) == "5.00 Gexp/s");

  ceilings.push_back(
      {"exponentials, 1 thread", Backend::cpu, "exp", "fp32", 1, 6e9, "exp/s", "measured"});
  const Derived with = derived_of(series, ceilings);
  REQUIRE(with.rate_of("exp")->share);
  CHECK(with.rate_of("exp")->share->value == Approx(5.0 / 6));
  CHECK(with.rate_of("exp")->per_s_ci->low == Approx(4e9));
  CHECK(with.compute->value == Approx(0.5));  // of FLOP, as before
  CHECK(exponentials_text(with) == "5.00 Gexp/s, 83.3 %");
  CHECK(!derived_of(measured("gemm.cpu.a", 1), ceilings).rate_of("exp"));

  series.dtype = "bf16";  // exponentials are taken in fp32, whatever the operands
  CHECK(derived_of(series, ceilings).rate_of("exp")->share);
}

TEST_CASE("where power held the clock down, it is named before the unit that binds") {
  const auto run =
      Run::load(test::variable("RIDGE_SOURCE") + "/assets/recorded/gemm.h200.bf16_4096.jsonl");
  REQUIRE(run);
  int held = 0;
  for (const Series& series : run->series()) {
    const auto diagnosis = diagnose(series, *run);
    if (!diagnosis || diagnosis->held_down.empty()) continue;
    ++held;
    INFO(series.kernel);
    CHECK(*series.sm_clock_hz < 1980e6);
    CHECK(series.kernel !=
          "gemm.cuda.wmma");  // it draws half as much, and shares the others' clock
    CHECK(bottleneck_text(*diagnosis).starts_with("power, then "));
    CHECK(diagnosis->held_down.find(" of 1980 MHz (power cap)") != std::string::npos);
    CHECK(open_sentences(*diagnosis)
              .starts_with("Power limits it first: its clock was held down to "));
    CHECK(lever_of(*diagnosis, Backend::cuda).starts_with("less energy"));
  }
  CHECK(held > 0);
  // Without that evidence nothing is said of power, and of Tensor Cores in use none are recommended.
  for (const Series& series : run->series()) {
    auto diagnosis = diagnose(series, run->ceilings(), run->environment());
    if (!diagnosis || diagnosis->bottleneck != Bottleneck::compute) continue;
    CHECK(bottleneck_text(*diagnosis) == "compute");
    CHECK(lever_of(*diagnosis, Backend::cuda).starts_with("a narrower type"));
  }
}
