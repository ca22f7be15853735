// Energy meters and host readings from fixture folders, and the energy pass on a made-up counter.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <mutex>
#include <thread>

#include "common/harness/measure/energy_watch.h"
#include "common/harness/measure/host_telemetry.h"
#include "common/harness/measure/telemetry_sampler.h"
#include "tests/steady_meter.h"
#include "tests/synthetic_pipelines.h"
#include "tests/toy_family.h"
#include "tests/worker_process.h"

namespace ridge {
namespace {

namespace fs = std::filesystem;
using measure::EnergyReading;
using measure::now_s;
using test::SteadyMeter;

/// A made-up /sys and /proc; gone after the test.
struct Root {
  Root() {
    std::string name = (fs::temp_directory_path() / "ridge-telemetry-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~Root() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  void put(const std::string& file, const std::string& text) const {
    fs::create_directories(fs::path(path + "/" + file).parent_path());
    std::ofstream(path + "/" + file) << text << "\n";
  }
  void zone(const std::string& folder, const std::string& name, const std::string& energy_uj,
            const std::string& range_uj = "10000000") const {
    const std::string at = "sys/class/powercap/" + folder + "/";
    put(at + "name", name);
    put(at + "energy_uj", energy_uj);
    if (!range_uj.empty()) put(at + "max_energy_range_uj", range_uj);
  }
  /// energy_uj that is there and cannot be read, for root too.
  void locked_zone() const {
    put("sys/class/powercap/intel-rapl:0/name", "package-0");
    fs::create_directories(path + "/sys/class/powercap/intel-rapl:0/energy_uj");
  }
  void battery(const std::string& folder, const std::string& status,
               const std::map<std::string, std::string>& files) const {
    const std::string at = "sys/class/power_supply/" + folder + "/";
    put(at + "type", "Battery");
    put(at + "status", status);
    for (const auto& [name, text] : files) put(at + name, text);
  }
  std::string path;
};

// ---- meters --------------------------------------------------------------------------------------

TEST_CASE("RAPL: packages are summed, and a counter that wraps goes on") {
  Root root;
  root.zone("intel-rapl:0", "package-0", "9000000");
  root.zone("intel-rapl:1", "package-1", "1000000");
  root.zone("intel-rapl:0:0", "core", "4000000");  // within package-0: not counted again
  root.zone("intel-rapl:2", "psys", "5000000");
  auto rapl = measure::open_rapl(root.path);
  REQUIRE(rapl);
  CHECK((*rapl)->is_counter());
  CHECK(contains((*rapl)->source(), "2 packages"));
  CHECK(contains((*rapl)->source(), "others included"));
  CHECK(*(*rapl)->read() == Approx(0));
  root.zone("intel-rapl:0", "package-0", "2000000");  // from 9 J over 10 J to 2 J
  root.zone("intel-rapl:1", "package-1", "1500000");
  root.zone("intel-rapl:0:0", "core", "9000000");
  CHECK(*(*rapl)->read() == Approx(3.5));
  root.zone("intel-rapl:0", "package-0", "1000000");
  CHECK(*(*rapl)->read() == Approx(12.5));
}

TEST_CASE("RAPL: one that falls and has no range gives no reading") {
  Root root;
  root.zone("intel-rapl:0", "package-0", "9000000", "");
  auto rapl = measure::open_rapl(root.path);
  REQUIRE(rapl);
  root.zone("intel-rapl:0", "package-0", "2000000", "");
  CHECK_FALSE((*rapl)->read());
}

TEST_CASE("without a source the reason names the fix") {
  Root root;
  auto none = measure::open_host_meter(root.path);
  REQUIRE_FALSE(none);
  CHECK(none.error().code == ErrorCode::unavailable);
  CHECK(contains(none.error().sentence(), "no RAPL package"));
  CHECK(contains(none.error().hint, "modprobe"));
  root.locked_zone();
  auto locked = measure::open_host_meter(root.path);
  REQUIRE_FALSE(locked);
  CHECK(contains(locked.error().sentence(), "may not be read"));
  CHECK(contains(locked.error().hint, "chmod a+r /sys/class/powercap/intel-rapl:*/energy_uj"));
}

TEST_CASE("a battery counts only while it discharges, and only the machine's own") {
  Root root;
  root.battery("mouse", "Discharging", {{"scope", "Device"}, {"power_now", "1000000"}});
  root.battery("BAT0", "Charging", {{"power_now", "20000000"}});
  CHECK_FALSE(measure::open_battery(root.path));
  root.battery("BAT0", "Discharging", {{"power_now", "-20000000"}});
  // 2 A at 12 V, where the driver gives no power.
  root.battery("BAT1", "Discharging", {{"current_now", "2000000"}, {"voltage_now", "12000000"}});
  root.locked_zone();
  auto battery = measure::open_host_meter(root.path);
  REQUIRE(battery);
  CHECK_FALSE((*battery)->is_counter());
  CHECK(contains((*battery)->source(), "coarse"));
  CHECK(*(*battery)->read() == Approx(44));
  Root both;
  both.battery("BAT0", "Discharging", {{"power_now", "20000000"}});
  both.zone("intel-rapl:0", "package-0", "1");
  CHECK((*measure::open_host_meter(both.path))->is_counter());
}

TEST_CASE("host readings: cores, power and memory; what is not there is left out") {
  Root root;
  const char* kIdle = " 0 0 0 1000 0 0 0 0 0 0";
  root.put("proc/stat", std::string("cpu") + kIdle + "\ncpu0" + kIdle + "\ncpu1" + kIdle);
  root.put("proc/self/statm", "500 100 50 1 0 60 0");
  root.zone("intel-rapl:0", "package-0", "1000000", "262143328850");
  measure::HostTelemetry host(root.path);
  // cpu1 busy for 10^6 ticks since: more than any clock allows, hence all of the time.
  root.put("proc/stat",
           "cpu 1000000 0 0 1000 0 0 0 0\ncpu0 0 0 0 2000 0 0 0 0\n"
           "cpu1 1000000 0 0 1000 0 0 0 0\nintr 1 2 3");
  root.zone("intel-rapl:0", "package-0", "900001000000", "262143328850");
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  const double before_s = now_s();
  const TelemetryPoint point = host.read();
  CHECK(point.t_s >= before_s);
  REQUIRE(point.core_busy.size() == 2);
  CHECK(point.core_busy[0] == 0);
  CHECK(point.core_busy[1] == 1);
  CHECK(point.values.at("foreign_cpus") > 0);
  CHECK(point.values.at("package_power_w") > 0);
  CHECK(point.values.at("process_memory_bytes") == 100.0 * double(sysconf(_SC_PAGESIZE)));
  CHECK(point.values.count("battery_power_w") == 0);

  Root empty;
  measure::HostTelemetry blind(empty.path);
  const TelemetryPoint little = blind.read();
  CHECK(little.values.count("process_cpus") == 1);  // from the process's own clock
  CHECK(little.values.size() == 1);
  CHECK(little.core_busy.empty());
}

// ---- slope ---------------------------------------------------------------------------------------

/// Readings of a counter of 50 W that is renewed every `period_s`, taken every `pause_s`.
std::vector<EnergyReading> readings_of(double period_s, double pause_s, double until_s) {
  std::vector<EnergyReading> all;
  for (int i = 0; i * pause_s < until_s; ++i) {
    const double t_s = i * pause_s;
    all.push_back({t_s, t_s + pause_s / 10, 50 * std::floor(t_s / period_s) * period_s});
  }
  return all;
}

TEST_CASE("the slope runs from tick to tick: a coarse counter is not a coarse power") {
  const auto readings = readings_of(0.1, 0.003, 2);
  const auto slope = measure::slope_between_ticks(readings, 0.05, 1.14);
  REQUIRE(slope);
  // From start to end it would be 55 J in 1.09 s: 50.5 W; 10 % are possible.
  CHECK(std::fabs(slope->power_w - 50) <= 50 * slope->error);
  CHECK(slope->error == Approx(0.0033 / 1.0).epsilon(0.05));
  CHECK(slope->period_s == Approx(0.1).epsilon(0.02));
}

TEST_CASE("idle power before the pass is not counted") {
  std::vector<EnergyReading> readings;
  for (int i = 0; i < 400; ++i) {  // 10 W for 2 s, then 100 W; renewed at every reading
    const double t_s = i * 0.01;
    readings.push_back({t_s, t_s, t_s < 2 ? 10 * t_s : 20 + 100 * (t_s - 2)});
  }
  const auto slope = measure::slope_between_ticks(readings, 2.0, 4.0);
  REQUIRE(slope);
  CHECK(slope->power_w == Approx(100).epsilon(1e-9));
}

TEST_CASE("a counter that stands still, or moves once, gives no energy") {
  const auto still = measure::slope_between_ticks(readings_of(100, 0.01, 1), 0, 1);
  REQUIRE_FALSE(still);
  CHECK(contains(still.error().sentence(), "moved 0 times"));
  CHECK_FALSE(measure::slope_between_ticks(readings_of(0.7, 0.01, 1), 0, 1));
  CHECK_FALSE(measure::slope_between_ticks({}, 0, 1));
  // Two ticks next to each other say nothing either.
  CHECK_FALSE(measure::slope_between_ticks(readings_of(0.01, 0.01, 0.04), 0, 1));
}

// ---- the pass ------------------------------------------------------------------------------------

/// Draws 50 W for as long as it is there; remembers how long its calls took.
class MeteredDevice : public FakeDevice {
 public:
  bool counter = true;
  double period_s = 0.02;
  double shortest_s = std::numeric_limits<double>::infinity(), longest_s = 0;
  int64_t repeated = 0;
  Result<std::unique_ptr<measure::EnergyMeter>> energy_meter() override {
    return std::unique_ptr<measure::EnergyMeter>(new SteadyMeter(counter, period_s));
  }
  void telemetry(TelemetryPoint* point) override { point->values["sm_clock_hz"] = 1.5e9; }
  Result<void> repeat(const measure::Side& side, int64_t calls) override {
    RIDGE_TRY_VOID(call(side));
    const double start_s = now_s();
    std::this_thread::sleep_for(std::chrono::duration<double>(double(calls) * 1e-3));
    const double call_s = (now_s() - start_s) / double(calls);
    shortest_s = std::min(shortest_s, call_s);
    longest_s = std::max(longest_s, call_s);
    repeated += calls;
    return {};
  }
};

Series run_metered(measure::Device* device, measure::Options options) {
  measure::Bench bench;
  Listener listener;
  options.latency = false;
  options.energy = true;
  auto series = measure::measure_kernel(&bench, device, kGood, kParams, options, 0, &listener);
  REQUIRE(series);
  CHECK(series->status == SeriesStatus::ok);
  return *series;
}

TEST_CASE("energy of a call: power times the pass's own time per call, within the stated error") {
  MeteredDevice device;
  device.call_ns[&kGood] = 1e6;
  measure::Options options = thorough();
  options.limit_s = 0.3;
  const Series series = run_metered(&device, options);
  REQUIRE(series.energy_j);
  REQUIRE(series.energy_error_j);
  CHECK(series.unavailable.count("energy_j") == 0);
  const double error = *series.energy_error_j / *series.energy_j;
  CHECK(error > 0);
  CHECK(error < 0.5);
  // 2 %: the pass's own steps between its chunks of 50 calls.
  CHECK(*series.energy_j >= SteadyMeter::kPower_w * device.shortest_s * (1 - error - 0.02));
  CHECK(*series.energy_j <= SteadyMeter::kPower_w * device.longest_s * (1 + error + 0.02));
  CHECK(contains(series.energy_source, "made up, renewed every "));
  CHECK(device.repeated >= 100);
}

/// Three that draw 50 W each, whose counters tick at different moments.
class ThreeMetered final : public MeteredDevice {
 public:
  Result<std::vector<std::unique_ptr<measure::EnergyMeter>>> energy_meters(int64_t count) override {
    std::vector<std::unique_ptr<measure::EnergyMeter>> meters;
    for (int64_t i = 0; i < count; ++i)
      meters.push_back(std::make_unique<SteadyMeter>(true, 0.02 + 0.007 * double(i)));
    return meters;
  }
};

TEST_CASE("energy of a call that works on several devices is the sum of theirs") {
  ThreeMetered device;
  device.call_ns[&kGood] = 1e6;
  measure::Options options = thorough();
  options.limit_s = 0.4;
  options.devices = 3;
  const Series series = run_metered(&device, options);
  REQUIRE(series.energy_j);
  const double error = *series.energy_error_j / *series.energy_j;
  CHECK(error < 0.5);
  CHECK(*series.energy_j >= 3 * SteadyMeter::kPower_w * device.shortest_s * (1 - error - 0.02));
  CHECK(*series.energy_j <= 3 * SteadyMeter::kPower_w * device.longest_s * (1 + error + 0.02));
  CHECK(contains(series.energy_source, "made up; the sum of 3, renewed every "));
  // A device that is alone of its kind has one counter.
  MeteredDevice alone;
  CHECK(contains(run_metered(&alone, options).unavailable.at("energy_j"),
                 "the counter is of one device, and a call works on 3"));
}

TEST_CASE("no energy without a source, a pass, or enough of the counter; the reason says which") {
  FakeDevice bare;
  CHECK(contains(run_metered(&bare, thorough()).unavailable.at("energy_j"), "no energy counter"));
  MeteredDevice device;
  CHECK(contains(run_metered(&device, live()).unavailable.at("energy_j"), "mode measure"));
  measure::Options cold = thorough();
  cold.cache = measure::Cache::cold;
  CHECK(contains(run_metered(&device, cold).unavailable.at("energy_j"), "flush"));
  CHECK(device.repeated == 0);
  device.period_s = 60;
  measure::Options brief = thorough();
  brief.limit_s = 0.1;
  const Series slow = run_metered(&device, brief);
  CHECK_FALSE(slow.energy_j);
  CHECK(contains(slow.unavailable.at("energy_j"), "moved 0 times"));
}

TEST_CASE("energy of a training's step and a pipeline's item: of work that goes on when it was judged") {
  MeteredDevice device;
  measure::Observer silent;
  measure::Options options = thorough();
  options.limit_s = 0.4;
  synthetic::next_training = {.compute_ms = 2};
  const TrainDesc training = synthetic::training();
  const auto trained = measure::measure_training(training, {}, &device, options, 0, &silent);
  REQUIRE(trained);
  REQUIRE(trained->energy_j);
  // 2 ms at 50 W are 0.1 J; a busy machine waits longer than it was told.
  CHECK(*trained->energy_j > 0.08);
  CHECK(contains(trained->energy_source, "made up, renewed every "));
  CHECK(trained->curve.size() == trained->samples.size());
  CHECK(trained->curve.size() == 20);
  CHECK(trained->sm_clock_hz == 1.5e9);
  const auto live_one = measure::measure_training(training, {}, &device, live(), 0, &silent);
  REQUIRE(live_one);
  CHECK(contains(live_one->unavailable.at("energy_j"), "mode measure"));

  synthetic::next_spec = {.first = "read", .first_ms = 1, .second = "step", .second_ms = 1};
  const PipelineDesc pipeline = synthetic::pipeline();
  const auto ran = measure::measure_pipeline(pipeline, {}, &device, options, 0, &silent);
  REQUIRE(ran);
  INFO(ran->reason);
  REQUIRE(ran->energy_j);
  CHECK(*ran->energy_j > 0.5 * SteadyMeter::kPower_w * ran->stats->median_ns * 1e-9);
  CHECK(contains(ran->energy_source, "made up"));
  CHECK(ran->sm_clock_hz == 1.5e9);
}

TEST_CASE("what a battery gives is energy without an error, and says that it is coarse") {
  MeteredDevice device;
  device.counter = false;
  measure::Options brief = thorough();
  brief.limit_s = 0.1;
  const Series series = run_metered(&device, brief);
  REQUIRE(series.energy_j);
  CHECK_FALSE(series.energy_error_j);
  CHECK(contains(series.unavailable.at("energy_error_j"), "battery"));
}

// ---- lines ---------------------------------------------------------------------------------------

TEST_CASE("the sampler reads on while it holds, and hands everything out afterwards, in order") {
  Root root;
  std::mutex mutex;
  std::vector<double> seen;
  const auto count = [&] {
    const std::lock_guard lock(mutex);
    return seen.size();
  };
  measure::TelemetrySampler sampler(root.path, nullptr, [&](const TelemetryPoint& point) {
    const std::lock_guard lock(mutex);
    seen.push_back(point.t_s);
  });
  sampler.hold();
  const size_t before = count();
  std::this_thread::sleep_for(std::chrono::milliseconds(250));
  CHECK(count() == before);
  sampler.release();
  CHECK(count() >= before + 1);
  CHECK(std::is_sorted(seen.begin(), seen.end()));
}

/// Feeds the energy counter of a fixture folder: 20 W, until it goes.
class Feeder {
 public:
  explicit Feeder(const Root& root)
      : fd_(open((root.path + "/sys/class/powercap/intel-rapl:0/energy_uj").c_str(), O_WRONLY)),
        thread_([this] {
          const double start_s = now_s();
          for (; !ending_; std::this_thread::sleep_for(std::chrono::milliseconds(5))) {
            char text[16];
            std::snprintf(text, sizeof(text), "%012lld\n",
                          static_cast<long long>((now_s() - start_s) * 20e6));
            if (pwrite(fd_, text, 13, 0) != 13) return;  // one length: never seen half written
          }
        }) {}
  ~Feeder() {
    ending_ = true;
    thread_.join();
    close(fd_);
  }

 private:
  int fd_;
  std::atomic<bool> ending_{false};
  std::thread thread_;
};

TEST_CASE(
    "telemetry never stands between `timing` and what ends its block; energy reaches the app") {
  Root root;
  root.zone("intel-rapl:0", "package-0", "000000000001", "262143328850");
  const Feeder feeder(root);
  setenv("RIDGE_SYSTEM_ROOT", root.path.c_str(), 1);
  test::Worker worker;
  unsetenv("RIDGE_SYSTEM_ROOT");
  Json request = test::run_of({"gemm.cpu.good"}, 64, "measure");
  request["limit_s"] = 0.3;
  request["warmup_s"] = 0.02;
  worker.send(request);
  bool in_block = false;
  int points = 0, inside = 0, blocks = 0;
  double last_s = 0;
  for (Json line = worker.next(); line.is_object(); line = worker.next()) {
    const std::string type = line["type"];
    if (type == "telemetry") {
      ++points;
      inside += in_block;
      CHECK(line["t_s"].get<double>() > last_s);
      last_s = line["t_s"];
    } else {
      in_block = type == "timing";
      blocks += in_block;
    }
    if (type == "result" && line.contains("outcome")) {
      const Json& outcome = line["outcome"];
      INFO(dump_json(outcome));
      CHECK(outcome["energy_j"].get<double>() > 0);
      CHECK(outcome["energy_error_j"].get<double>() > 0);
      CHECK(contains(outcome["energy_source"], "RAPL, whole package, others included"));
    }
    if (type == "done") break;
  }
  CHECK(blocks >= 3);
  CHECK(points >= 5);  // at least those of the energy pass, a block of over half a second
  CHECK(inside == 0);
}

}  // namespace
}  // namespace ridge
