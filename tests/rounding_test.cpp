// What a number becomes in each emulated type, against every value that the type has; and among the quantization
// lab's integers: levels, clipping points, and tiles of every instruction set.
#include <cfloat>
#include <cmath>
#include <cstring>

#include "common/core/random.h"
#include "common/harness/measure/isa.h"
#include "common/harness/quality/quality.h"
#include "kernels/quantnet/network.h"
#include "kernels/quantnet/tile.h"
#include "kernels/runtime/networks/trainer.h"
#include "tests/catch.h"

using namespace ridge;
using namespace ridge::mixed;
using namespace ridge::quantnet;

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

TEST_CASE("rounded weights are the nearest levels, with a scale for each group") {
  std::vector<float> weights;
  for (size_t i = 0; i < 50; ++i)
    weights.push_back((random_unit(7, i) - 0.5f) * (i < 32 ? 1.0f : 0.01f));
  std::vector<int8_t> q(weights.size());
  std::vector<float> scales(2);
  round_weights(weights, 32, 4, false, q.data(), scales.data());
  CHECK(scales[1] < 0.05f * scales[0]);
  int most = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    const float scale = scales[i / 32];
    CHECK(std::fabs(weights[i] - float(q[i]) * scale) <= 0.5001f * scale);
    most = std::max(most, std::abs(int(q[i])));
  }
  CHECK(most == 7);
  // One outlier: by least squares it is cut off, and the others are nearer.
  weights.assign(200, 0);
  for (size_t i = 0; i < 200; ++i) weights[i] = random_unit(3, i) - 0.5f;
  weights[5] = 3;
  const auto error = [&](bool least) {
    q.resize(weights.size());
    round_weights(weights, 200, 4, least, q.data(), scales.data());
    double sum = 0;
    for (size_t i = 0; i < q.size(); ++i)
      sum += std::pow(double(weights[i]) - double(q[i]) * double(scales[0]), 2);
    return sum;
  };
  CHECK(error(true) < 0.9 * error(false));
}

TEST_CASE("clipping points: the largest keeps all, the others cut an outlier off") {
  std::vector<float> values;
  for (size_t i = 0; i < 20'000; ++i)  // the tail of an exponential, and zeros
    values.push_back(i % 2 == 0 ? 0 : -std::log(1 - random_unit(11, i)));
  values.push_back(80);
  const Histogram histogram = histogram_of(values);
  CHECK(histogram.zeros == 10'000);
  CHECK(clip_of(histogram, Clip::min_max, 16, 1) == 80);
  CHECK(clip_of(histogram, Clip::percentile, 16, 0.99) == Approx(3.9).margin(0.3));
  const double by_error = clip_of(histogram, Clip::least_squares, 16, 1);
  CHECK(by_error < 20);
  CHECK(by_error > 3);
  CHECK(clip_of(histogram, Clip::entropy, 16, 1) < 12);
  // With more levels there is less to win by cutting off.
  CHECK(clip_of(histogram, Clip::least_squares, 256, 1) > by_error);
  CHECK(clip_of(histogram_of(std::vector<float>(9)), Clip::entropy, 256, 1) > 0);
}

TEST_CASE("tiles of every instruction set give the same bits, at the ends of the range too") {
  const uint64_t key = random_key(5);
  const auto make = [&](bool extreme) {
    std::vector<uint8_t> bytes(kTileRows * 200);
    std::vector<int8_t> weights(50 * 64);
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = extreme ? 255 : uint8_t(random_below(key, i, 256));
    for (size_t i = 0; i < weights.size(); ++i)
      weights[i] = extreme ? (i % 128 < 64 ? 127 : -127) : int8_t(random_below(key, i + 999, 255));
    return std::pair(bytes, weights);
  };
  for (const bool extreme : {false, true}) {
    const auto [bytes, weights] = make(extreme);
    std::vector<int32_t> offsets, start(13 * kTileOuts);
    std::vector<float> scale(13 * kTileOuts), add(kTileOuts);
    for (int s = 0; s < 50; ++s) offsets.push_back(196 - 4 * s);
    for (size_t i = 0; i < scale.size(); ++i) {
      start[i] = int32_t(random_below(key, i, 2000)) - 1000;
      scale[i] = (random_unit(key, i) - 0.3f) * 1e-4f;
    }
    for (size_t i = 0; i < add.size(); ++i) add[i] = 40 * random_unit(key, i + 50);
    const auto run = [&, &b = bytes, &w = weights](IntegerTileFunction function, int group,
                                                   bool scores) {
      std::vector<float> out(kTileRows * kTileOuts, -1);
      std::vector<uint8_t> out_bytes(out.size(), 99);
      IntegerTile tile{};
      tile.offsets = offsets.data(), tile.weights = w.data();
      tile.steps = 50, tile.group = group, tile.start = start.data(), tile.scale = scale.data();
      tile.add = add.data(), tile.most = 63, tile.outs = 11;
      for (size_t r = 0; r < kTileRows; ++r) {
        tile.rows[r] = &b[r * 200];
        tile.bytes[r] = scores ? nullptr : &out_bytes[r * kTileOuts];
        tile.scores[r] = &out[r * kTileOuts];
      }
      function(&tile);
      out.insert(out.end(), out_bytes.begin(), out_bytes.end());
      return out;
    };
    for (const int group : {4, 50}) {
      for (const bool scores : {false, true}) {
        const auto expected = run(integer_tile_portable, group, scores);
        std::string reason;
        if (measure::isa_available("avx2", &reason))
          CHECK(run(integer_tile_avx2, group, scores) == expected);
        if (measure::isa_available("avx512bitalg", &reason))
          CHECK(run(integer_tile_vnni, group, scores) == expected);
      }
    }
  }
}

TEST_CASE("tiles of a layer that is kept give the same bits with every instruction set") {
  const uint64_t key = random_key(6);
  std::vector<uint8_t> bytes(kTileRows * 200);
  std::vector<float> weights(50 * 64), scale(kTileOuts), add(kTileOuts);
  std::vector<int32_t> offsets;
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = uint8_t(random_below(key, i, 256));
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = random_unit(key, i + 9999) - 0.4f;
  for (size_t i = 0; i < scale.size(); ++i)
    scale[i] = 0.01f + 0.01f * random_unit(key, i), add[i] = 9 * random_unit(key, i + 70);
  for (int s = 0; s < 50; ++s) offsets.push_back(196 - 4 * s);
  const auto run = [&](IntegerTileFunction function, bool scores) {
    std::vector<float> out(kTileRows * kTileOuts, -1);
    std::vector<uint8_t> out_bytes(out.size(), 99);
    IntegerTile tile{};
    tile.offsets = offsets.data(), tile.kept = weights.data(), tile.zero = 73, tile.steps = 50;
    tile.scale = scale.data(), tile.add = add.data(), tile.most = 63, tile.outs = 11;
    for (size_t r = 0; r < kTileRows; ++r) {
      tile.rows[r] = &bytes[r * 200];
      tile.bytes[r] = scores ? nullptr : &out_bytes[r * kTileOuts];
      tile.scores[r] = &out[r * kTileOuts];
    }
    function(&tile);
    out.insert(out.end(), out_bytes.begin(), out_bytes.end());
    return out;
  };
  std::string reason;
  for (const bool scores : {false, true}) {
    if (measure::isa_available("avx2", &reason))
      CHECK(run(kept_tile_avx2, scores) == run(kept_tile_portable, scores));
  }
  double sum = 0;  // what the definition says of the first output
  for (size_t i = 0; i < 200; ++i)
    sum += (bytes[size_t(offsets[i / 4]) + i % 4] - 73.0) * double(weights[i * kTileOuts]);
  CHECK(double(run(kept_tile_portable, true)[0]) ==
        Approx(sum * double(scale[0]) + double(add[0])).epsilon(1e-4));
}
