// Where the level of a history changes, against simulated histories whose truth is known. The model of a history: each
// value is exp(level + noise), the noise is normal, 0.5 to 1 % wide, without drift; 3 % of the values are outliers, 5 to
// 15 % slower, as a busy machine makes them. Levels differ by 3 %.
#include "common/stats/change_points.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "tests/catch.h"
#include "tests/simulation.h"

using namespace ridge;
using namespace ridge::test;

namespace {

/// Levels alternate between 1 and 1.03, each of `length` values.
std::vector<double> up_and_down(int levels, int length, double noise, uint64_t seed,
                                double rho = 0) {
  return simulate_history(
      {.noise = noise, .rho = rho, .levels = levels, .length = length, .step = 0.03}, seed);
}

int alarms(int histories, int length, double noise, double rho) {
  int count = 0;
  for (int i = 0; i < histories; ++i) {
    const auto values = up_and_down(1, length, noise, static_cast<uint64_t>(i), rho);
    count += !stats::find_changes(values).changes.empty();
  }
  return count;
}

/// Changes that are found within `near` values of where they are.
int found_near(const stats::ChangePoints& found, int levels, int length, int near) {
  int count = 0;
  for (int i = 1; i < levels; ++i) {
    count += std::any_of(found.changes.begin(), found.changes.end(), [&](const stats::Change& one) {
      return std::abs(static_cast<int>(one.first) - i * length) <= near;
    });
  }
  return count;
}

}  // namespace

TEST_CASE("five changes of 3 % are found where they are") {
  for (const double noise : {0.005, 0.0075, 0.01}) {
    CAPTURE(noise);
    const auto found = stats::find_changes(up_and_down(6, 30, noise, 7));
    REQUIRE(found.changes.size() == 5);
    CHECK(found_near(found, 6, 30, 2) == 5);
    CHECK(found.noise == Approx(noise).epsilon(0.3));
    for (size_t i = 0; i < 5; ++i) {
      const stats::Change& change = found.changes[i];
      const double truth = i % 2 == 0 ? 1.03 : 1 / 1.03;
      CHECK(change.ratio == Approx(truth).epsilon(0.007));
      REQUIRE(change.ci);
      CHECK(change.ci->low < change.ratio);
      CHECK(change.ratio < change.ci->high);
      CHECK((change.ci->low > 1 || change.ci->high < 1));
    }
  }
}

TEST_CASE("of many histories with five changes nearly all changes are found, and no sixth") {
  int changes = 0, too_many = 0, covered = 0, in_range = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const auto found = stats::find_changes(up_and_down(6, 30, 0.0075, seed));
    changes += found_near(found, 6, 30, 3);
    too_many += found.changes.size() > 5;
    for (const stats::Change& one : found.changes) {
      const double truth = one.ratio > 1 ? 1.03 : 1 / 1.03;
      const size_t nearest = (one.first + 15) / 30 * 30;
      in_range += one.earliest <= nearest && nearest <= one.latest;
      covered += one.ci && one.ci->low <= truth && truth <= one.ci->high;
    }
  }
  CHECK(changes >= 195);  // of 200
  CHECK(in_range >= 185);
  CHECK(too_many == 0);
  CHECK(covered >= 185);
}

TEST_CASE("at most one history in a hundred without a change has one") {
  for (const int length : {12, 30, 100, 180}) {
    for (const double noise : {0.005, 0.01}) {
      CAPTURE(length, noise);
      CHECK(alarms(100, length, noise, 0) <= 1);
    }
  }
}

TEST_CASE("nor where results resemble those of the day before") {
  for (const int length : {30, 100, 180}) {
    for (const double rho : {0.3, 0.5}) {
      CAPTURE(length, rho);
      CHECK(alarms(100, length, 0.0075, rho) <= 1);
    }
  }
  // And a change shows through it.
  CHECK(found_near(stats::find_changes(up_and_down(2, 60, 0.005, 3, 0.5)), 2, 60, 3) == 1);
}

TEST_CASE("an outlier is no change, and nor are two") {
  std::vector<double> values = up_and_down(1, 40, 0.005, 5);
  values[20] *= 3;
  values[21] *= 3;
  CHECK(stats::find_changes(values).changes.empty());
  values.push_back(values[3] * 2);  // nor at the end
  values.push_back(values[4] * 2);
  CHECK(stats::find_changes(values).changes.empty());
}

TEST_CASE("a new level shows after the fewest values that make one") {
  std::vector<double> values(30, 100.0);
  for (size_t i = 0; i < stats::kFewestOfLevel - 1; ++i) values.push_back(110);
  CHECK(stats::find_changes(values).changes.empty());
  values.push_back(110);
  const auto found = stats::find_changes(values);
  REQUIRE(found.changes.size() == 1);
  CHECK(found.changes[0].first == 30);
  CHECK(found.changes[0].ratio == Approx(1.1));
}

TEST_CASE("too few values say so, and equal ones have no change") {
  const auto few = stats::find_changes(std::vector<double>(9, 5.0));
  CHECK(few.changes.empty());
  CHECK(few.too_few.find("there are 9") != std::string::npos);
  CHECK(stats::find_changes({}).changes.empty());
  const auto equal = stats::find_changes(std::vector<double>(50, 5.0));
  CHECK(equal.changes.empty());
  CHECK(equal.too_few.empty());
}
