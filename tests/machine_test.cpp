// This machine: its CPU as a device, its environment, its ceilings.
#include <algorithm>
#include <string>

#include "common/harness/measure/ceilings.h"
#include "common/harness/measure/environment.h"
#include "common/harness/measure/isa.h"
#include "tests/toy_family.h"

namespace ridge {
namespace {

TEST_CASE("the CPU device: samples of 200 us, hot and cold told apart") {
  auto cpu = measure::make_cpu_device();
  REQUIRE(cpu);
  const FamilyDesc* family = find_family("toy");
  auto instance = measure::make_instance(*family, kParams, 1, **cpu);
  REQUIRE(instance);
  auto rung = measure::make_ready(kGood, cpu->get(), *instance);
  REQUIRE(rung);
  auto hot = (*cpu)->make_side(kGood, rung->launch(), measure::Cache::hot, 1000);
  CHECK((*hot)->calls == 200);
  auto cold = (*cpu)->make_side(kGood, rung->launch(), measure::Cache::cold, 1000);
  CHECK((*cold)->calls == 10);
  measure::Side* sides[] = {hot->get(), cold->get()};
  const uint8_t order[] = {0, 1, 0};
  calls = 0;
  const auto samples = (*cpu)->time(sides, order);
  REQUIRE(samples);
  REQUIRE(samples->size() == 3);
  CHECK(samples->at(1).calls == 10);
  CHECK(samples->at(0).cpu_ns > 0);
  CHECK(calls >= 410);  // more where a sample was taken again

  measure::Bench bench;
  Listener listener;
  measure::Options options = live();
  options.cache = measure::Cache::cold;
  const auto series =
      measure::measure_kernel(&bench, cpu->get(), kGood, kParams, options, 0, &listener);
  REQUIRE(series);
  CHECK(series->cache == CacheMode::cold);
}

TEST_CASE("the environment names this machine, and a debug build is not quiet") {
  Environment environment = measure::read_environment();
  CHECK_FALSE(environment.cpu.model.empty());
  CHECK(environment.cpu.cores >= 1);
  CHECK(environment.cpu.memory_bytes > 0);
  CHECK(environment.time_utc.size() == 20);
  CHECK((environment.gpus.empty() == !environment.no_gpu_reason.empty()));
  environment.build_type = "Debug";
  environment.power_source = "battery";
  environment.cpu.governor = "powersave";
  const QuietState state = measure::judge_quiet(environment, 1.5, {"2 other processes on the GPU"});
  CHECK_FALSE(state.quiet);
  for (const char* reason : {"debug build", "on battery", "governor powersave",
                             "other processes use 1.5", "2 other processes on the GPU"}) {
    const bool said = std::any_of(state.reasons.begin(), state.reasons.end(), [&](const auto& r) {
      return r.find(reason) != std::string::npos;
    });
    INFO(reason);
    CHECK(said);
  }
}

TEST_CASE("every ceiling's probe passes its gate, and one that skips work does not") {
  auto cpu = measure::make_cpu_device();
  const FamilyDesc* family = find_family("probe");
  REQUIRE(family);
  for (const measure::CeilingRow& row : measure::ceiling_rows()) {
    if (row.backend != Backend::cpu) continue;
    for (const auto& choice : row.choices) {
      const KernelDesc* probe = find_kernel(choice.kernel);
      INFO(choice.kernel);
      if (!probe) {  // of another architecture: it is never compiled here
        const std::string name = choice.kernel;
        std::string reason;
        CHECK_FALSE(measure::isa_available(name.substr(name.rfind('_') + 1), &reason));
        continue;
      }
      if (!measure::check_supported(*probe, {}, **cpu)) continue;
      for (const int threads : {1, 2}) {
        const std::string dtype = row.dtype;
        const Params given = {{"what", std::string(choice.what)},
                              {"dtype", dtype.empty() ? "fp32" : dtype},
                              {"n", int64_t{1024}},
                              {"threads", int64_t{threads}}};
        const auto full = resolve_params(family->params(), given, "probe");
        REQUIRE(full);
        auto instance = measure::make_instance(*family, *full, 1, **cpu);
        REQUIRE(instance);
        auto rung = measure::make_ready(*probe, cpu->get(), *instance);
        REQUIRE(rung);
        const auto check = measure::check_rung(&*rung, true, "probe");
        REQUIRE(check);
        INFO(check->reason);
        CHECK(check->passed);
        // A hundredth of the passes fewer must show.
        if (std::string(choice.what) == "read") continue;
        if (dtype != "fp32" && dtype != "bf16") {  // exact: any bit must show
          rung->instance->host.back()[0] ^= std::byte{1};
          CHECK_FALSE(rung->instance->problem->check(rung->instance->host, true, 1).passed);
          continue;
        }
        auto& out = rung->instance->host.back();
        for (int64_t i = 0; i < int64_t(out.size() / sizeof(float)); ++i) {
          quality::store(out.data(), i, DType::fp32,
                         0.99 * quality::load(out.data(), i, DType::fp32));
        }
        CHECK_FALSE(rung->instance->problem->check(rung->instance->host, true, 1).passed);
      }
    }
  }
}

}  // namespace
}  // namespace ridge
