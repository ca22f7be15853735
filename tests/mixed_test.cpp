// The mixed-precision lab: rounding against every value of each type, gradients against finite differences
// in float64, and what must not depend on threads, parts or what is kept.
#include <cfloat>
#include <cmath>

#include "common/core/random.h"
#include "common/kernel/registry.h"
#include "common/measure/harness.h"
#include "common/measure/isa.h"
#include "common/quality/quality.h"
#include "common/record/derive.h"
#include "common/record/params.h"
#include "kernels/mixed/trainer.h"
#include "tests/catch.h"

using namespace ridge;
using namespace ridge::mixed;

namespace {

// ---- the network once more, in float64, from its definition --------------------------------------

struct Reference {
  const Model& model;
  std::vector<double> parameters;

  std::vector<double> layer(const Layer& l, const std::vector<double>& x) const {
    std::vector<double> y(size_t(l.out_size()));
    const auto at = [&](int row, int column, int c) {
      return x[size_t((row * l.side + column) * l.in + c)];
    };
    if (l.kind == Layer::Kind::pool) {
      for (int r = 0; r < l.side / 2; ++r)
        for (int q = 0; q < l.side / 2; ++q)
          for (int c = 0; c < l.in; ++c) {
            const double high = std::max({at(2 * r, 2 * q, c), at(2 * r, 2 * q + 1, c),
                                          at(2 * r + 1, 2 * q, c), at(2 * r + 1, 2 * q + 1, c)});
            y[size_t((r * (l.side / 2) + q) * l.in + c)] = std::max(high, 0.0);
          }
      return y;
    }
    for (int64_t p = 0; p < l.pixels(); ++p) {
      for (int o = 0; o < l.out; ++o) {
        const double* w = &parameters[size_t(l.weight + int64_t{o} * l.inputs())];
        double sum = parameters[size_t(l.bias + o)];
        for (int i = 0; i < l.inputs(); ++i) {
          if (l.kind == Layer::Kind::dense) {
            sum += w[i] * x[size_t(i)];
            continue;
          }
          const int t = i / l.in, row = int(p) / l.side + t / 3 - 1,
                    column = int(p) % l.side + t % 3 - 1;
          if (row >= 0 && row < l.side && column >= 0 && column < l.side)
            sum += w[i] * at(row, column, i % l.in);
        }
        y[size_t(p * l.out + o)] = l.relu ? std::max(sum, 0.0) : sum;
      }
    }
    return y;
  }

  /// Mean cross-entropy of the images.
  double loss(const ImageSet& set, const std::vector<int32_t>& images) const {
    double total = 0;
    for (const int32_t image : images) {
      std::vector<double> x(kGarmentPixels);
      for (size_t i = 0; i < x.size(); ++i) x[i] = (double(set.image(image)[i]) - 72.94) / 90.03;
      for (const Layer& l : model.layers) x = layer(l, x);
      const double high = *std::max_element(x.begin(), x.end());
      double sum = 0;
      for (const double score : x) sum += std::exp(score - high);
      total += std::log(sum) + high - x[set.labels[size_t(image)]];
    }
    return total / double(images.size());
  }
};

const Garments& small_set() {
  static const Garments set = synthetic_garments(512, 64, 5);
  return set;
}

TrainerSetup small_setup(const std::string& name, const Precision& precision = {}) {
  TrainerSetup setup;
  setup.model = name == "cnn" ? make_model(name, 2, 2) : make_model(name, 24, 3);
  setup.precision = precision;
  setup.batch = 64;
  setup.parameters = initial_parameters(setup.model, 3);
  return setup;
}

std::unique_ptr<Trainer> trainer_of(const TrainerSetup& setup) {
  auto made = make_cpu_trainer(setup);
  REQUIRE(made);
  return std::move(*made);
}

std::vector<int32_t> first_images(int64_t count) {
  std::vector<int32_t> images(static_cast<size_t>(count));
  for (size_t i = 0; i < images.size(); ++i) images[i] = int32_t(i);
  return images;
}

double distance(const std::vector<float>& a, const std::vector<float>& b) {
  double apart = 0, size = 0;
  for (size_t i = 0; i < a.size(); ++i)
    apart += std::pow(double(a[i]) - b[i], 2), size += std::pow(double(a[i]), 2);
  return std::sqrt(apart / size);
}

/// Parameters after a few steps.
std::vector<float> trained(const TrainerSetup& setup, int steps = 5, StepReport* last = nullptr) {
  const auto trainer = trainer_of(setup);
  const auto images = first_images(512);
  for (int i = 0; i < steps; ++i)
    REQUIRE(trainer->step(small_set().train, &images[size_t(i % 8 * 64)], 0.05f, false));
  if (last != nullptr) *last = *trainer->report();
  return trainer->parameters();
}

bool has_bf16() {
  std::string reason;
  return measure::isa_available("avx512bf16", &reason);
}

}  // namespace

// ---- rounding ------------------------------------------------------------------------------------

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

// ---- gradients -----------------------------------------------------------------------------------

TEST_CASE("gradients agree with finite differences in float64, whatever the layer") {
  for (const char* name : {"mlp", "cnn"}) {
    TrainerSetup setup = small_setup(name);
    setup.batch = 16;
    const auto images = first_images(setup.batch);
    const auto trainer = trainer_of(setup);
    REQUIRE(trainer->step(small_set().train, images.data(), 0.01f, true));
    const std::vector<float> gradient = trainer->gradient();
    Reference reference{setup.model, {setup.parameters.begin(), setup.parameters.end()}};
    CHECK((*trainer->report()).loss ==
          Approx(reference.loss(small_set().train, images)).epsilon(1e-5));
    // Of each layer some weights, spread, and some biases.
    for (const Layer& layer : setup.model.layers) {
      if (layer.kind == Layer::Kind::pool) continue;
      double apart = 0, size = 0;
      for (int64_t i = 0; i < 24; ++i) {
        const int64_t at =
            i < 18 ? layer.weight + (i * 7919 + 13) % layer.weights() : layer.bias + i % layer.out;
        const double here = reference.parameters[size_t(at)], step = 1e-5;
        reference.parameters[size_t(at)] = here + step;
        const double above = reference.loss(small_set().train, images);
        reference.parameters[size_t(at)] = here - step;
        const double below = reference.loss(small_set().train, images);
        reference.parameters[size_t(at)] = here;
        const double slope = (above - below) / (2 * step);
        apart += std::pow(gradient[size_t(at)] - slope, 2), size += slope * slope;
      }
      INFO(name << ", layer " << &layer - setup.model.layers.data());
      CHECK(size > 0);
      CHECK(std::sqrt(apart / size) < 1e-3);  // a ReLU's or pool's corner within the step is in it
    }
    CHECK(trainer->counted().zeros + trainer->counted().exponents[30] >= 0);
  }
}
