// The CPU's clock: samples against kernels whose wall and CPU time are known by what they do.
#include <time.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "common/harness/measure/cache_flush.h"
#include "common/harness/measure/device.h"
#include "common/stats/stats.h"
#include "kernels/runtime/cpu/team.h"
#include "tests/catch.h"
#include "tests/program.h"

namespace ridge {
namespace {

using measure::Cache;

constexpr double kNapNs = 1e6;
int launches = 0;

/// A millisecond of wall time, next to none of CPU time: as if somebody else had the core.
Status nap(const Launch&) {
  ++launches;
  std::this_thread::sleep_for(std::chrono::nanoseconds(static_cast<int64_t>(kNapNs)));
  return {};
}

/// Works until this thread has used 0.1 ms of CPU time.
Status work(const Launch&) {
  ++launches;
  const auto used_ns = [] {
    timespec t = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * double(t.tv_sec) + double(t.tv_nsec);
  };
  const double start = used_ns();
  while (used_ns() - start < 1e5) {
  }
  return {};
}

/// Only notes when it was called.
std::vector<double> called_ns;
Status note(const Launch&) {
  using Clock = std::chrono::steady_clock;
  called_ns.push_back(
      std::chrono::duration<double, std::nano>(Clock::now().time_since_epoch()).count());
  return {};
}

struct Timed {
  std::vector<Sample> samples;
  double elapsed_ns = 0;
  int64_t calls = 0;        ///< of a sample
  int slots_per_block = 0;  ///< after timing
};

Timed time_of(Status (*launch)(const Launch&), double call_ns, int slots,
              Cache cache = Cache::hot) {
  auto device = measure::make_cpu_device();
  REQUIRE(device);
  KernelDesc kernel;
  kernel.id = "toy.cpu.known";
  kernel.launch = launch;
  Launch call;
  call.shape.threads = 1;
  auto side = (*device)->make_side(kernel, call, cache, call_ns);
  REQUIRE(side);
  measure::Side* sides[] = {side->get()};
  launches = 0;
  const auto start = std::chrono::steady_clock::now();
  auto samples = (*device)->time(sides, std::vector<uint8_t>(static_cast<size_t>(slots), 0));
  REQUIRE(samples);
  Timed timed;
  timed.elapsed_ns =
      std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
  timed.samples = *samples;
  timed.calls = sides[0]->calls;
  timed.slots_per_block = (*device)->slots_per_block(sides);
  return timed;
}

TEST_CASE("a sample's time is that of one call, and no more than the clock on the wall") {
  const Timed timed = time_of(work, 1e5, 5);
  CHECK(timed.calls == 2);  // 200 us a sample
  REQUIRE(timed.samples.size() == 5);
  double sum_ns = 0;
  for (const Sample& sample : timed.samples) {
    CHECK(sample.calls == 2);
    CHECK(sample.t_ns >= 1e5);
    CHECK(sample.cpu_ns >= 1e5);
    sum_ns += sample.t_ns * double(sample.calls);
  }
  CHECK(sum_ns <= timed.elapsed_ns);
  CHECK(launches >= 10);
}

TEST_CASE("a sample that did not have the core is taken again, three times, and tagged") {
  const Timed timed = time_of(nap, kNapNs, 1);
  REQUIRE(timed.samples.size() == 1);
  const Sample& sample = timed.samples[0];
  CHECK((launches == 4 + 2 || launches == 4 + 1));  // a nap or two of 1 ms settle it for 2 ms
  CHECK(sample.t_ns >= kNapNs);
  CHECK(sample.cpu_ns < 0.5 * sample.t_ns);
  CHECK(sample.flags == std::vector<std::string>{"stolen"});
}

TEST_CASE("a sample that lasts over 100 ms is not repeated: the block has to end") {
  constexpr double kLongNs = 51e6;
  const Timed timed = time_of(
      [](const Launch&) {
        ++launches;
        std::this_thread::sleep_for(std::chrono::nanoseconds(static_cast<int64_t>(kLongNs)));
        return Status();
      },
      1e5, 1);  // taken for shorter than it is: two calls
  CHECK(launches == 1 + 2);
  const Sample& sample = timed.samples[0];
  CHECK(sample.flags == std::vector<std::string>{"stolen"});
  // Taken once, so that the clock on the wall bounds it from above too.
  CHECK(sample.t_ns >= kLongNs);
  CHECK(sample.t_ns * double(sample.calls) <= timed.elapsed_ns);
}

#ifdef __x86_64__
/// As a rung compiled with -mavx2 -O1 may: it leaves ones in a register's upper lanes.
Status fill_upper_lanes(const Launch&) {
  asm volatile("vxorps %%ymm15, %%ymm15, %%ymm15\n\tvcmptrueps %%ymm15, %%ymm15, %%ymm15" ::
                   : "xmm15");
  return {};
}
void fill_part(void*, int) {
  fill_upper_lanes({});
}

/// The register's upper lanes, any bit of them.
bool upper_lanes_are_used() {
  float lanes[4] = {};
  asm volatile("vextractf128 $1, %%ymm15, %0" : "=m"(lanes));
  const auto* words = reinterpret_cast<const uint32_t*>(lanes);
  return (words[0] | words[1] | words[2] | words[3]) != 0;
}

TEST_CASE(
    "what a rung left in the upper lanes of vector registers does not slow what comes after it") {
  if (!__builtin_cpu_supports("avx")) return;
  auto device = measure::make_cpu_device();
  REQUIRE(device);
  fill_upper_lanes({});
  // Asked before REQUIRE: the C library's AVX2 functions, which it calls, clear those lanes themselves.
  const bool filled = upper_lanes_are_used();
  REQUIRE(filled);
  KernelDesc kernel;
  kernel.id = "toy.cpu.lanes";
  kernel.launch = fill_upper_lanes;
  auto side = (*device)->make_side(kernel, {}, Cache::hot, 1e9);
  REQUIRE(side);
  const bool called = (*device)->call(**side).ok();
  const bool after_call = upper_lanes_are_used();
  const bool timed = (*device)->time_latency(**side).ok();
  const bool after_timing = upper_lanes_are_used();
  team_run(1, fill_part, nullptr);
  const bool after_part = upper_lanes_are_used();
  CHECK((called && timed));
  CHECK_FALSE(after_call);
  CHECK_FALSE(after_timing);
  CHECK_FALSE(after_part);
}
#endif

/// Which side was called when, and by which hand.
std::string called;

TEST_CASE(
    "hot is after calls of the same side: one that follows another's settles for 2 ms, untimed") {
  auto device = measure::make_cpu_device();
  REQUIRE(device);
  KernelDesc a, b;
  a.id = "toy.cpu.a", b.id = "toy.cpu.b";
  a.launch = [](const Launch& launch) { return called += 'a', note(launch), work(launch); };
  b.launch = [](const Launch& launch) { return called += 'b', note(launch), work(launch); };
  Launch call;
  call.shape.threads = 1;
  const auto order_of_calls = [&](Cache cache, double call_ns) {
    auto side_a = (*device)->make_side(a, call, cache, call_ns);
    auto side_b = (*device)->make_side(b, call, cache, call_ns);
    REQUIRE(side_a);
    REQUIRE(side_b);
    measure::Side* sides[] = {side_a->get(), side_b->get()};
    called.clear(), called_ns.clear();
    REQUIRE((*device)->time(sides, std::vector<uint8_t>{0, 1, 1, 0}));
    return called;
  };
  // A slot is two calls of 0.1 ms, and may be taken again; what settles it is 2 ms or twenty calls. From a side's
  // first call to its last pass 2 ms, more where the machine is busy; without settling 0.1 on one that is not.
  const std::string hot = order_of_calls(Cache::hot, 1e5);
  const size_t to_b = hot.find('b'), to_a = hot.find('a', to_b);
  REQUIRE(to_a != std::string::npos);
  CHECK(called_ns[to_b - 1] - called_ns[0] >= 1.9e6);
  CHECK(called_ns[to_a - 1] - called_ns[to_b] >= 1.9e6);
  CHECK(called_ns.back() - called_ns[to_a] >= 1.9e6);
  CHECK(order_of_calls(Cache::hot, 1e9).size() <= 4 * 8);  // taken for a call of a second
  called.clear();
  CHECK(order_of_calls(Cache::cold, 1e5).size() <= 4 * 2 * 4);
}

TEST_CASE("with cold caches each of at most ten calls is timed alone, after a flush") {
  const Timed hot = time_of(note, 1e3, 1);
  called_ns.clear();
  const Timed cold = time_of(note, 1e3, 1, Cache::cold);
  CHECK(hot.calls >= 200);
  CHECK(cold.calls == 10);
  // What a flush took is known from then on: few such samples fit a block of 100 ms.
  CHECK(hot.slots_per_block > 400);
  CHECK(cold.slots_per_block < 400);
  // Between two calls lies a flush, which no machine does in 10 us; two calls in a row are 0.1 apart.
  REQUIRE(called_ns.size() >= 10);
  std::vector<double> gaps_ns;
  for (size_t i = 1; i < 10; ++i) gaps_ns.push_back(called_ns[i] - called_ns[i - 1]);
  CHECK(stats::median(gaps_ns) > 10e3);
  // And it is no part of what was timed.
  CHECK(cold.samples[0].t_ns * 10 < stats::median(gaps_ns) * 9);
}

/// Two clusters of cores with a last-level cache each, the second of one core that this process may use.
TEST_CASE("a flush reads twice every core's own cache, and twice every last-level cache") {
  const std::vector<measure::CoreCaches> caches = {{0, 1 << 20, 4 << 20, "0-2"},
                                                   {1, 1 << 20, 4 << 20, "0-2"},
                                                   {2, 3 << 20, 4 << 20, "0-2"},
                                                   {7, 1 << 20, 4 << 20, "6-7"},
                                                   {9, 0, 0, ""}};
  const auto shares = measure::flush_shares(caches);
  REQUIRE(shares.size() == caches.size());
  std::map<std::string, int64_t> read;
  for (size_t i = 0; i < shares.size(); ++i) {
    CHECK(shares[i].core == caches[i].core);
    CHECK(shares[i].bytes >= 2 * caches[i].own_bytes);
    // The cores of one last-level cache read different lines, one behind the other.
    CHECK(shares[i].begin == read[caches[i].last_shared]);
    read[caches[i].last_shared] += shares[i].bytes;
  }
  CHECK(read["0-2"] >= 8 << 20);
  CHECK(read["6-7"] == 8 << 20);
  CHECK(read[""] == 64 << 20);  // nothing is known of its caches
}

TEST_CASE(
    "a core's own cache is the level before the last, and instructions' caches do not count") {
  const test::Folder root;
  const auto write = [&](int index, const char* level, const char* type, const char* size,
                         const char* shared) {
    const auto folder = root / ("sys/devices/system/cpu/cpu3/cache/index" + std::to_string(index));
    std::filesystem::create_directories(folder);
    test::write_all(folder + "/level", level);
    test::write_all(folder + "/type", type);
    test::write_all(folder + "/size", size);
    test::write_all(folder + "/shared_cpu_list", shared);
  };
  write(0, "1", "Data", "32K", "3");
  write(1, "1", "Instruction", "64K", "3");
  write(2, "2", "Unified", "1024K", "3");
  write(3, "3", "Unified", "32M", "0-7");
  const auto caches = measure::read_core_caches(root.path.string(), {3});
  REQUIRE(caches.size() == 1);
  CHECK(caches[0].own_bytes == 1 << 20);
  CHECK(caches[0].last_bytes == 32 << 20);
  CHECK(caches[0].last_shared == "0-7");
}

/// Threads of this process.
size_t count_threads() {
  return static_cast<size_t>(
      std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}));
}

TEST_CASE(
    "before a cold call of several threads every core has read; for one thread only the caller") {
  for (const int threads : {1, 2}) {
    auto device = measure::make_cpu_device();
    REQUIRE(device);
    KernelDesc kernel;
    kernel.id = "toy.cpu.cold";
    static std::vector<measure::FlushShare> seen;
    static size_t tasks = 0;
    seen.clear();
    kernel.launch = [](const Launch&) {
      seen = measure::CacheFlush::last();
      tasks = count_threads();
      return Status();
    };
    Launch call;
    call.shape.threads = threads;
    auto side = (*device)->make_side(kernel, call, Cache::cold, 1e6);
    REQUIRE(side);
    const size_t before = count_threads();
    REQUIRE((*device)->time_latency(**side));
    CHECK(tasks == before);  // no reader is left to run beside the call
    const std::vector<int> cores = measure::usable_cores();
    if (threads == 1) {
      CHECK(seen.size() == 1);
      continue;
    }
    const auto caches = measure::read_core_caches("", cores);
    REQUIRE(seen.size() == cores.size());
    for (size_t i = 0; i < seen.size(); ++i) {
      CHECK(seen[i].core == cores[i]);
      CHECK(seen[i].bytes >= 2 * caches[i].own_bytes);
    }
  }
}

}  // namespace
}  // namespace ridge
