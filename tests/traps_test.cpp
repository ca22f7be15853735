// The Traps lab: each trap biases its figure in the direction its lesson says, and the guard that it
// names catches it. Where time itself would decide, the clock is made up (a device that charges for
// first touches, cold caches, work and readings of the clock), so that a busy machine changes nothing.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#include "common/harness/kernel/registry.h"
#include "common/harness/measure/harness.h"
#include "common/record/json.h"
#include "common/record/run.h"
#include "common/record/trap.h"
#include "tests/catch.h"
#include "tests/made_up_clock.h"
#include "tests/steady_meter.h"

#include <nlohmann/json.hpp>

using namespace ridge;
using test::MadeUpClock, test::Sprung;

namespace {

Sprung spring(const std::string& name, measure::Device* device) {
  return test::spring_trap("traps.cpu." + name, device);
}

/// A kernel's own work, counted by how the time of a real call on this machine relates to another's,
/// would flake; CPU time of this thread does not see other processes.
std::unique_ptr<measure::Device> real_cpu() {
  auto device = measure::make_cpu_device();
  REQUIRE(device);
  return *std::move(device);
}

}  // namespace

TEST_CASE("no warm-up: the first call on fresh memory reads high, the touched one does not") {
  MadeUpClock device;
  device.first_touch_ns = 4000;
  const Sprung sprung = spring("no_warm_up", &device);
  CHECK(sprung.trap().factor == Approx(5).margin(1e-6));
  CHECK(sprung.trap().bias == "high");
}

TEST_CASE("hot called cold reads low; asked for cold, the harness names its result so") {
  MadeUpClock device;
  device.cold_ns = 3000;
  const Sprung sprung = spring("hot_called_cold", &device);
  CHECK(sprung.trap().factor == Approx(0.25).margin(1e-6));
  CHECK(sprung.trap().bias == "low");
  CHECK(sprung.trap().guard_says.find("named cold") != std::string::npos);
}

TEST_CASE("where a trap biases nothing, it says so and its guard claims no catch") {
  MadeUpClock device;  // first calls and cold caches cost nothing here
  const Series series = test::measured("traps.cpu.hot_called_cold", &device);
  REQUIRE(series.trap);
  CHECK(series.trap->bias == "none");
  CHECK(bias_text(*series.trap) == "no bias on this machine");
  CHECK_FALSE(series.trap->caught);
}

TEST_CASE("below the timer's resolution: the clock's own time is in the figure") {
  MadeUpClock device;
  device.cost_ns = [](const measure::Side&) { return 20.0; };
  device.clock_ns = 40;
  device.sample_calls = 10000;
  const Sprung sprung = spring("below_timer_resolution", &device);
  CHECK(sprung.trap().factor == Approx(3).margin(1e-6));
  CHECK(sprung.trap().bias == "high");
  CHECK(sprung.trap().guard_says.find("10000 calls") != std::string::npos);
}

TEST_CASE("a sample that comes out shorter than the harness wants is taken again with more calls") {
  const auto device = real_cpu();
  KernelDesc quick;
  quick.id = "toy.cpu.quick";
  quick.launch = [](const Launch&) { return Status{}; };
  // An estimate a thousand times too long promises 200 us from a few calls.
  const auto side = device->make_side(quick, Launch{}, measure::Cache::hot, 100e3);
  REQUIRE(side);
  measure::Side* sides[] = {side->get()};
  const uint8_t order[] = {0, 0};
  const auto samples = device->time(sides, order);
  REQUIRE(samples);
  CHECK(samples->back().t_ns * double(samples->back().calls) >= 100e3);
  CHECK(samples->back().calls > 2);
}

TEST_CASE("the mean of a skewed sample reads high, and outliers are tagged") {
  MadeUpClock device;
  int64_t turn = 0;
  device.cost_ns = [&](const measure::Side&) { return turn++ % 12 == 5 ? 60e3 : 1e3 + turn % 3; };
  const Sprung sprung = spring("mean_of_skewed", &device);
  CHECK(sprung.trap().factor > 5);
  CHECK(sprung.trap().bias == "high");
  CHECK(sprung.trap().guard_says.find("5 of 60 calls are tagged") != std::string::npos);
}

TEST_CASE("the best of N reads low and falls with N") {
  MadeUpClock device;
  int64_t turn = 0;
  device.cost_ns = [&](const measure::Side&) { return 1e3 * double(1 + (turn++ * 7) % 16); };
  const Sprung sprung = spring("best_of_n", &device);
  CHECK(sprung.trap().lie.median == Approx(1e-6));
  CHECK(sprung.trap().factor < 0.2);
  CHECK(sprung.trap().bias == "low");
}

TEST_CASE("A, then B under drift calls equal kernels different; palindromes say same") {
  MadeUpClock device;
  device.drift_a_slot = 0.004;
  const Sprung sprung = spring("a_then_b", &device);
  // 24 slots apart: exp(-24 * 0.004).
  CHECK(sprung.trap().lie.median == Approx(std::exp(-0.096)).margin(1e-3));
  CHECK(sprung.trap().honest.median == Approx(1).margin(1e-6));
  CHECK(sprung.trap().bias == "low");
  CHECK(sprung.trap().guard_says.find("says same") != std::string::npos);
}

TEST_CASE("zeros as data: the victim that looks at them does next to nothing") {
  const auto device = real_cpu();  // 60 000 row updates against none
  const Sprung sprung = spring("zeros_as_data", device.get());
  CHECK(sprung.trap().factor < 0.5);
  CHECK(sprung.trap().guard_says.find("0 of the harness's") == 0);
}

TEST_CASE("output never read: the compiler removed the work, and the gate finds the poison") {
  const auto device = real_cpu();  // 2 million multiply-adds against an empty function
  const Sprung sprung = spring("output_never_read", device.get());
  CHECK(sprung.trap().factor < 0.01);
  CHECK(sprung.trap().bias == "low");
  CHECK(sprung.trap().guard_says.find("16384 elements of the output were never written") !=
        std::string::npos);
}

TEST_CASE("reused output passes a check without poison and no other") {
  const auto device = real_cpu();
  const Sprung sprung = spring("reused_output", device.get());
  CHECK(sprung.trap().factor < 0.01);
  CHECK(sprung.trap().guard_says.find("a check without poison passes it; the gate refuses it") ==
        0);
}

TEST_CASE("the compiler did it: flags make the speed-up, and make another rung") {
  MadeUpClock device;
  device.cost_ns = [](const measure::Side& side) {
    return std::string(side.kernel->id) == "traps.cpu.matrix300_o1" ? 20e6 : 5e6;
  };
  const Sprung sprung = spring("the_compiler_did_it", &device);
  CHECK(sprung.trap().lie.median == Approx(4));
  CHECK(sprung.trap().honest.median == Approx(1));
  CHECK(sprung.trap().guard_says.find("-O1 has the hash") != std::string::npos);
}

TEST_CASE("not the best peer: only pairs that settle it name the peer") {
  const TrapDesc* desc = find_trap("traps.cpu.not_the_best_peer");
  REQUIRE(desc != nullptr);
  const auto said = [&](std::function<double()> onednn_ns) {
    MadeUpClock device;
    device.cost_ns = [&](const measure::Side& side) {
      return std::string(side.kernel->id) == "gemm.cpu.onednn" ? onednn_ns() : 1000.0;
    };
    measure::Observer nobody;
    const auto series =
        measure::measure_trap(*desc, {}, &device, {.mode = measure::Mode::live}, 0, &nobody);
    REQUIRE(series);
    if (series->status == SeriesStatus::skipped) return std::string();  // a library is missing here
    REQUIRE(series->trap);
    return series->trap->guard_says;
  };
  const std::string settled = said([] { return 500.0; });
  if (settled.empty()) return;
  CHECK(settled.find("so it is the peer") != std::string::npos);
  CHECK(said([] { return 1005.0; }).find("either may be the peer") != std::string::npos);
  int calls = 0;  // now twice as fast, now half as fast
  const std::string open = said([&] { return ++calls / 4 % 2 ? 500.0 : 2000.0; });
  INFO(open);
  CHECK(open.find("does not settle the peer") != std::string::npos);
}

TEST_CASE("a trap's joules are those of one call of its victim, in mode measure") {
  struct Metered : MadeUpClock {
    int64_t repeated = 0;
    Result<std::unique_ptr<measure::EnergyMeter>> energy_meter() override {
      return std::unique_ptr<measure::EnergyMeter>(new test::SteadyMeter(true, 0.01));
    }
    Result<void> repeat(const measure::Side& side, int64_t calls) override {
      CHECK(std::string(side.kernel->id).rfind("gemm.", 0) == 0);
      repeated += calls;
      std::this_thread::sleep_for(std::chrono::milliseconds(calls));
      return {};
    }
  };
  const TrapDesc* desc = find_trap("traps.cpu.below_timer_resolution");
  REQUIRE(desc != nullptr);
  measure::Observer nobody;
  const auto of_mode = [&](measure::Mode mode, Metered* device) {
    return measure::measure_trap(*desc, {}, device, {.mode = mode, .limit_s = 0.5}, 0, &nobody);
  };
  Metered measured, live;
  const auto series = of_mode(measure::Mode::measure, &measured);
  REQUIRE(series);
  REQUIRE(series->trap);
  REQUIRE(series->energy_j);
  CHECK(*series->energy_j == Approx(0.050).epsilon(0.2));
  CHECK(measured.repeated > 100);
  CHECK(series->unavailable.count("energy_j") == 0);

  const auto quick = of_mode(measure::Mode::live, &live);
  REQUIRE(quick);
  CHECK_FALSE(quick->energy_j);
  CHECK(live.repeated == 0);
  CHECK_FALSE(quick->unavailable.at("energy_j").empty());
}

TEST_CASE("a victim that fails the gate has no figures") {
  struct Wrong : Trap {
    Result<double> lie() override { return 1.0; }
    Result<double> honest() override { return 2.0; }
    Result<GuardVerdict> guard(double, double) override { return GuardVerdict{true, "yes"}; }
    Result<QualityCheck> check(const std::string& what) override {
      QualityCheck check;
      check.what = what;
      check.passed = what.find("before") != std::string::npos;
      check.reason = "it is wrong by now";
      return check;
    }
  };
  const TrapDesc desc = {.id = "traps.cpu.wrong", .set_up = [](measure::Device*) {
                           return Result<std::unique_ptr<Trap>>(std::make_unique<Wrong>());
                         }};
  MadeUpClock device;
  measure::Observer nobody;
  const auto series =
      measure::measure_trap(desc, {}, &device, {.mode = measure::Mode::live}, 0, &nobody);
  REQUIRE(series);
  CHECK(series->status == SeriesStatus::failed);
  CHECK(series->reason.find("it is wrong by now") != std::string::npos);
  CHECK_FALSE(series->trap);
}

TEST_CASE("a reading that is not above zero is an error, not a factor") {
  struct Zero : Trap {
    Result<double> lie() override { return 0.0; }
    Result<double> honest() override { return 2.0; }
    Result<GuardVerdict> guard(double, double) override { return GuardVerdict{}; }
    Result<QualityCheck> check(const std::string&) override {
      QualityCheck check;
      check.passed = true;
      return check;
    }
  };
  const TrapDesc desc = {.id = "traps.cpu.zero", .set_up = [](measure::Device*) {
                           return Result<std::unique_ptr<Trap>>(std::make_unique<Zero>());
                         }};
  MadeUpClock device;
  measure::Observer nobody;
  const auto series = measure::measure_trap(desc, {}, &device, {}, 0, &nobody);
  REQUIRE(series);
  CHECK(series->status == SeriesStatus::failed);
  CHECK(series->reason.find("not above zero") != std::string::npos);
}

TEST_CASE("both figures are taken in palindromes, either of them outside") {
  static std::string order;
  order.clear();
  struct Logging : Trap {
    Result<double> lie() override { return order += 'l', 1.0; }
    Result<double> honest() override { return order += 'h', 1.0; }
    Result<GuardVerdict> guard(double, double) override { return GuardVerdict{}; }
    Result<QualityCheck> check(const std::string&) override {
      QualityCheck check;
      check.passed = true;
      return check;
    }
  };
  const TrapDesc desc = {.id = "traps.cpu.logging", .set_up = [](measure::Device*) {
                           return Result<std::unique_ptr<Trap>>(std::make_unique<Logging>());
                         }};
  MadeUpClock device;
  measure::Observer nobody;
  const auto series = measure::measure_trap(desc, {}, &device, {}, 0, &nobody);
  REQUIRE(series);
  std::set<std::string> seen;
  for (size_t at = 2; at + 4 <= order.size(); at += 4) seen.insert(order.substr(at, 4));
  CHECK(order.size() == 2 + 4 * 15);
  CHECK(seen == std::set<std::string>{"lhhl", "hllh"});
}

TEST_CASE("an outcome goes to JSON and back") {
  TrapOutcome trap;
  trap.victim = "v", trap.quantity = "q", trap.unit = "s", trap.bias = "low";
  trap.lie = {{1, 2, 3}, 2, Interval{1, 3}};
  trap.honest = {{4}, 4, std::nullopt};
  trap.rounds = 7, trap.factor = 0.5, trap.ci = Interval{0.4, 0.6}, trap.margin = 0.02;
  trap.guard = "g", trap.caught = true, trap.guard_says = "says";
  Series series;
  series.trap = trap;
  Series back;
  from_json(Json(series), back);
  REQUIRE(back.trap);
  CHECK(Json(*back.trap) == Json(trap));
  CHECK(back.trap->lie.readings == trap.lie.readings);
  CHECK_FALSE(back.trap->honest.ci);
  CHECK_FALSE(Json(Series{}).contains("trap"));
}

TEST_CASE("every trap has a part in its lab's lesson, and every trap file is known with its kind") {
  const char* source = std::getenv("RIDGE_SOURCE");
  REQUIRE(source != nullptr);
  std::map<std::string, int> traps;
  for (const KernelSource& rung : kernel_sources()) {
    if (rung.kind != RungKind::trap) continue;
    const std::string lab(family_of(rung.id));
    ++traps[lab];
    std::ifstream file(std::string(source) + "/assets/lessons/" + lab + ".md");
    std::stringstream text;
    text << file.rdbuf();
    INFO(rung.id);
    CHECK(text.str().find("\n## " + rung.id + " · ") != std::string::npos);
  }
  CHECK(traps == std::map<std::string, int>{{"claims", 6}, {"traps", 16}});
}
