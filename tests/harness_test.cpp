// Live and measure modes: how much is sampled, when it stops, what is skipped or run smaller.
#include "common/harness/measure/harness.h"

#include <algorithm>

#include "common/harness/measure/estimate.h"
#include "common/harness/measure/isa.h"
#include "common/harness/measure/machine.h"
#include "common/harness/measure/outcome.h"
#include "tests/program.h"
#include "tests/toy_family.h"

namespace ridge {
namespace {

TEST_CASE("live mode: two checks, at most 50 samples, 59 latencies, blocks announced") {
  FakeDevice device;
  measure::Bench bench;
  Listener listener;
  const auto series =
      measure::measure_kernel(&bench, &device, kGood, kParams, live(), 3, &listener);
  REQUIRE(series);
  CHECK(series->status == SeriesStatus::ok);
  CHECK(series->index == 3);
  CHECK(series->samples.size() == 50);
  CHECK(listener.call_samples == 50);
  CHECK(series->latency_samples.size() == 59);
  CHECK(series->latency->p95_ns);
  CHECK_FALSE(series->latency->p99_ns);
  CHECK(contains(series->unavailable.at("p99_ns"), "needs 299"));
  CHECK(listener.checks.size() == 2);
  CHECK(series->quality_passed());
  CHECK(listener.announced >= device.blocks);
  CHECK(listener.phases ==
        std::vector<std::string>{"prepare", "check", "warmup", "timing", "latency"});
}

TEST_CASE("measure mode stops when the interval is narrow, and checks the awkward shapes first") {
  FakeDevice device;
  measure::Bench bench;
  Listener listener;
  const auto series =
      measure::measure_kernel(&bench, &device, kGood, kParams, thorough(), 0, &listener);
  REQUIRE(series);
  CHECK(series->status == SeriesStatus::ok);
  CHECK(series->samples.size() == 20);  // 0.01 % of noise: the first look is enough
  CHECK(series->latency_samples.size() == 300);
  CHECK(series->latency->p99_ns);
  REQUIRE(listener.checks.size() == 3);
  CHECK(contains(listener.checks[0].what, "6 awkward problems"));
}

TEST_CASE("measure mode goes on while the interval is wide, then says noisy") {
  FakeDevice device;
  device.noise = 0.5;
  measure::Bench bench;
  Listener listener;
  measure::Options options = thorough();
  options.limit_s = 0.1;
  const auto series =
      measure::measure_kernel(&bench, &device, kGood, kParams, options, 0, &listener);
  REQUIRE(series);
  CHECK(series->samples.size() > 20);
  const auto& flags = series->stats->flags;
  CHECK(std::find(flags.begin(), flags.end(), "noisy") != flags.end());
}

TEST_CASE("measure mode stops at 1 % on a CPU, and not before") {
  FakeDevice device;
  device.noise = 0.03;  // of 20 samples, 1.5 %
  measure::Bench bench;
  Listener listener;
  const auto series =
      measure::measure_kernel(&bench, &device, kGood, kParams, thorough(), 0, &listener);
  REQUIRE(series);
  CHECK(series->samples.size() > 20);
  CHECK(series->samples.size() < 1000);
  const auto& flags = series->stats->flags;
  CHECK(std::find(flags.begin(), flags.end(), "noisy") == flags.end());
}

/// Cancelled from the n-th time that it is asked on.
class Impatient : public Listener {
 public:
  explicit Impatient(int answers) : answers_(answers) {}
  bool cancelled() const override { return --answers_ < 0; }

 private:
  mutable int answers_;
};

TEST_CASE("a cancel is heard between any two steps of the preparation, and before the last check") {
  struct Uploads : FakeDevice {
    int uploads = 0;
    Result<void> upload(void* to, const void* from, size_t bytes) override {
      ++uploads;
      return FakeDevice::upload(to, from, bytes);
    }
  } device;
  measure::Bench bench;
  Listener all;
  REQUIRE(measure::measure_kernel(&bench, &device, kGood, kParams, live(), 0, &all));
  const auto cancelled_after = [&](int answers) {
    device.uploads = calls = 0;
    Impatient listener(answers);
    const auto series =
        measure::measure_kernel(&bench, &device, kGood, kParams, live(), 0, &listener);
    REQUIRE(series);
    CHECK(series->status == SeriesStatus::cancelled);
  };
  cancelled_after(1);  // its estimate is known: the inputs are there
  CHECK(device.uploads == 0);
  cancelled_after(2);  // they were uploaded
  CHECK(device.uploads > 0);
  CHECK(calls == 0);
  struct Late : Listener {
    bool cancelled() const override { return latency_samples >= 59; }
  } late;
  const auto series = measure::measure_kernel(&bench, &device, kGood, kParams, live(), 0, &late);
  REQUIRE(series);
  CHECK(series->status == SeriesStatus::cancelled);
  CHECK(late.checks.size() == 1);
}

/// What had happened when the first timed block was announced.
class FirstBlock : public Listener {
 public:
  int calls_before = -1;
  double warmup_s = 0, began_s = 0;
  void phase(int series, const measure::Phase& p) override {
    if (p.phase == "warmup") began_s = measure::now_s();
    Listener::phase(series, p);
  }
  void announce(int series) override {
    if (calls_before < 0) {
      calls_before = calls;
      warmup_s = measure::now_s() - began_s;
    }
    Listener::announce(series);
  }
};

TEST_CASE("nothing is timed before it is warm") {
  FakeDevice device;
  measure::Bench bench;
  FirstBlock first;
  calls = 0;
  REQUIRE(measure::measure_kernel(&bench, &device, kGood, kParams, live(), 0, &first));
  CHECK(first.calls_before == 3);  // a check and two to warm up
  FirstBlock patient;
  measure::Options options = thorough();
  options.warmup_s = 0.05;
  REQUIRE(measure::measure_kernel(&bench, &device, kGood, kParams, options, 0, &patient));
  CHECK(patient.warmup_s >= 0.05);
}

TEST_CASE("others' load counts from a tenth of a core; a GPU kernel runs where it can") {
  CHECK_FALSE(measure::is_contended(0, Backend::cpu));
  CHECK(measure::is_contended(1e4, Backend::cpu));
  CHECK(measure::is_contended(1e4, Backend::cuda));
  CHECK_FALSE(measure::is_contended(0.1, Backend::cuda));
  std::string reason;
  CHECK(measure::capability_suffices(80, false, "GPU", 90, &reason));
  CHECK(measure::capability_suffices(90, true, "GPU", 90, &reason));
  CHECK_FALSE(measure::capability_suffices(90, true, "GPU", 100, &reason));
  CHECK(contains(reason, "no later"));
  CHECK_FALSE(measure::capability_suffices(90, false, "GPU", 80, &reason));
}

TEST_CASE("cancel acts between blocks and keeps the samples") {
  FakeDevice device;
  device.noise = 0.5;
  measure::Bench bench;
  Listener listener;
  listener.cancel_after = 20;
  const auto series =
      measure::measure_kernel(&bench, &device, kGood, kParams, thorough(), 0, &listener);
  REQUIRE(series);
  CHECK(series->status == SeriesStatus::cancelled);
  CHECK(series->samples.size() == 20);
  CHECK(series->stats);
  CHECK(series->latency_samples.empty());
}

TEST_CASE("a rung whose call would pass 5 s is run smaller, and says from what") {
  FakeDevice device;
  device.call_ns[&kGood] = 10e9;  // of any size, the shrunk one too
  device.noise = 0;
  const FamilyDesc* family = find_family("toy");
  const Params big = {{"n", int64_t{1000}}, {"twin", int64_t{1000}}};
  const auto estimate = measure::estimate_call(kGood, *family, big, &device, true);
  REQUIRE(estimate);
  CHECK(estimate->reduced_from == "n=1000");  // twin only follows n
  CHECK(param_int(estimate->params, "n") < 1000);
  CHECK(estimate->call_ns <= measure::kLongestCallNs);
  // A twin of its own is named, also where only n shrinks.
  const Params other = {{"n", int64_t{1000}}, {"twin", int64_t{900}}};
  const auto named = measure::estimate_call(kGood, *family, other, &device, true);
  REQUIRE(named);
  CHECK(named->reduced_from == "n=1000 twin=900");
  device.call_ns[&kGood] = 1e6;
  const auto quick = measure::estimate_call(kGood, *family, big, &device, true);
  CHECK(quick->reduced_from.empty());
  CHECK(quick->params == big);
}

TEST_CASE("a kernel for another instruction set or type is skipped, with the reason") {
  KernelDesc desc = kGood;
  desc.dtypes = "bf16 fp16";
  Params fp32 = kParams;
  fp32["dtype"] = std::string("fp32");
  FakeDevice device;
  const auto refused = measure::check_supported(desc, fp32, device);
  REQUIRE_FALSE(refused);
  CHECK(contains(refused.error().sentence(), "computes bf16 fp16, not fp32"));
  // A family without types to choose among: the kernel's own.
  CHECK(measure::check_supported(desc, kParams, device));
  CHECK(measure::dtype_of(desc, kParams) == "bf16");

  setenv("RIDGE_MAX_ISA", "portable", 1);
  std::string reason;
  CHECK_FALSE(measure::isa_available("avx512f", &reason));
  CHECK(contains(reason, "needs avx512f"));
  CHECK(measure::isa_available("", &reason));
  CHECK(measure::read_cpu().isa == "portable");
  CHECK_FALSE(measure::isa_available("neon", &reason));
  CHECK_FALSE(measure::isa_available("wasm128", &reason));
  unsetenv("RIDGE_MAX_ISA");
  // No CPU has the instruction sets of two architectures, however wide its own are.
  const bool has_neon = measure::cpu_isa() == measure::IsaLevel::neon;
  CHECK(measure::isa_available("neon", &reason) == has_neon);
  CHECK((has_neon || contains(reason, "needs neon")));
  CHECK_FALSE(measure::isa_available("wasm128", &reason));
  CHECK(contains(reason, "needs wasm128"));
  CHECK_FALSE((has_neon && measure::isa_available("avx2", &reason)));
}

TEST_CASE("a CPU is called by its name, or by its numbers where the kernel knows no name") {
  const test::Folder folder;
  const std::string file = folder / "cpuinfo";
  const auto model = [&](const char* text) {
    test::write_all(file, text);
    return measure::cpu_model(file);
  };
  CHECK(model("processor\t: 0\nmodel name\t: Test CPU 9\n") == "Test CPU 9");
  CHECK(model("processor\t: 0\nCPU part\t: 0xd0c\nModel\t\t: Test Board\n") == "Test Board");
  CHECK(model("processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n") ==
        "CPU of implementer 0x41, part 0xd0c");
  CHECK(model("processor\t: 0\n").empty());
}

TEST_CASE("a kernel that refuses the problem is skipped; one whose call fails has failed") {
  const Series refused = run_live(picky());
  CHECK(refused.status == SeriesStatus::skipped);
  CHECK(refused.reason == "toy.cpu.picky: takes even sizes only");
  CHECK(refused.checks.empty());
  CHECK(run_live(kernel("toy.cpu.refuses", refuses)).status == SeriesStatus::failed);
}

TEST_CASE("memory that is not there is refused before anything is allocated") {
  FakeDevice device;
  FamilyDesc family = *find_family("toy");
  family.make_problem = [](const Params&) -> Result<std::unique_ptr<Problem>> {
    return std::unique_ptr<Problem>(new Doubling(int64_t{1} << 50));
  };
  const auto instance = measure::make_instance(family, kParams, 1, device);
  REQUIRE_FALSE(instance);
  CHECK(instance.error().code == ErrorCode::unavailable);
  CHECK(contains(instance.error().sentence(), "may be used"));
}

}  // namespace
}  // namespace ridge
