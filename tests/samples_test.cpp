// Samples by column: each sample comes back as it was put in, and takes no more room than what it has.
#include "common/record/samples.h"

#include <algorithm>
#include <bit>
#include <climits>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "common/record/few_values.h"
#include "common/record/json.h"
#include "common/record/moments.h"
#include "common/record/rounds.h"
#include "common/record/telemetry.h"
#include "common/stats/stats.h"
#include "tests/catch.h"

using namespace ridge;

namespace {

Sample made(std::mt19937& random, int64_t place) {
  const auto one_of = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  Sample sample;
  sample.index = one_of(5) == 0 ? one_of(1000) : place;
  sample.t_ns = 1 + one_of(100000) / 7.0;
  sample.cpu_ns = one_of(3) == 0 ? 0 : sample.t_ns;
  sample.calls = one_of(4) == 0 ? 1 + one_of(9) : 25;
  if (one_of(3) == 0) sample.sm_clock_hz = 1e9 + one_of(1000);
  if (one_of(5) == 0) sample.temp_c = 40 + one_of(20);
  if (one_of(7) == 0) sample.power_w = 300;
  if (one_of(4) == 0) sample.flags = {"stolen"};
  if (one_of(9) == 0) sample.flags.push_back("outlier");
  if (one_of(20) == 0) sample.flags = {"outlier", "stolen"};  // another order than ours
  if (one_of(20) == 0) sample.flags.push_back("of another version");
  return sample;
}

std::string text(const Sample& sample) {
  return dump_json(sample);
}

void check_same(const Samples& samples, const std::vector<Sample>& wanted) {
  REQUIRE(samples.size() == wanted.size());
  size_t at = 0;
  for (const Sample& sample : samples) {
    CHECK(text(sample) == text(wanted[at]));
    CHECK(samples.t_ns(at) == wanted[at].t_ns);
    CHECK(samples.flags(at) == wanted[at].flags);
    ++at;
  }
  CHECK(at == wanted.size());
}

}  // namespace

TEST_CASE("a sample comes back as it was put in, whatever came before it", "[samples]") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    std::vector<Sample> wanted;
    Samples samples;
    const int plain = static_cast<int>(random() % 6);  // what has nothing but its times comes first
    for (int i = 0; i < 40; ++i) {
      Sample sample = made(random, i);
      if (i < plain) sample = {.index = i, .t_ns = sample.t_ns, .cpu_ns = sample.cpu_ns};
      wanted.push_back(sample);
      samples.push_back(sample);
    }
    INFO("seed " << seed);
    check_same(samples, wanted);
    const Samples copy = samples;
    samples.shrink();
    samples.truncate(random() % 41);
    wanted.resize(samples.size());
    check_same(samples, wanted);
    for (int i = 0; i < 5; ++i) {
      wanted.push_back(made(random, std::ssize(wanted)));
      samples.push_back(wanted.back());
    }
    check_same(samples, wanted);
    CHECK(copy.size() == 40);  // it has columns of its own
    CHECK(samples.from(samples.size() - 5).size() == 5);
  }
}

TEST_CASE("a series that is over says the same, whole nanoseconds or not", "[samples]") {
  for (const double odd : {0.0, 0.5, 1.0 / 3}) {
    std::vector<Sample> wanted;
    for (int i = 0; i < 100; ++i) {
      // 7 calls took so many nanoseconds; with `odd` no clock says so.
      const double sum_ns = 1e6 + 13 * i + odd;
      wanted.push_back({.index = i, .t_ns = sum_ns / 7, .cpu_ns = (sum_ns - 1) / 7, .calls = 7});
    }
    wanted.back().calls = 3;
    wanted.back().t_ns = 5e9;  // more than 32 bits hold
    if (odd == 0) wanted.pop_back();
    Samples samples = wanted;
    samples.shrink();
    samples.shrink();
    check_same(samples, wanted);
    wanted.push_back({.index = std::ssize(wanted), .t_ns = 2.5});
    samples.push_back(wanted.back());
    check_same(samples, wanted);
    samples.shrink();
    samples.truncate(60);
    wanted.resize(60);
    check_same(samples, wanted);
  }
}

TEST_CASE("numbers come back, whether few of them differ or many", "[samples]") {
  for (const int different : {1, 100, 5000, 100000}) {
    std::vector<double> wanted;
    FewValues values;
    for (int i = 0; i < 20000; ++i) {
      wanted.push_back(i == 3 ? -0.0 : 0.01 * ((i * 7919) % different));
      values.push_back(wanted.back());
    }
    REQUIRE(values.size() == wanted.size());
    bool are_same = true;
    for (size_t i = 0; i < wanted.size(); ++i)
      are_same &= std::bit_cast<uint64_t>(values[i]) == std::bit_cast<uint64_t>(wanted[i]);
    CHECK(are_same);
  }
}

TEST_CASE("many numbers come back, whether 32 bits say all of each or not", "[samples]") {
  const double pages = 4096;
  for (const double odd :
       {pages, 0.1, 1e300, -1e300, std::nan(""), -0.0, 1e-300, double(INFINITY)}) {
    std::vector<double> wanted;
    FewValues values;
    for (int i = 0; i < 5000; ++i) {
      wanted.push_back(i == 4000 ? odd : pages * i);
      values.push_back(wanted.back());
    }
    bool are_same = values.size() == wanted.size();
    for (size_t i = 0; i < wanted.size(); ++i)
      are_same &= std::bit_cast<uint64_t>(values[i]) == std::bit_cast<uint64_t>(wanted[i]);
    CHECK(are_same);
  }
}

namespace {

bool are_same(const Moment& a, const Moment& b) {
  return std::bit_cast<uint64_t>(a.t_s) == std::bit_cast<uint64_t>(b.t_s) &&
         a.request == b.request && a.count == b.count && a.series == b.series && a.word == b.word;
}

}  // namespace

TEST_CASE("moments come back as they were, in order, and a reader goes on where more are added",
          "[samples]") {
  std::vector<Moment> wanted = {
      {17221.624271143, 52, 4, 0, 3},    {17221.7, 52, 0, -1, 65535},
      {-1.5, -7, INT_MAX, INT16_MAX, 0}, {1e300, INT64_MAX, INT_MIN, INT16_MIN, 1},
      {-0.0, INT64_MIN, 0, 0, 127},      {9.1e6 + 1e-9, 0, 1, 1, 128},
      {std::nan(""), 1, 1, 1, 1},        {1.0 / 3, 1, 1, 1, 1}};
  std::mt19937 random(8);
  double t_s = 1000;
  for (int i = 0; i < 2000; ++i)
    wanted.push_back({t_s += 1e-6 * double(random() % 1000000), 1 + i / 30, int(random() % 20),
                      int16_t(i % 3), uint16_t(i % 7)});
  Moments moments;
  CHECK(moments.empty());
  Moments::Iterator next = moments.begin();
  size_t read = 0, differ = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    moments.push_back(wanted[i]);
    if (i % 5 != 0) continue;
    for (; next != moments.end(); ++next) differ += !are_same(*next, wanted[read++]);
  }
  CHECK(read + (wanted.size() - 1) % 5 == wanted.size());
  CHECK(differ == 0);
  CHECK(moments.size() == wanted.size());
  CHECK(are_same(moments.front(), wanted.front()));
  const std::vector<Moment> all(moments.begin(), moments.end());
  CHECK(std::equal(all.begin(), all.end(), wanted.begin(), wanted.end(), are_same));
}

TEST_CASE("rounds come back as they were, with clocks or without", "[samples]") {
  const std::vector<Round> wanted = {{0, "0110", {1, 2.5, 3, 4}, {}},
                                     {1, "0120", {5, 6, 1.0 / 3, 8}, {1.9e9, 2e9, 0, 1e9}},
                                     {7, "01", {9, 10}, {}},
                                     {8, "", {}, {}},
                                     {9, "10", {11, 12}, {3, 4}}};
  Rounds rounds;
  CHECK(rounds.empty());
  for (const Round& round : wanted) rounds.push_back(round);
  rounds.shrink();
  const std::vector<Round> all(rounds.begin(), rounds.end());
  REQUIRE(all.size() == wanted.size());
  for (size_t i = 0; i < all.size(); ++i) {
    INFO(i);
    CHECK(all[i].index == wanted[i].index);
    CHECK(all[i].order == wanted[i].order);
    CHECK(all[i].t_ns == wanted[i].t_ns);
    CHECK(all[i].sm_clock_hz == wanted[i].sm_clock_hz);
  }
}

TEST_CASE("a moment of telemetry comes back, with what was read then and no more", "[samples]") {
  std::mt19937 random(5);
  std::vector<TelemetryPoint> wanted;
  Telemetry telemetry;
  for (int i = 0; i < 3000; ++i) {
    TelemetryPoint point;
    point.t_s = 100 + 0.1 * i;
    point.values["process_cpus"] = 0.01 * double(random() % 150);
    if (i % 100 < 70) point.values["power_w"] = 1e-3 * double(random() % 1000000);
    if (i % 500 == 3) point.values["once " + std::to_string(i)] = i;
    for (int core = 0; core < (i < 2000 ? 2 : 3); ++core) point.core_busy.push_back(0.25 * (i % 4));
    if (i / 700 % 2 == 1) point.throttle = {"power cap"};
    wanted.push_back(point);
    telemetry.add(point);
  }
  REQUIRE(telemetry.size() == wanted.size());
  std::map<std::string, std::map<size_t, double>> by_name;
  for (const std::string& name : telemetry.names())
    telemetry.for_each(name, [&](size_t i, double value) { by_name[name][i] = value; });
  size_t readings = 0, same = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    same += dump_json(telemetry[i]) == dump_json(wanted[i]);
    readings += wanted[i].values.size();
    for (const auto& [name, value] : wanted[i].values) same += by_name[name].at(i) == value;
  }
  CHECK(same == wanted.size() + readings);
  size_t told = 0;
  for (const auto& [name, all] : by_name) told += all.size();
  CHECK(told == readings);
}

TEST_CASE("clocks and flags are put in later", "[samples]") {
  Samples samples;
  for (int i = 0; i < 20; ++i)
    samples.push_back({.index = i, .t_ns = i == 7 ? 5000.0 : 100.0 + i % 5});
  samples.set_clock(19, std::nullopt);  // nothing was read
  samples.set_clock(3, 1.5e9);
  CHECK(samples[3].sm_clock_hz == 1.5e9);
  CHECK_FALSE(samples[2].sm_clock_hz);
  stats::tag_outliers(&samples);
  stats::tag_outliers(&samples);
  CHECK(samples[7].flags == std::vector<std::string>{"outlier"});
  CHECK(samples[6].flags.empty());
  for (int i = 0; i < 20; ++i) samples.push_back({.index = 20 + i, .t_ns = 5000});
  stats::tag_outliers(&samples);
  CHECK(samples[7].flags.empty());  // among so many of them it is none
  samples.clear();
  CHECK(samples.empty());
  CHECK(samples.begin() == samples.end());
}
