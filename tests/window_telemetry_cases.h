// The strip's lanes of telemetry. Part of window_test.cpp, in a file of its own.
#pragma once

#include "app/window/panels/lab_panels.h"
#include "tests/window_fixture.h"

namespace ridge::test {
namespace {

using namespace ridge::window;
using compat::Key;

/// Ten a second from `start_s` on; clocks count from boot, so it does not begin at 0.
std::vector<TelemetryPoint> readings(int count, bool gpu, double start_s = 1e6) {
  std::vector<TelemetryPoint> all;
  for (int i = 0; i < count; ++i) {
    TelemetryPoint point;
    point.t_s = start_s + 0.1 * i;
    point.values = {{"process_cpus", 1.0}, {"foreign_cpus", 0.1}, {"process_memory_bytes", 2e7}};
    point.core_busy = {1.0, 0.1};
    if (gpu) {
      point.values.insert({{"gpu_busy", 0.9}, {"power_w", 300.0 + i}, {"sm_clock_hz", 1.5e9}});
      if (i % 2 == 0) point.throttle = {"power cap"};
    }
    all.push_back(point);
  }
  return all;
}

TEST_CASE("lanes: what was read, in the window asked for, the least telling first to go",
          "[window]") {
  Telemetry telemetry;
  for (const TelemetryPoint& point : readings(100, true)) telemetry.add(point);
  LaneView view = lane_view(telemetry, 0);
  CHECK(view.last - view.first == 100);
  CHECK(view.has_gpu);
  CHECK(view.lanes.size() == 6);
  CHECK(mean_of(view, "power_w") == Approx(349.5));
  CHECK(std::isnan(mean_of(view, "temp_c")));
  CHECK(telemetry.reading(*nearest(view, 1e6 + 2.04), "power_w") == Approx(320));
  CHECK(lane_view(telemetry, 2).last - lane_view(telemetry, 2).first == 21);
  keep_lanes(&view, 3);
  std::string names;
  for (const Lane& lane : view.lanes) names += std::string(lane.name) + " ";
  CHECK(names == "process_cpus power_w sm_clock_hz ");
  const std::string told = describe(telemetry, 0, 1e6);
  for (const char* part : {"CPUs of this run", "SM clock", "300 W", "power cap"}) {
    INFO(part);
    CHECK(contains(told, part));
  }
  CHECK_FALSE(contains(told, "temperature"));
  CHECK(lane_view(Telemetry(), 0).lanes.empty());
}

TEST_CASE("the strip draws lanes while it measures, its samples afterwards, and either on demand",
          "[window]") {
  Fixture f(1600, 3000);                                // room for the strip beside every rung
  CHECK_FALSE(f.driver->find("strip_view=Telemetry"));  // nothing to choose from yet
  f.driver->key(Key::f5);
  f.session.telemetry(readings(40, false));
  f.driver->frames(3);
  REQUIRE(f.driver->find("lane:process_cpus"));
  CHECK(f.driver->find("lane:no_gpu"));
  CHECK_FALSE(f.driver->find("lane:power_w"));
  const WorkRequest request = f.session.last(RequestType::run);
  for (size_t i = 0; i < request.kernels.size(); ++i)
    f.session.measure(request, static_cast<int>(i), 1e6);
  f.session.finish(request);
  f.driver->frames(3);
  CHECK_FALSE(f.driver->find("lane:process_cpus"));
  const int without = f.driver->triangles();
  REQUIRE(f.driver->click("strip_view=Telemetry"));
  f.driver->frames(3);
  CHECK(f.driver->find("lane:process_cpus"));
  CHECK(f.driver->triangles() != without);
  REQUIRE(f.driver->click("strip_view=Samples"));
  f.driver->frames(3);
  CHECK_FALSE(f.driver->find("lane:process_cpus"));
}

TEST_CASE("Y and the button show telemetry in a window that has no room to spare", "[window]") {
  Fixture f(1600, 860);
  f.session.telemetry(readings(40, false));
  f.driver->frames(3);
  CHECK_FALSE(f.driver->find("lane:process_cpus"));
  f.driver->type('y');
  f.driver->frames(3);
  CHECK(f.driver->find("lane:process_cpus"));
  CHECK(f.driver->find("chart"));
  REQUIRE(f.driver->click("telemetry"));
  f.driver->frames(3);
  CHECK_FALSE(f.driver->find("lane:process_cpus"));
}

TEST_CASE("a GPU's lanes stand on the CPU's time axis, and hovering does not upset them",
          "[window]") {
  Fixture f(1600, 1400);
  f.state.view.strip = Strip::telemetry;
  f.driver->frames(3);
  CHECK_FALSE(f.driver->find("lane:process_cpus"));  // says that there is nothing
  f.session.telemetry(readings(40, true));
  f.session.telemetry(readings(40, true, 1e6 + 60));  // a later request
  f.driver->frames(3);
  const Area *cpu = f.driver->find("lane:process_cpus"), *gpu = f.driver->find("lane:power_w");
  REQUIRE(cpu);
  REQUIRE(gpu);
  CHECK(cpu->x == gpu->x);
  CHECK(cpu->w == gpu->w);
  CHECK(gpu->y >= cpu->bottom());
  CHECK_FALSE(f.driver->find("lane:no_gpu"));
  REQUIRE(f.driver->hover("lanes"));
  f.driver->frames(3);
  CHECK(f.driver->find("lane:power_w"));
}

}  // namespace
}  // namespace ridge::test
