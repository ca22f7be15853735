// The mixed-precision lab's training: gradients against finite differences in float64, and what must not depend on
// threads, parts or what is kept.
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>

#include "common/core/random.h"
#include "common/harness/kernel/registry.h"
#include "common/harness/measure/harness.h"
#include "common/harness/measure/isa.h"
#include "common/harness/quality/quality.h"
#include "common/record/derive.h"
#include "common/record/params.h"
#include "tests/mixed_reference.h"
#include "tests/skip.h"

using namespace ridge;
using namespace ridge::mixed;
using namespace ridge::mixed::test;

namespace {

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

// ---- gradients -----------------------------------------------------------------------------------

TEST_CASE("gradients agree with finite differences in float64, whatever the layer") {
  struct Case {
    const char* name;
    int width, depth;
    int64_t batch;
    int threads;
  };
  // Widths that fill no vector, batches that no tile divides, more threads than cores.
  for (const auto& [name, width, depth, batch, threads] :
       {Case{"mlp", 24, 3, 16, 1}, Case{"mlp", 35, 2, 48, 3}, Case{"cnn", 2, 2, 16, 1},
        Case{"cnn", 3, 1, 16, 3}}) {
    TrainerSetup setup = small_setup(name);
    setup.model = make_model(name, width, depth);
    setup.parameters = initial_parameters(setup.model, 3);
    setup.batch = batch, setup.threads = threads;
    set_biases(&setup);
    const auto trainer = trainer_of(setup);
    check_gradient(trainer.get(), setup, 11, 4, 1e-3);
    // Each number that a layer with weights has made has a gradient.
    const GradientCount count = trainer->counted();
    int64_t counted = count.zeros, made = 0;
    for (const int64_t some : count.exponents) counted += some;
    for (const Layer& layer : setup.model.layers)
      made += layer.kind == Layer::Kind::pool ? 0 : batch * layer.out_size();
    CHECK(counted == made);
  }
}

// ---- what must not change a training -------------------------------------------------------------

TEST_CASE("any number of threads trains the same network, bit for bit") {
  const Precision kinds[] = {
      {},
      {.checkpointing = true},
      {.multiplied = Element::tf32, .emulated = true},
      {.stored = Element::bf16, .multiplied = Element::e4m3, .emulated = true}};
  for (const char* name : {"mlp", "cnn"}) {
    for (const Precision& precision : kinds) {
      TrainerSetup setup = small_setup(name, precision);
      const std::vector<float> one = trained(setup);
      // 40: more than there are groups of images, so that some threads have none.
      for (const int threads : {3, 40}) {
        setup.threads = threads;
        // Not as vectors: what they hold is no help.
        const bool same = trained(setup) == one;
        INFO(name << " " << &precision - kinds << ", " << threads << " threads");
        CHECK(same);
      }
    }
  }
}

TEST_CASE("a batch of many blocks gives the gradient of its parts") {
  for (const Element stored : {Element::fp32, Element::bf16}) {
    if (stored == Element::bf16 && !has_bf16()) continue;
    // Rows, columns and sums beyond a block of each: 112, 256 and 1024.
    TrainerSetup setup = small_setup("mlp", {.stored = stored, .accumulation = true});
    setup.model = make_model("mlp", 300, 2);
    setup.parameters = initial_parameters(setup.model, 3);
    setup.batch = 2080, setup.threads = 2;
    std::vector<int32_t> images = first_images(setup.batch);
    for (int32_t& image : images) image %= 512;
    const auto gradient = [&](int64_t parts) {
      setup.parts = parts;
      const auto trainer = trainer_of(setup);
      REQUIRE(trainer->step(small_set().train, images.data(), 0.01f, false));
      return trainer->gradient();
    };
    CHECK(distance(gradient(1), gradient(65)) < (stored == Element::bf16 ? 1e-2 : 1e-5));
  }
}

TEST_CASE("bf16 in memory says what it cannot multiply in pairs") {
  if (!has_bf16()) RIDGE_SKIP("this CPU multiplies no pairs of bf16");
  TrainerSetup setup = small_setup("mlp", {.stored = Element::bf16});
  setup.model = make_model("mlp", 25, 1);
  const auto made = make_cpu_trainer(setup);
  REQUIRE_FALSE(made);
  CHECK(made.error().what == "pairs of bf16 are multiplied, and 25 is odd");
  // Channels are filled up where an image is framed.
  TrainerSetup cnn = small_setup("cnn", {.stored = Element::bf16});
  cnn.model = make_model("cnn", 3, 2);
  cnn.parameters = initial_parameters(cnn.model, 3);
  TrainerSetup fp32 = cnn;
  fp32.precision = {};
  CHECK(distance(trained(fp32), trained(cnn)) < 2e-2);
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
