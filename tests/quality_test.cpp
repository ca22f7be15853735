// The quality gate's arithmetic: rounding, random data, poison, limits, and what fails them.
#include "common/harness/quality/quality.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include "common/record/json.h"
#include "tests/catch.h"

using namespace ridge;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
const DType kTypes[] = {DType::fp64, DType::fp32, DType::bf16, DType::fp16};

uint16_t bits_of(double value, DType dtype) {
  std::byte bytes[2];
  quality::store(bytes, 0, dtype, value);
  uint16_t bits;
  std::memcpy(&bits, bytes, 2);
  return bits;
}

double value_of(uint16_t bits, DType dtype) {
  std::byte bytes[2];
  std::memcpy(bytes, &bits, 2);
  return quality::load(bytes, 0, dtype);
}

std::vector<std::byte> filled(size_t bytes, uint32_t word) {
  std::vector<std::byte> data(bytes);
  for (size_t i = 0; i + 4 <= bytes; i += 4) std::memcpy(&data[i], &word, 4);
  return data;
}

QualityCheck check_one(double out, double ref, double bound, double nmse_limit = 1) {
  quality::ErrorSum sum;
  sum.add(out, ref, bound);
  return sum.finish("one", nmse_limit);
}

}  // namespace

TEST_CASE("rounding to bf16") {
  const auto bits = [](double value) { return bits_of(value, DType::bf16); };
  CHECK(bits(0.0) == 0x0000);
  CHECK(bits(-0.0) == 0x8000);
  CHECK(bits(1.0) == 0x3f80);
  CHECK(bits(-2.0) == 0xc000);
  CHECK(bits(1 + 0x1p-8) == 0x3f80);            // tie: to even, down
  CHECK(bits(1 + 3 * 0x1p-8) == 0x3f82);        // tie: to even, up
  CHECK(bits(1 + 0x1p-8 + 0x1p-40) == 0x3f81);  // by way of fp32 this would be a tie
  CHECK(bits(0x1.ffp127) == 0x7f80);            // tie above the largest: Inf
  CHECK(bits(0x1.fefffp127) == 0x7f7f);
  CHECK(bits(-1e300) == 0xff80);
  CHECK(bits(0x1p-126) == 0x0080);  // least normal
  CHECK(bits(0x1p-133) == 0x0001);  // least subnormal
  CHECK(bits(0x1p-134) == 0x0000);  // tie to even: zero
  CHECK(bits(0x1.8p-134) == 0x0001);
  CHECK(bits(0x1.8p-133) == 0x0002);    // tie to even, up
  CHECK(bits(0x1.fffp-127) == 0x0080);  // rounds up into the normals
  CHECK(bits(std::numeric_limits<double>::denorm_min()) == 0);
  CHECK(bits(kInf) == 0x7f80);
  CHECK(bits(-kInf) == 0xff80);
  CHECK(std::isnan(value_of(bits(kNan), DType::bf16)));
}

TEST_CASE("rounding to fp16") {
  const auto bits = [](double value) { return bits_of(value, DType::fp16); };
  CHECK(bits(1.0) == 0x3c00);
  CHECK(bits(1 + 0x1p-11) == 0x3c00);
  CHECK(bits(1 + 3 * 0x1p-11) == 0x3c02);
  CHECK(bits(1 + 0x1p-11 + 0x1p-40) == 0x3c01);
  CHECK(bits(65504) == 0x7bff);
  CHECK(bits(65519.99) == 0x7bff);
  CHECK(bits(65520) == 0x7c00);  // tie above the largest: Inf
  CHECK(bits(-70000) == 0xfc00);
  CHECK(bits(0x1p-14) == 0x0400);
  CHECK(bits(0x1p-24) == 0x0001);
  CHECK(bits(-0x1p-24) == 0x8001);
  CHECK(bits(0x1p-25) == 0x0000);
  CHECK(bits(0x1.8p-24) == 0x0002);
  CHECK(bits(0x1.ff8p-15) == 0x03ff);  // largest subnormal
  CHECK(bits(0x1.ffbp-15) == 0x03ff);
  CHECK(bits(0x1.ffcp-15) == 0x0400);  // tie: to even, into the normals
  CHECK(bits(kInf) == 0x7c00);
  CHECK(std::isnan(value_of(bits(kNan), DType::fp16)));
}

TEST_CASE("every 16-bit number survives load and store, and values between go to the nearest") {
  for (const DType dtype : {DType::bf16, DType::fp16}) {
    const int infinity = dtype == DType::bf16 ? 0x7f80 : 0x7c00;
    int wrong = 0;
    for (int i = 0; i < 0x10000; ++i) {
      const auto bits = static_cast<uint16_t>(i);
      const double value = value_of(bits, dtype);
      const bool is_nan = (i & 0x7fff) > infinity;
      wrong += is_nan ? !std::isnan(value) : bits_of(value, dtype) != bits;
      if (is_nan || (i & 0x7fff) >= infinity - 1) continue;
      const double next = value_of(static_cast<uint16_t>(i + 1), dtype);
      wrong += bits_of(value + 0.49 * (next - value), dtype) != bits;
      wrong += bits_of(value + 0.51 * (next - value), dtype) != bits + 1;
      wrong += bits_of((value + next) / 2, dtype) != bits + (i & 1);
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("unit roundoff is half a step above 1") {
  for (const DType dtype : kTypes) {
    std::byte data[8];
    const double u = quality::unit_roundoff(dtype);
    quality::store(data, 0, dtype, 1 + 2 * u);
    CHECK(quality::load(data, 0, dtype) == 1 + 2 * u);
    quality::store(data, 0, dtype, 1 + u);
    CHECK(quality::load(data, 0, dtype) == 1);
  }
}

TEST_CASE("a range loads as its elements do") {
  for (const DType dtype : kTypes) {
    std::vector<std::byte> data(20 * dtype_size(dtype));
    quality::fill_normal(data, dtype, 3);
    std::vector<double> range(7);
    quality::load_range(data.data(), 5, dtype, range);
    for (int64_t i = 0; i < 7; ++i)
      CHECK(range[static_cast<size_t>(i)] == quality::load(data.data(), 5 + i, dtype));
  }
}

TEST_CASE("random normals: moments, tails, independence of seed and neighbour") {
  constexpr int kCount = 200000;
  double sum = 0, sum2 = 0, sum4 = 0, lag = 0, other_seed = 0;
  int tail = 0;
  for (uint64_t i = 0; i < kCount; ++i) {
    const double z = quality::normal(1, i);
    sum += z;
    sum2 += z * z;
    sum4 += z * z * z * z;
    lag += z * quality::normal(1, i + 1);
    other_seed += z * quality::normal(2, i);
    tail += std::abs(z) > 3;
  }
  // Five standard errors of each.
  CHECK(std::abs(sum / kCount) < 5 / std::sqrt(kCount));
  CHECK(std::abs(sum2 / kCount - 1) < 5 * std::sqrt(2.0 / kCount));
  CHECK(std::abs(sum4 / kCount - 3) < 5 * std::sqrt(96.0 / kCount));
  CHECK(std::abs(lag / kCount) < 5 / std::sqrt(kCount));
  CHECK(std::abs(other_seed / kCount) < 5 / std::sqrt(kCount));
  CHECK(std::abs(tail - 0.0026998 * kCount) < 5 * std::sqrt(0.0027 * kCount));
}

TEST_CASE("the data depend on seed and place alone, not on threads, size or type") {
  // Spread over threads; no halving, third or quarter of it ends with a whole pair.
  constexpr int64_t kCount = (1 << 20) + 6;
  std::vector<std::byte> large(kCount * sizeof(double));
  quality::fill_normal(large, DType::fp64, 7);
  int wrong = 0;
  for (int64_t i = 0; i < kCount; ++i) {
    const double z = quality::load(large.data(), i, DType::fp64);
    wrong +=
        i % 997 == 0 || i > kCount - 3 ? z != quality::normal(7, static_cast<uint64_t>(i)) : z == 0;
  }
  // Each quarter, half and third from its first element on.
  for (const int64_t parts : {2, 3, 4})
    for (int64_t i = 1; i < parts; ++i) {
      const int64_t at = kCount / parts * i;
      wrong += quality::load(large.data(), at, DType::fp64) !=
               quality::normal(7, static_cast<uint64_t>(at));
    }
  CHECK(wrong == 0);
  // No seed's sequence is another's, shifted: by one counter, the generator's own step apart.
  CHECK(quality::normal(1, 2) != quality::normal(1 + 2 * 0x9e3779b97f4a7c15, 0));

  for (const DType dtype : kTypes) {
    std::vector<std::byte> small(5 * dtype_size(dtype)), one(dtype_size(dtype));
    quality::fill_normal(small, dtype, 7);
    for (int64_t i = 0; i < 5; ++i) {
      quality::store(one.data(), 0, dtype, quality::normal(7, static_cast<uint64_t>(i)));
      CHECK(quality::load(small.data(), i, dtype) == quality::load(one.data(), 0, dtype));
    }
  }
  quality::fill_normal({}, DType::fp32, 1);
}

TEST_CASE("the poison is NaN in every type and is counted bit for bit") {
  for (const DType dtype : kTypes) {
    std::vector<std::byte> data = filled(10 * dtype_size(dtype) + 8, quality::kPoison);
    data.resize(10 * dtype_size(dtype));
    for (int64_t i = 0; i < 10; ++i) CHECK(std::isnan(quality::load(data.data(), i, dtype)));
    CHECK(quality::count_poison(data, dtype) == 10);
    quality::store(data.data(), 3, dtype, 1.5);
    quality::store(data.data(), 9, dtype, kNan);  // another NaN: written, and wrong
    CHECK(quality::count_poison(data, dtype) == 8);
    CHECK(quality::count_poison({}, dtype) == 0);
  }
}

TEST_CASE("a guard is intact only as a whole") {
  std::vector<std::byte> guard = filled(quality::kGuardBytes, quality::kGuardWord);
  CHECK(quality::guard_intact(guard));
  for (const size_t at : {size_t{0}, quality::kGuardBytes / 2, quality::kGuardBytes - 1}) {
    const std::byte was = guard[at];
    guard[at] ^= std::byte{1};
    CHECK_FALSE(quality::guard_intact(guard));
    guard[at] = was;
  }
  CHECK(quality::guard_intact(guard));
}

TEST_CASE("error sums: by hand") {
  quality::ErrorSum sum;
  sum.add(3, 4, 2);
  sum.add(0.5, 0, 1);
  sum.add(-3, -3, 1);
  const QualityCheck check = sum.finish("three", 0.06);
  CHECK(check.what == "three");
  CHECK(check.checked == 3);
  CHECK(check.nmse == Approx(1.25 / 25));
  CHECK(check.nmse_limit == 0.06);
  CHECK(check.max_abs == 1);
  CHECK(check.max_rel == Approx(0.25));
  CHECK(check.worst_bound_share == Approx(0.5));
  CHECK(check.passed);
  CHECK(check.reason.empty());
  CHECK_FALSE(sum.finish("tighter", 0.04).passed);
}

TEST_CASE("a failed check of rows says where the output is wrong") {
  quality::ErrorSum sum;
  sum.of_rows(3);
  const double out[] = {1, 2, 3, 4, 7, kNan, 7, 8, 9};
  for (int i = 0; i < 9; ++i) sum.add(out[i], i + 1, kInf);
  const QualityCheck check = sum.finish("three by three", 1e-6);
  REQUIRE(check.errors);
  const ErrorMap& map = *check.errors;
  CHECK((map.rows == 3 && map.columns == 3 && map.cell_rows == 3 && map.cell_columns == 3));
  CHECK((map.wrong == 2 && map.row == 1 && map.column == 1));
  CHECK((map.value == 7 && map.expected == 5));
  CHECK(map.cells[5] == -1);
  CHECK(map.cells[0] == 0);
  // 2 over the root mean square of the eight numbers that could be compared, to two digits.
  CHECK(map.cells[4] == Approx(0.36));
  const QualityCheck read = Json(check).get<QualityCheck>();
  REQUIRE(read.errors);
  CHECK(read.errors->cells == map.cells);
  quality::ErrorSum right;
  right.of_rows(3);
  for (int i = 0; i < 9; ++i) right.add(i, i, kInf);
  CHECK(!right.finish("right", 1e-6).errors);
}

TEST_CASE("a large output's errors are a grid that fits a line") {
  quality::ErrorSum sum;
  sum.of_rows(300, "output pixel", "channel");
  for (int i = 0; i < 300 * 300; ++i) sum.add(1 + 1.0 / (3 + i), 1, 0);
  const QualityCheck check = sum.finish("all wrong", 0);
  REQUIRE(check.errors);
  CHECK(check.errors->cell_rows == 60);  // five rows each
  CHECK(check.errors->cells.size() == 3600);
  CHECK(check.errors->wrong == 90000);
  CHECK(check.errors->row_name == "output pixel");
  CHECK(dump_json(Json(check)).size() < 48'000);
}

TEST_CASE("what must fail, fails, and says why") {
  CHECK_FALSE(quality::ErrorSum().finish("nothing", 1).passed);
  CHECK(check_one(1, 1, 0).passed);  // exact needs no allowance
  const QualityCheck failures[] = {
      check_one(kNan, 1, kInf), check_one(kInf, 1, kInf),     check_one(1, kNan, kInf),
      check_one(1, kInf, kInf), check_one(-kInf, kInf, kInf), check_one(1, 1, kNan),
      check_one(1.5, 1, 0.4),   check_one(1.5, 1, 0),         check_one(1.5, 1, kInf, 0.2),
      check_one(1, 1, 1, kNan), check_one(1, 0, kInf),        check_one(0, 1, kInf, 0.9)};
  for (const QualityCheck& check : failures) {
    CHECK_FALSE(check.passed);
    CHECK_FALSE(check.reason.empty());
  }
  // NaN where the reference has NaN, and the same infinity, are right.
  CHECK(check_one(kNan, kNan, 1).passed);
  CHECK(check_one(-kInf, -kInf, 1).passed);
  CHECK(check_one(kNan, 1, 1).nan_count == 1);
}

TEST_CASE("poison left over and broken guards fail a check that had passed") {
  QualityCheck check = check_one(1, 1, 1);
  quality::apply_guards(&check, 0, true);
  CHECK(check.passed);
  quality::apply_guards(&check, 3, true);
  CHECK_FALSE(check.passed);
  CHECK(check.unwritten_count == 3);
  CHECK(check.reason.find("3 elements") != std::string::npos);
  check = check_one(1, 1, 1);
  quality::apply_guards(&check, 0, false);
  CHECK_FALSE(check.passed);
  CHECK_FALSE(check.guard_ok);
  CHECK(check.reason.find("outside") != std::string::npos);
  check = check_one(2, 1, 0);
  quality::apply_guards(&check, 0, true);
  CHECK_FALSE(check.passed);
}

namespace {

/// To the 10 mantissa bits that TF32 has, to nearest even.
float tf32(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  bits += 0xfff + (bits >> 13 & 1);
  bits &= ~uint32_t{0x1fff};
  std::memcpy(&value, &bits, 4);
  return value;
}

struct DotErrors {
  double nmse = 0, tf32_nmse = 0, worst_share = 0, tf32_worst_share = 0;
};

/// Naive fp32 dot products of random normals against float64.
DotErrors dot_errors(int k, uint64_t pairs) {
  DotErrors errors;
  double error2 = 0, tf32_error2 = 0, ref2 = 0;
  for (uint64_t pair = 0; pair < pairs; ++pair) {
    double a2 = 0, b2 = 0, ref = 0;
    float honest = 0, rounded = 0;
    for (int p = 0; p < k; ++p) {
      const auto a = static_cast<float>(quality::normal(2 * pair, static_cast<uint64_t>(p)));
      const auto b = static_cast<float>(quality::normal(2 * pair + 1, static_cast<uint64_t>(p)));
      a2 += double(a) * a;
      b2 += double(b) * b;
      ref += double(a) * b;
      honest += a * b;
      rounded += tf32(a) * tf32(b);
    }
    const double bound = quality::dot_bound(DType::fp32, ref, k, std::sqrt(a2), std::sqrt(b2));
    const double error = std::abs(honest - ref), tf32_error = std::abs(rounded - ref);
    errors.worst_share = std::max(errors.worst_share, error / bound);
    errors.tf32_worst_share = std::max(errors.tf32_worst_share, tf32_error / bound);
    error2 += error * error;
    tf32_error2 += tf32_error * tf32_error;
    ref2 += ref * ref;
  }
  errors.nmse = error2 / ref2;
  errors.tf32_nmse = tf32_error2 / ref2;
  return errors;
}

}  // namespace

TEST_CASE("the limits let honest fp32 through with room, and stop TF32") {
  for (const int k : {1, 2, 3, 4, 8, 16, 64, 256, 1024, 4096}) {
    CAPTURE(k);
    const DotErrors errors = dot_errors(k, static_cast<uint64_t>(k <= 16 ? 20000 : 1500000 / k));
    const double limit = quality::gemm_nmse_limit(DType::fp32, k);
    CHECK(errors.worst_share < 0.35);
    CHECK(errors.nmse < limit / 5);
    CHECK(errors.tf32_nmse > 1000 * limit);
    CHECK(errors.tf32_worst_share > 1);
  }
}

TEST_CASE("limits by type") {
  CHECK(quality::gemm_nmse_limit(DType::fp32, 4096) == Approx(1.6384e-11));
  CHECK(quality::gemm_nmse_limit(DType::bf16, 4096) == 4e-6);
  CHECK(quality::gemm_nmse_limit(DType::fp16, 4096) == 2e-7);
  CHECK(quality::gemm_nmse_limit(DType::fp64, 4096) < 1e-28);
  // 4 u |ref| + 2.5 u sqrt(16) 2 * 3.
  CHECK(quality::dot_bound(DType::fp32, -8, 16, 2, 3) == Approx((32 + 60) * 0x1p-24));
  CHECK(quality::dot_bound(DType::bf16, 8, 16, 2, 3) == Approx(32 * 0x1p-8 + 60 * 0x1p-24));
  CHECK(std::isnan(quality::dot_bound(DType::fp32, kNan, 16, 2, 3)));
  // Rounding a result to its type must pass that type's norm limit.
  for (const DType dtype : {DType::bf16, DType::fp16}) {
    quality::ErrorSum sum;
    std::byte data[2];
    for (uint64_t i = 0; i < 20000; ++i) {
      const double ref = 20 * quality::normal(5, i);
      quality::store(data, 0, dtype, ref);
      sum.add(quality::load(data, 0, dtype), ref, quality::dot_bound(dtype, ref, 400, 20, 20));
    }
    CHECK(sum.finish("rounded", quality::gemm_nmse_limit(dtype, 400)).passed);
  }
}
