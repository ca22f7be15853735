// What a number becomes in each emulated type: against every value that the type has.
#include <cfloat>
#include <cmath>
#include <cstring>

#include "common/core/random.h"
#include "common/quality/quality.h"
#include "kernels/mixed/trainer.h"
#include "tests/catch.h"

using namespace ridge;
using namespace ridge::mixed;

namespace {

/// Every finite number of a format from 0 up, from its bits.
std::vector<double> values_of(int bits, int mantissa, int bias, double most) {
  std::vector<double> all;
  for (uint32_t word = 0; word < 1u << (bits - 1); ++word) {
    const int field = int(word >> mantissa);
    const double fraction = double(word & ((1u << mantissa) - 1)) / double(1u << mantissa);
    const double value =
        field == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, field - bias);
    if (value <= most) all.push_back(value);
  }
  return all;
}

void check_rounding(Element element, const std::vector<double>& all) {
  const Rounding rounding = rounding_of(element);
  int64_t wrong = 0;
  const auto expect = [&](float x, double right) {
    wrong += round_to(x, rounding) != static_cast<float>(right);
    wrong += round_to(-x, rounding) != static_cast<float>(-right);
  };
  for (size_t i = 0; i < all.size(); ++i) {
    expect(float(all[i]), all[i]);
    if (i + 1 == all.size()) break;
    // Rounding does not fall, so that both sides of every middle settle all that lies between.
    const auto middle = static_cast<float>((all[i] + all[i + 1]) / 2);
    if (double(middle) != (all[i] + all[i + 1]) / 2) continue;  // bf16's least: no fp32 between
    expect(middle, i % 2 == 0 ? all[i] : all[i + 1]);
    expect(std::nextafter(middle, 0.0f), all[i]);
    expect(std::nextafter(middle, FLT_MAX), all[i + 1]);
  }
  INFO("values " << all.size());
  CHECK(wrong == 0);
  CHECK(std::signbit(round_to(-0.0f, rounding)));
  CHECK(std::isnan(round_to(NAN, rounding)));
}

}  // namespace

TEST_CASE(
    "rounding is exact: every value of each type, and both sides of every point between two") {
  check_rounding(Element::fp16, values_of(16, 10, 15, 65504));
  check_rounding(Element::bf16, values_of(16, 7, 127, 0x1.fep127));
  check_rounding(Element::e4m3, values_of(8, 3, 7, 448));
  check_rounding(Element::e5m2, values_of(8, 2, 15, 57344));
  check_rounding(Element::tf32, values_of(19, 10, 127, 0x1.ffcp127));
}

TEST_CASE("beyond the largest: infinity in fp16 and bf16, the largest in fp8, as the gate rounds") {
  CHECK(round_to(65519.0f, rounding_of(Element::fp16)) == 65504);
  CHECK(std::isinf(round_to(65520.0f, rounding_of(Element::fp16))));
  CHECK(std::isinf(round_to(FLT_MAX, rounding_of(Element::bf16))));
  CHECK(round_to(1e9f, rounding_of(Element::e4m3)) == 448);
  CHECK(round_to(-1e9f, rounding_of(Element::e5m2)) == -57344);
  CHECK(round_to(INFINITY, rounding_of(Element::e4m3)) == 448);
  const std::pair<Element, DType> pairs[] = {{Element::fp16, DType::fp16},
                                             {Element::bf16, DType::bf16},
                                             {Element::e4m3, DType::fp8},
                                             {Element::tf32, DType::tf32}};
  const uint64_t key = random_key(9);
  for (const auto& [element, dtype] : pairs) {
    int64_t wrong = 0;
    for (uint64_t i = 0; i < 200'000; ++i) {
      const auto bits = static_cast<uint32_t>(random_bits(key, i) >> 32);
      float x;
      std::memcpy(&x, &bits, sizeof x);
      if (std::isnan(x)) continue;
      std::byte memory[4] = {};
      quality::store(memory, 0, dtype, x);
      wrong +=
          round_to(x, rounding_of(element)) != static_cast<float>(quality::load(memory, 0, dtype));
    }
    CHECK(wrong == 0);
  }
}
