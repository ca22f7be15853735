// The mixed-precision lab: rounding against every value of each type, gradients against finite differences
// in float64, and what must not depend on threads, parts or what is kept.
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>

#include "common/chart/gradients.h"
#include "common/core/random.h"
#include "common/kernel/registry.h"
#include "common/measure/harness.h"
#include "common/measure/isa.h"
#include "common/quality/quality.h"
#include "common/record/derive.h"
#include "common/record/params.h"
#include "common/record/seed_delta.h"
#include "kernels/mixed/trainer.h"
#include "tests/catch.h"
#include "tests/program.h"

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
    // Biases of 0 leave whole regions of zeros exactly on a ReLU's corner.
    for (const Layer& layer : setup.model.layers) {
      for (int o = 0; layer.kind != Layer::Kind::pool && o < layer.out; ++o)
        setup.parameters[size_t(layer.bias + o)] = 0.05f * float(1 + o % 3) * (o % 2 ? -1 : 1);
    }
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
      for (int64_t i = 0; i < 15; ++i) {
        const int64_t at =
            i < 11 ? layer.weight + (i * 7919 + 13) % layer.weights() : layer.bias + i % layer.out;
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

// ---- what must not change a training -------------------------------------------------------------

TEST_CASE("any number of threads trains the same network") {
  for (const char* name : {"mlp", "cnn"}) {
    TrainerSetup setup = small_setup(name);
    const std::vector<float> one = trained(setup);
    setup.threads = 2;
    CHECK(distance(one, trained(setup)) < 1e-6);
  }
}

TEST_CASE("checkpointing gives the same parameters, bit for bit, in less memory") {
  for (const char* name : {"mlp", "cnn"}) {
    const TrainerSetup plain = small_setup(name);
    const TrainerSetup less = small_setup(name, {.checkpointing = true});
    CHECK(trained(plain) == trained(less));
    CHECK(cpu_trainer_bytes(less) < cpu_trainer_bytes(plain));
    CHECK(cpu_trainer_bytes(less) == trainer_of(less)->memory_bytes());
  }
}

TEST_CASE("accumulation gives the same loss and parameters to rounding, in less memory") {
  for (const char* name : {"mlp", "cnn"}) {
    const TrainerSetup plain = small_setup(name);
    TrainerSetup parts = small_setup(name, {.accumulation = true});
    parts.parts = 4;
    StepReport whole, summed;
    const auto a = trained(plain, 5, &whole), b = trained(parts, 5, &summed);
    CHECK(distance(a, b) < 1e-5);
    CHECK(summed.loss == Approx(whole.loss).epsilon(1e-5));
    CHECK(summed.right == whole.right);
    CHECK(cpu_trainer_bytes(parts) < cpu_trainer_bytes(plain));
  }
}

// ---- precisions ----------------------------------------------------------------------------------

TEST_CASE("each emulated precision stays as near to fp32 as its bits allow, and no nearer") {
  const std::vector<float> fp32 = trained(small_setup("cnn"));
  const auto apart = [&](const Precision& precision, int scale_log2 = 0) {
    TrainerSetup setup = small_setup("cnn", precision);
    setup.scale_log2 = scale_log2;
    return distance(fp32, trained(setup));
  };
  const double tf32 = apart({.multiplied = Element::tf32, .emulated = true});
  const double fp16 =
      apart({.stored = Element::fp16, .scale = LossScale::fixed, .emulated = true}, 10);
  const double bf16 = apart({.stored = Element::bf16, .emulated = true});
  const double fp8 =
      apart({.stored = Element::bf16, .multiplied = Element::e4m3, .emulated = true});
  INFO("tf32 " << tf32 << ", fp16 " << fp16 << ", bf16 " << bf16 << ", fp8 " << fp8);
  CHECK(tf32 > 1e-6);
  CHECK(tf32 < 1e-3);
  CHECK(fp16 < 1e-3);
  CHECK(bf16 > 2 * fp16);
  CHECK(bf16 < 2e-2);
  CHECK(fp8 > 2 * bf16);
  CHECK(fp8 < 0.2);
}

TEST_CASE("bf16 in memory trains as bf16 emulated does") {
  if (!has_bf16()) return;
  for (const char* name : {"mlp", "cnn"}) {
    const auto real = trained(small_setup(name, {.stored = Element::bf16}));
    const auto emulated = trained(small_setup(name, {.stored = Element::bf16, .emulated = true}));
    const auto fp32 = trained(small_setup(name));
    INFO(name);
    CHECK(distance(emulated, real) < 1.5 * distance(emulated, fp32));
  }
}

TEST_CASE("without a scale small gradients of fp16 are zero; with one they are not") {
  const auto zeros = [](const Precision& precision, int scale_log2) {
    TrainerSetup setup = small_setup("mlp", precision);
    setup.model = make_model("mlp", 24, 8);
    setup.parameters = initial_parameters(setup.model, 3);
    // Smaller weights, as deep networks have them: gradients shrink from layer to layer.
    for (float& w : setup.parameters) w *= 0.2f;
    setup.scale_log2 = scale_log2;
    const auto trainer = trainer_of(setup);
    const auto images = first_images(512);
    REQUIRE(trainer->step(small_set().train, images.data(), 0.01f, true));
    const GradientCount count = trainer->counted();
    int64_t all = count.zeros;
    for (const int64_t some : count.exponents) all += some;
    return double(count.zeros) / double(all);
  };
  const double fp32 = zeros({}, 0);
  const double naive = zeros({.stored = Element::fp16, .master = false, .emulated = true}, 0);
  const double scaled =
      zeros({.stored = Element::fp16, .scale = LossScale::fixed, .emulated = true}, 14);
  INFO("zeros: fp32 " << fp32 << ", naive " << naive << ", scaled " << scaled);
  CHECK(naive > fp32 + 0.1);
  CHECK(scaled < fp32 + 0.02);
}

TEST_CASE("dynamic scaling leaves an overflowing step out, halves, and finds its factor") {
  TrainerSetup setup =
      small_setup("mlp", {.stored = Element::fp16, .scale = LossScale::dynamic, .emulated = true});
  setup.scale_log2 = 30;
  const auto trainer = trainer_of(setup);
  const auto images = first_images(512);
  REQUIRE(trainer->step(small_set().train, images.data(), 0.05f, false));
  CHECK(trainer->parameters() == setup.parameters);  // left out
  CHECK((*trainer->report()).left_out == 1);
  CHECK((*trainer->report()).finite);
  for (int i = 0; i < 20; ++i)
    REQUIRE(trainer->step(small_set().train, images.data(), 0.05f, false));
  CHECK((*trainer->report()).left_out > 1);
  CHECK((*trainer->report()).left_out < 21);
  CHECK(trainer->parameters() != setup.parameters);
  CHECK((*trainer->report()).scale < std::ldexp(1.0, 30));
  // A fixed factor as large notices nothing.
  setup.precision.scale = LossScale::fixed;
  const auto blind = trainer_of(setup);
  REQUIRE(blind->step(small_set().train, images.data(), 0.05f, false));
  CHECK_FALSE((*blind->report()).finite);
}

// ---- as a training -------------------------------------------------------------------------------

namespace {

Result<std::unique_ptr<Training>> training_of(const char* id, const Params& given) {
  const TrainDesc* desc = find_training(id);
  if (desc == nullptr) FAIL("no training is called " << id);
  const auto params = resolve_params(desc->maker->params(*desc), given, "mixed");
  if (!params) return params.error();
  return desc->maker->build(*desc, *params, 1);
}

}  // namespace

TEST_CASE("a rung's steps, loss and gradients are reported; an emulated one says that it is") {
  const Params small = {{"width", int64_t{16}}, {"batch", int64_t{64}}, {"epochs", int64_t{1}}};
  auto fp32 = training_of("mixed.cpu.fp32", small);
  REQUIRE(fp32);
  CHECK_FALSE((*fp32)->is_emulated());
  REQUIRE((*fp32)->step());
  const auto seen = (*fp32)->observe();
  CHECK(seen.at("loss") > 1);
  CHECK(seen.contains("gradient_zero"));
  double all = seen.at("gradient_zero");
  for (const auto& [name, value] : seen) all += name.starts_with("gradient_2^") ? value : 0;
  CHECK(all == Approx(1));
  CHECK((*fp32)->memory_bytes() > 0);
  auto naive = training_of("mixed.cpu.fp16_naive", small);
  REQUIRE(naive);
  CHECK((*naive)->is_emulated());
}

TEST_CASE("what cannot be is one sentence: a batch that is no multiple, a limit it does not fit") {
  const auto odd =
      training_of("mixed.cpu.accumulation", {{"batch", int64_t{48}}, {"parts", int64_t{4}}});
  REQUIRE_FALSE(odd);
  CHECK(odd.error().what == "a batch of 48 is no multiple of 64");
  const Params wide = {{"batch", int64_t{8192}}, {"memory_mib", int64_t{8}}};
  const auto large = training_of("mixed.cpu.fp32", wide);
  REQUIRE_FALSE(large);
  CHECK(large.error().what.find("largest batch within 8 MiB") != std::string::npos);
  // The rungs that save memory have room for more.
  const auto largest = [](const char* id) {
    const auto made = training_of(id, {{"memory_mib", int64_t{16}},
                                       {"batch", int64_t{64}},
                                       {"layers", int64_t{9}},
                                       {"width", int64_t{64}}});
    REQUIRE(made);
    const std::string note = (*made)->note();
    return std::stoll(note.substr(note.find(": ") + 2));
  };
  const auto plain = largest("mixed.cpu.fp32");
  CHECK(plain > 64);
  CHECK(largest("mixed.cpu.checkpointing") > plain);
  CHECK(largest("mixed.cpu.accumulation") > 2 * plain);
}

// ---- seeds and gradients, as they are shown ------------------------------------------------------

namespace {

Series judged(const std::string& kernel, int64_t seed, double accuracy) {
  Series series;
  series.kernel = kernel, series.kind = "training", series.status = SeriesStatus::ok;
  series.params = {{"seed", seed}, {"batch", int64_t{64}}};
  QualityCheck check;
  check.task = {{"accuracy", accuracy}}, check.passed = true;
  series.checks = {check};
  return series;
}

}  // namespace

TEST_CASE("paired seeds: the mean difference with Student's interval, pairs only") {
  std::vector<Series> made;
  for (int64_t seed = 1; seed <= 8; ++seed) {
    const double level = 0.85 + 0.01 * double(seed);  // what a seed alone does cancels
    made.push_back(judged("mixed.cpu.fp32", seed, level));
    made.push_back(judged("mixed.cpu.bf16", seed, level - 0.002 + (seed % 2 ? 0.001 : -0.001)));
  }
  made.push_back(judged("mixed.cpu.bf16", 99, 0.1));  // without its pair
  std::vector<const Series*> all;
  for (const Series& series : made) all.push_back(&series);
  const auto delta =
      seed_delta(all, "mixed.cpu.fp32", "mixed.cpu.bf16", made[0].params, "accuracy");
  REQUIRE(delta);
  CHECK(delta->seeds == 8);
  CHECK(delta->mean == Approx(-0.002));
  // Deviation 0.001 * sqrt(8 / 7), over sqrt(8), times t(7) = 2.365.
  REQUIRE(delta->ci);
  CHECK(delta->ci->high == Approx(-0.002 + 2.365 * 0.001 / std::sqrt(7)).epsilon(1e-3));
  CHECK(seed_delta_text(*delta) == "−0.20 points [−0.29, −0.11], 8 paired seeds");
  made[0].params["batch"] = int64_t{128};  // another problem is no pair
  CHECK(seed_delta(all, "mixed.cpu.fp32", "mixed.cpu.bf16", made[2].params, "accuracy")->seeds ==
        7);
  CHECK_FALSE(seed_delta(all, "mixed.cpu.fp32", "mixed.cpu.tf32", made[2].params, "accuracy"));
}

TEST_CASE(
    "the chart of gradients: one line a training, what lies below fp16's floor, none without") {
  Series series = judged("mixed.cpu.fp32", 1, 0.9);
  CHECK_FALSE(chart::has_gradients(series));
  CurvePoint point{.step = 100, .t_s = 1};
  point.values = {{"gradient_zero", 0.25}, {"gradient_2^-30", 0.25}, {"gradient_2^-10", 0.5}};
  series.curve = {point, {.step = 101, .t_s = 1.01, .values = {{"loss", 1.0}}}};
  REQUIRE(chart::has_gradients(series));
  chart::LadderRow row;
  row.label = "fp32", row.series = &series;
  const std::vector<chart::LadderRow> rows = {row};
  const auto model = chart::gradient_chart(rows);
  REQUIRE(model.plot->curves.size() == 1);
  REQUIRE(model.plot->curves[0].data.size() == 21);
  CHECK(model.plot->curves[0].data.front().y == 0.25);
  CHECK(model.plot->curves[0].data[1].y == 0);
  CHECK(model.plot->x.low < -30);
  REQUIRE(model.table.rows.size() == 1);
  CHECK(model.table.rows[0][3] == "25.0 %");
  CHECK(chart::gradient_chart({}).plot->empty_reason != "");
}

TEST_CASE("from the command line: seeds in a range, an emulated rung without a speed") {
  const std::string bin = test::variable("RIDGE_BIN");
  if (bin.empty()) return;
  const test::Outcome run =
      test::Program(bin, {"run", "mixed", "--rungs", "mixed.cpu.fp32,mixed.cpu.fp16_static",
                          "--set", "seed=1..2", "--set", "width=16", "--set", "batch=4096", "--set",
                          "epochs=1", "--mode", "live", "--json"})
          .finish();
  INFO(run.err);
  REQUIRE(run.code == 0);
  const nlohmann::json document = run.json();
  const nlohmann::json& results = document["results"];
  REQUIRE(results.size() == 4);
  int emulated = 0;
  for (const nlohmann::json& result : results) {
    CHECK(result["quality"]["task"]["accuracy"].get<double>() > 0.3);
    const nlohmann::json& why = result["unavailable"];
    emulated += why.contains("stats") && why["stats"] == "emulated" && result["stats"].is_null();
  }
  CHECK(emulated == 2);
}
