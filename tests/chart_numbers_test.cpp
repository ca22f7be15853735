// Ticks, numbers and decimation.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "common/core/format.h"
#include "common/view/chart/decimate.h"
#include "common/view/chart/ticks.h"
#include "tests/catch.h"

using namespace ridge;
using namespace ridge::chart;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
const std::string kThin = "\u202f";

std::vector<double> values(const std::vector<Tick>& ticks, bool major_only = false) {
  std::vector<double> all;
  for (const Tick& tick : ticks) {
    if (tick.major || !major_only) all.push_back(tick.value);
  }
  return all;
}

}  // namespace

TEST_CASE("linear ticks are 1, 2 or 5 times a power of ten") {
  CHECK(values(linear_ticks(0, 1, 5)).size() == 6);
  const auto ticks = values(linear_ticks(0, 97, 5));
  CHECK(ticks == std::vector<double>{0, 20, 40, 60, 80});
  CHECK(values(linear_ticks(-3, 3, 3)) == std::vector<double>{-2, 0, 2});
  for (const double span : {0.003, 0.7, 1.0, 4.1, 33.0, 720.0, 1e9}) {
    const auto found = values(linear_ticks(0, span, 5));
    CHECK(found.size() >= 2);
    CHECK(found.size() <= 6);
    const double step = found[1] - found[0];
    const double mantissa = step / std::pow(10.0, std::floor(std::log10(step) + 1e-9));
    CHECK((std::abs(mantissa - 1) < 1e-6 || std::abs(mantissa - 2) < 1e-6 ||
           std::abs(mantissa - 5) < 1e-6));
  }
  CHECK(linear_ticks(1, 1, 5).empty());
  CHECK(linear_ticks(0, kNan, 5).empty());
  CHECK(linear_ticks(0, kInf, 5).empty());
}

TEST_CASE("an axis of bytes has binary prefixes and round numbers of them, as its figures have") {
  const SiPrefix prefix = axis_prefix(0, 442 * 0x1p20, false, "B");
  CHECK(prefixed(prefix, "B") == "MiB");
  CHECK(prefixed(axis_prefix(0, 442e6, false, "B/s"), "B/s") == "MB/s");
  CHECK(prefixed(axis_prefix(0, 442e6, false, "bus bytes/s"), "bus bytes/s") == "M bus bytes/s");
  for (const bool log : {false, true}) {
    const auto ticks = values(axis_ticks(log ? 0x1p20 : 0, 442 * 0x1p20, log, 5, prefix));
    REQUIRE(ticks.size() > 2);
    for (const double tick : ticks) CHECK(std::fmod(tick, 0x1p20) == 0);
  }
}

TEST_CASE("log ticks are decades with sub-ticks") {
  const auto two = log_ticks(1, 100, 4);
  CHECK(values(two, true) == std::vector<double>{1, 10, 100});
  CHECK(values(two).size() > 3);
  CHECK(values(log_ticks(1e-16, 1, 4), true).size() <= 6);
  CHECK(values(log_ticks(0.97, 1.05, 4), true).size() >= 2);  // under a decade: linear
  CHECK(log_ticks(0, 1, 4).empty());
  CHECK(log_ticks(1, kNan, 4).empty());
}

TEST_CASE("under a decade the low end of a log axis has ticks too") {
  const std::vector<double> times = values(log_ticks(2.7, 11, 5));
  CHECK(times.front() == 3);
  CHECK(times.size() >= 5);
  for (size_t i = 1; i < times.size(); ++i) CHECK(times[i] > times[i - 1]);
}

TEST_CASE("a narrow log axis, whose gaps are all alike, has half steps in none of them") {
  const std::vector<double> ticks = values(log_ticks(0.967, 1.033, 8));
  REQUIRE(ticks.size() > 3);
  for (size_t i = 2; i < ticks.size(); ++i)
    CHECK(std::abs((ticks[i] - ticks[i - 1]) - (ticks[1] - ticks[0])) < 1e-9);
}

TEST_CASE("a log axis has two numbers at least, however few were asked for") {
  for (const double low : {1e-14, 0.97, 1.5, 2.7, 39.2}) {
    for (const double factor : {1.08, 1.9, 6.0, 9.9, 12.0, 99.0, 1e4, 1e9}) {
      for (const int target : {1, 2, 3, 5}) {
        INFO(low << " to " << low * factor << ", " << target);
        CHECK(values(log_ticks(low, low * factor, target), true).size() >= 2);
      }
    }
  }
}

TEST_CASE("one prefix an axis") {
  CHECK(std::string(si_prefix(2.7e-3).symbol) == "m");
  CHECK(std::string(si_prefix(55.8e12).symbol) == "T");
  CHECK(std::string(si_prefix(1000).symbol) == "k");
  CHECK(std::string(si_prefix(999.9).symbol).empty());
  CHECK(std::string(si_prefix(0).symbol).empty());
  CHECK(std::string(si_prefix(kNan).symbol).empty());
  CHECK(std::string(axis_prefix(1e-5, 1e-1, true).symbol) == "m");
  CHECK(std::string(axis_prefix(0, 4.2e10, false).symbol) == "G");
}

TEST_CASE("the low end of a log axis is a nice number below") {
  CHECK(nice_floor(0.3) == Approx(0.2));
  CHECK(nice_floor(7e-9) == Approx(5e-9));
  CHECK(nice_floor(10) == Approx(10));
}

TEST_CASE("numbers have three significant digits") {
  CHECK(format_quantity(0.196, "tokens/s") == "0.196 tokens/s");  // no thousandths of a thing
  CHECK(format_quantity(0.196, "s") == "196 ms");
  CHECK(format_number(2.7249) == "2.72");
  CHECK(format_number(0.27249) == "0.272");
  CHECK(format_number(9.996) == "10.0");
  CHECK(format_number(999.6) == "1" + kThin + "000");
  CHECK(format_number(1965) == "1" + kThin + "965");
  CHECK(format_number(-1234567) == "-1" + kThin + "234" + kThin + "567");
  CHECK(format_number(-123.4) == "-123");
  CHECK(format_number(0) == "0");
  CHECK(format_number(1.5e-12) == "1.50e-12");
  CHECK(format_tick(50) == "50");
  CHECK(format_tick(0.5) == "0.5");
  CHECK(format_tick(100) == "100");
  CHECK(format_tick(1e-10) == "1e-10");
  CHECK(format_scientific(1.5e-12) == "1.5e-12");
  CHECK(format_scientific(0.5) == "5.0e-1");
  CHECK(format_scientific(1) == "1.0e0");
  CHECK(format_time_ns(2.7249e6) == "2.72 ms");
  CHECK(format_time_ns(999.6) == "1.00 µs");
  CHECK(format_time_ns(4.6e9) == "4.60 s");
  CHECK(format_rate(55.8e12, "FLOP/s") == "55.8 TFLOP/s");
  CHECK(format_rate(41.2e9, "B/s") == "41.2 GB/s");
  CHECK(format_rate(1.234e6, "images/s") == "1.23 M images/s");  // a word stands apart
  CHECK(format_rate(12, "images/s") == "12.0 images/s");
  CHECK(format_rate_interval(Interval{1.1e6, 1.2e6}, "items/s") == "[1.10, 1.20] M items/s");
  CHECK(format_rate(2e9, "exp/s") == "2.00 Gexp/s");
  CHECK(format_bytes(96.0 * 1024 * 1024) == "96.0 MiB");
  CHECK(format_bytes(1000) == "1" + kThin + "000 B");
  CHECK(format_share(0.92) == "92.0 %");
  CHECK(format_percent_width(0.006) == "±0.60 %");
  CHECK(format_ratio(5.8) == "5.80×");
  CHECK(format_ratio(1.0042) == "1.004×");
}

TEST_CASE("an interval shows its width") {
  CHECK(format_time_interval(Interval{2.71e6, 2.73e6}) == "[2.71, 2.73] ms");
  CHECK(format_time_interval(Interval{2.7241e6, 2.7249e6}) == "[2.724, 2.725] ms");
  CHECK(format_ratio_interval(Interval{0.998, 1.006}) == "[0.998, 1.01]");
  CHECK(format_time_interval(std::nullopt) == kNone);
}

TEST_CASE("what is no number never prints as one") {
  for (const double bad : {kNan, kInf, -kInf}) {
    const Interval interval{1, bad};
    for (const std::string& text :
         {format_number(bad), format_scientific(bad), format_count(bad), format_time_ns(bad),
          format_rate(bad, "B/s"), format_bytes(bad), format_share(bad), format_percent_width(bad),
          format_ratio(bad), format_quantity(bad, "W"), format_tick(bad),
          format_time_interval(interval), format_rate_interval(interval, "B/s"),
          format_ratio_interval(interval)}) {
      CHECK(text == kNone);
    }
  }
}

TEST_CASE("decimation keeps the extremes of every pixel column") {
  std::vector<Point> points;
  for (int i = 0; i < 100000; ++i) {
    points.push_back({static_cast<float>(i), static_cast<float>(std::sin(i * 0.37) * (i % 97))});
  }
  points[5000].y = 1e6f;
  points[70000].y = -1e6f;
  points[123].y = std::numeric_limits<float>::quiet_NaN();
  const int columns = 400;
  const auto kept = decimate(points, 0, 99999, columns);
  CHECK(kept.size() <= 2 * static_cast<size_t>(columns));
  std::map<int, int> in_column;
  for (size_t i = 0; i < kept.size(); ++i) {
    CHECK(std::isfinite(kept[i].y));
    ++in_column[std::min(columns - 1, static_cast<int>(kept[i].x * columns / 99999))];
    if (i > 0) CHECK(kept[i].x >= kept[i - 1].x);
  }
  for (const auto& [column, count] : in_column) CHECK(count <= 2);
  const auto [low, high] = std::minmax_element(
      kept.begin(), kept.end(), [](const Point& a, const Point& b) { return a.y < b.y; });
  CHECK(low->y == -1e6f);
  CHECK(high->y == 1e6f);
  CHECK(decimate(points, 5, 5, 10).empty());
  const std::vector<Point> few = {{1, 2}, {2, 1}, {3, 3}};
  CHECK(decimate(few, 0, 4, 100).size() == 3);
}
