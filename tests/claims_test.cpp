// The lab Calibrate the claim: each claim reads what its lesson says, and the guard that it names catches it. The clock is
// made up, so that a busy machine changes nothing; the errors are real.
#include <algorithm>
#include <cmath>
#include <string>

#include "common/record/params.h"
#include "tests/catch.h"
#include "tests/made_up_clock.h"

using namespace ridge;
using test::MadeUpClock, test::Sprung;

namespace {

Sprung spring(const std::string& name, measure::Device* device) {
  return test::spring_trap("claims.cpu." + name, device);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool is_kernel(const measure::Side& side, const char* id) {
  return std::string(side.kernel->id) == id;
}

}  // namespace

TEST_CASE("a cherry-picked size: the best of the sweep, not the one asked for") {
  MadeUpClock device;
  // The gain grows with n: n / 16 of 1 us.
  device.cost_ns = [](const measure::Side& side) {
    const double n = double(side.launch.shape.dim[0]);
    return is_kernel(side, "gemm.cpu.naive_o3") ? 1000 * n / 16 : 1000;
  };
  const Sprung sprung = spring("cherry_picked_size", &device);
  CHECK(sprung.trap().lie.median == Approx(256.0 / 16));
  CHECK(sprung.trap().honest.median == Approx(32.0 / 16));
  CHECK(sprung.trap().bias == "high");
  CHECK(contains(sprung.trap().guard_says, "n = 32: 2.00×, 64: 4.00×, 128: 8.00×, 256: 16.0×"));
}

TEST_CASE("where the size asked for is the best one, nothing was picked") {
  MadeUpClock device;
  device.cost_ns = [](const measure::Side& side) {
    const double n = double(side.launch.shape.dim[0]);
    return is_kernel(side, "gemm.cpu.naive_o3") ? 1000 * 512 / n : 1000;
  };
  const Series series = test::measured("claims.cpu.cherry_picked_size", &device);
  REQUIRE(series.trap);
  CHECK(series.trap->bias == "none");
  CHECK_FALSE(series.trap->caught);
}

TEST_CASE("a baseline with one thread: the claim counts cores, and the parameters say so") {
  MadeUpClock device;
  device.cost_ns = [](const measure::Side& side) { return 8000.0 / side.launch.shape.threads; };
  const TrapDesc* desc = find_trap("claims.cpu.handicapped_baseline");
  REQUIRE(desc != nullptr);
  const auto cores = threads_param().max;
  if (cores < 2) {
    const Series series = test::measured(desc->id, &device);
    CHECK(contains(series.reason, "one core"));
    return;
  }
  const Sprung sprung = spring("handicapped_baseline", &device);
  CHECK(sprung.trap().lie.median == Approx(double(cores)));
  CHECK(sprung.trap().honest.median == Approx(1));
  CHECK(contains(sprung.trap().guard_says,
                 "threads = 1 against threads = " + std::to_string(cores)));
}

TEST_CASE("another type: float64 in one row and float32 in the other, of one loop") {
  MadeUpClock device;
  device.cost_ns = [](const measure::Side& side) {
    return side.launch.shape.dtype == DType::fp64 ? 2000.0 : 1000.0;
  };
  const Sprung sprung = spring("another_type", &device);
  CHECK(sprung.trap().lie.median == Approx(2));
  CHECK(sprung.trap().honest.median == Approx(1));
  CHECK(contains(sprung.trap().guard_says, "fp64, NMSE 0"));
  CHECK(contains(sprung.trap().guard_says, "beside fp32, 8."));
}

TEST_CASE("below the noise: two medians of equal kernels differ, their pairs do not") {
  MadeUpClock device;
  // Slow and fast by turns of five calls, as a busy machine may be; slots of a pair do not see it.
  int64_t call = 0;
  device.single_ns = [&](const measure::Side&) { return call++ / 5 % 2 == 0 ? 1100.0 : 1000.0; };
  const Sprung sprung = spring("below_the_noise", &device);
  CHECK(sprung.trap().lie.median == Approx(1.1));
  CHECK(sprung.trap().honest.median == Approx(1));
  CHECK(sprung.trap().bias == "high");
  CHECK(contains(sprung.trap().guard_says, "says same"));
}

TEST_CASE("no error column: half the bytes and an error that the gate refuses") {
  MadeUpClock device;
  device.cost_ns = [](const measure::Side& side) {
    return is_kernel(side, "claims.cpu.no_error_column") ? 2000.0 : 1000.0;
  };
  const Sprung sprung = spring("no_error_column", &device);
  CHECK(sprung.trap().lie.median == Approx(2));
  CHECK(sprung.trap().honest.median == Approx(1));
  INFO(sprung.trap().guard_says);
  // The last of bf16's 8 bits is 2^-7 of a weight between 1 and 2, so the NMSE is some 2^-14 / 12 of 1 / 2.
  CHECK(contains(sprung.trap().guard_says, "refused: an NMSE of 2.7e-6"));
}

TEST_CASE("latency is not one over throughput: a request waits for its whole batch") {
  MadeUpClock device;
  device.cost_ns = [](const measure::Side& side) {
    return 1000.0 * double(8 + side.launch.shape.dim[0]);
  };
  const Sprung sprung = spring("latency_called_throughput", &device);
  CHECK(sprung.trap().factor == Approx(1.0 / 64));
  CHECK(sprung.trap().bias == "low");
  CHECK(contains(sprung.trap().guard_says,
                 "72.0 µs for a request in a batch of 64, and 9.00 µs for a request alone"));
}
