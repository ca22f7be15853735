// The mixed-precision lab's training on a GPU: gradients against finite differences in float64 and against the CPU's,
// loss scaling, and what must not change a training.
#include <cmath>

#include "common/harness/kernel/registry.h"
#include "common/record/params.h"
#include "kernels/mixed/training.h"
#include "tests/cuda_support.h"
#include "tests/mixed_reference.h"

using namespace ridge;
using namespace ridge::mixed;
using namespace ridge::mixed::test;

namespace {

TrainerSetup setup_of(const std::string& name, int width, int depth,
                      const Precision& precision = {}, int scale_log2 = 0) {
  TrainerSetup setup;
  setup.model = make_model(name, width, depth);
  setup.precision = precision;
  setup.scale_log2 = scale_log2;
  setup.batch = 64;
  setup.parameters = initial_parameters(setup.model, 3);
  set_biases(&setup);
  return setup;
}

std::unique_ptr<Trainer> on_gpu(const TrainerSetup& setup) {
  auto made = make_cuda_trainer(setup);
  REQUIRE(made);
  CHECK((*made)->memory_bytes() == cuda_trainer_bytes(setup));
  return std::move(*made);
}

std::vector<float> first_gradient(Trainer* trainer, int64_t batch) {
  const auto images = first_images(batch);
  REQUIRE(trainer->step(small_set().train, images.data(), 0.01f, true));
  REQUIRE(trainer->report());
  return trainer->gradient();
}

std::vector<float> trained(Trainer* trainer, StepReport* last = nullptr) {
  const auto images = first_images(512);
  for (int i = 0; i < 5; ++i)
    REQUIRE(trainer->step(small_set().train, &images[size_t(i % 8 * 64)], 0.05f, false));
  if (last != nullptr) *last = *trainer->report();
  return trainer->parameters();
}

constexpr Precision kTf32 = {.multiplied = Element::tf32};
constexpr Precision kBf16 = {.stored = Element::bf16};
constexpr Precision kFp16 = {.stored = Element::fp16, .scale = LossScale::fixed};
constexpr Precision kFp8 = {.stored = Element::bf16, .multiplied = Element::e4m3};
constexpr Precision kFp8Emulated = {
    .stored = Element::bf16, .multiplied = Element::e4m3, .emulated = true};

std::vector<float> weights_of(const Layer& layer, const std::vector<float>& all) {
  return {all.begin() + layer.weight, all.begin() + layer.weight + layer.weights()};
}

}  // namespace

TEST_CASE("gradients on a GPU agree with finite differences in float64, whatever the layer") {
  if (measure::gpu() == nullptr) return;
  for (TrainerSetup setup :
       {setup_of("mlp", 24, 3), setup_of("cnn", 8, 1), setup_of("cnn", 8, 2)}) {
    setup.batch = 16;
    INFO(setup.model.name << ", " << setup.model.layers.size() << " layers");
    check_gradient(on_gpu(setup).get(), setup, 5, 2, 3e-3);
  }
}

TEST_CASE("gradients on a GPU are the CPU's, for every width that kernels divide otherwise") {
  if (measure::gpu() == nullptr) return;
  for (const int channels : {8, 16, 24, 32, 72}) {
    for (const int depth : {1, 2}) {
      if (channels * depth > 72) continue;
      TrainerSetup setup = setup_of("cnn", channels, depth);
      setup.batch = 48;  // windows of several images, and a tile that ends within
      const auto cpu = make_cpu_trainer(setup);
      REQUIRE(cpu);
      const auto plain = first_gradient(cpu->get(), setup.batch);
      const auto apart = [&](const Precision& precision, int scale_log2 = 0) {
        TrainerSetup other = setup;
        other.precision = precision, other.scale_log2 = scale_log2;
        return distance(plain, first_gradient(on_gpu(other).get(), setup.batch));
      };
      INFO(channels << " channels, " << depth << " convolutions");
      CHECK(apart({}) < 1e-4);  // some pixels of a pool change places in the last bit
      CHECK(apart(kTf32) < 6e-3);
      CHECK(apart(kFp16, 10) < 6e-3);
      CHECK(apart(kBf16) < 5e-2);
    }
  }
}

TEST_CASE("fp8 on a GPU says where it cannot") {
  if (measure::gpu() == nullptr) return;
  const auto none = make_cuda_trainer(setup_of("cnn", 16, 1, kFp8));
  REQUIRE_FALSE(none);
  CHECK(none.error().code == ErrorCode::unavailable);
}

// Which product is wrong is seen by which layers are: the last layer, itself in bf16, multiplies what came
// forward; the one before it forms its gradient in fp8; those below have a slope that came back through fp8.
TEST_CASE("fp8 with a scale for each tensor: every layer's gradient is as far off as emulated") {
  if (measure::gpu() == nullptr || measure::capability() < 89) return;
  struct Case {
    int width, depth, batch, parts;
  };
  // 80 and 48 end within a tile of the kernel that turns; in parts, products add to what is there.
  for (const Case& c : {Case{64, 3, 64, 1}, Case{80, 2, 48, 1}, Case{80, 3, 96, 2}}) {
    TrainerSetup setup = setup_of("mlp", c.width, c.depth);
    setup.batch = c.batch;
    const auto gradient = [&](const Precision& precision, auto make) {
      setup.precision = precision, setup.parts = c.parts;
      setup.precision.accumulation = c.parts > 1;
      const auto made = make(setup);
      REQUIRE(made);
      return first_gradient(made->get(), setup.batch);
    };
    const auto plain = gradient({}, make_cuda_trainer), bf16 = gradient(kBf16, make_cuda_trainer);
    const auto real = gradient(kFp8, make_cuda_trainer);
    const auto emulated = gradient(kFp8Emulated, make_cpu_trainer);
    for (const Layer& layer : setup.model.layers) {
      const auto off = [&](const std::vector<float>& all) {
        return distance(weights_of(layer, plain), weights_of(layer, all));
      };
      INFO("width " << c.width << ", batch " << c.batch << " in " << c.parts << ", layer "
                    << &layer - setup.model.layers.data() << ": bf16 " << off(bf16) << ", fp8 "
                    << off(real) << ", emulated " << off(emulated));
      CHECK(off(real) > 1.5 * off(bf16));  // it is in fp8
      CHECK(off(real) < 1.3 * off(emulated));
    }
  }
}

TEST_CASE("fp8 on a GPU trains as its emulation does: each step casts the weights that it finds") {
  if (measure::gpu() == nullptr || measure::capability() < 89) return;
  const TrainerSetup setup = setup_of("mlp", 64, 3, kFp8);
  TrainerSetup plain = setup, emulated = setup;
  plain.precision = {}, emulated.precision = kFp8Emulated;
  const auto moved = [&](const std::unique_ptr<Trainer>& trainer) {
    auto all = trained(trainer.get());
    for (size_t i = 0; i < all.size(); ++i) all[i] -= setup.parameters[i];
    return all;
  };
  const auto there = moved(on_gpu(plain)), real = moved(on_gpu(setup));
  auto made = make_cpu_trainer(emulated);
  REQUIRE(made);
  const double off = distance(there, real), expected = distance(there, moved(*made));
  INFO("fp8 " << off << ", emulated " << expected);
  CHECK(off < 1.3 * expected);
  CHECK(moved(on_gpu(setup)) == real);
}

TEST_CASE("the gradients' histogram is the CPU's") {
  if (measure::gpu() == nullptr) return;
  for (const int depth : {1, 2}) {
    const TrainerSetup setup = setup_of("cnn", 8, depth);
    const auto cpu = make_cpu_trainer(setup);
    REQUIRE(cpu);
    const auto gpu = on_gpu(setup);
    first_gradient(cpu->get(), setup.batch), first_gradient(gpu.get(), setup.batch);
    const GradientCount a = (*cpu)->counted(), b = gpu->counted();
    int64_t all = a.zeros, other = b.zeros, apart = std::abs(a.zeros - b.zeros);
    for (size_t i = 0; i < a.exponents.size(); ++i) {
      all += a.exponents[i], other += b.exponents[i];
      apart += std::abs(a.exponents[i] - b.exponents[i]);
    }
    CHECK(all == other);
    CHECK(double(apart) < 1e-3 * double(all));
  }
}

TEST_CASE("a training on a GPU: the same bits again, checkpointed too; in parts to rounding") {
  if (measure::gpu() == nullptr) return;
  for (const char* name : {"mlp", "cnn"}) {
    const int width = name[0] == 'c' ? 16 : 48;
    for (const Precision& precision : {Precision{}, kBf16}) {
      INFO(name << (precision.stored == Element::bf16 ? ", bf16" : ", fp32"));
      const TrainerSetup plain = setup_of(name, width, 3, precision);
      StepReport whole, summed;
      const auto once = trained(on_gpu(plain).get(), &whole);
      CHECK(once == trained(on_gpu(plain).get()));
      TrainerSetup less = plain;
      less.precision.checkpointing = true;
      CHECK(once == trained(on_gpu(less).get()));
      CHECK(cuda_trainer_bytes(less) < cuda_trainer_bytes(plain));
      TrainerSetup parts = plain;
      parts.precision.accumulation = true, parts.parts = 4;
      CHECK(distance(once, trained(on_gpu(parts).get(), &summed)) <
            (precision.stored == Element::bf16 ? 4e-3 : 1e-5));
      CHECK(summed.loss == Approx(whole.loss).epsilon(3e-3));
      CHECK(cuda_trainer_bytes(parts) < cuda_trainer_bytes(plain));
    }
  }
}

TEST_CASE(
    "dynamic scaling on a GPU leaves an overflowing step out and halves; a fixed factor diverges") {
  if (measure::gpu() == nullptr) return;
  for (const char* name : {"mlp", "cnn"}) {
    INFO(name);
    TrainerSetup setup =
        setup_of(name, 16, 1, {.stored = Element::fp16, .scale = LossScale::dynamic}, 30);
    const auto trainer = on_gpu(setup);
    const auto images = first_images(512);
    REQUIRE(trainer->step(small_set().train, images.data(), 0.05f, false));
    CHECK(trainer->parameters() == setup.parameters);
    CHECK((*trainer->report()).left_out == 1);
    CHECK((*trainer->report()).scale == std::ldexp(1.0, 29));
    CHECK((*trainer->report()).finite);
    for (int i = 0; i < 20; ++i)
      REQUIRE(trainer->step(small_set().train, images.data(), 0.05f, false));
    CHECK((*trainer->report()).left_out > 1);
    CHECK((*trainer->report()).left_out < 21);
    CHECK(trainer->parameters() != setup.parameters);
    setup.precision.scale = LossScale::fixed;
    const auto blind = on_gpu(setup);
    REQUIRE(blind->step(small_set().train, images.data(), 0.05f, false));
    CHECK_FALSE((*blind->report()).finite);
  }
}

TEST_CASE("a memory limit on a GPU names the largest batch that fits") {
  if (measure::gpu() == nullptr) return;
  const auto largest = [](const char* id) {
    const TrainDesc* desc = find_training(id);
    REQUIRE(desc != nullptr);
    const auto params = resolve_params(desc->maker->params(*desc),
                                       {{"memory_mib", int64_t{64}},
                                        {"batch", int64_t{64}},
                                        {"layers", int64_t{9}},
                                        {"width", int64_t{64}}},
                                       "mixed");
    REQUIRE(params);
    const auto made = desc->maker->build(*desc, *params, 1);
    REQUIRE(made);
    CHECK((*made)->memory_bytes() <= 64.0 * 1048576);
    const std::string note = (*made)->note();
    REQUIRE(note.find(": ") != std::string::npos);
    return std::stoll(note.substr(note.find(": ") + 2));
  };
  const auto plain = largest("mixed.cuda.bf16");
  CHECK(plain > 64);
  CHECK(largest("mixed.cuda.fp32") < plain);
  CHECK(largest("mixed.cuda.checkpointing") > plain);
  CHECK(largest("mixed.cuda.accumulation") > 2 * plain);
}

TEST_CASE("every kernel of a training step runs under the sanitizer", "[.sanitizer]") {
  if (measure::gpu() == nullptr) return;
  for (const Precision& precision :
       {Precision{}, kTf32, kBf16, kFp16, Precision{.stored = Element::fp16, .master = false}}) {
    for (TrainerSetup setup : {setup_of("mlp", 24, 2, precision), setup_of("cnn", 8, 2, precision),
                               setup_of("cnn", 40, 1, precision)}) {
      setup.batch = 32;
      first_gradient(on_gpu(setup).get(), setup.batch);
    }
  }
  if (measure::capability() < 89) return;
  first_gradient(on_gpu(setup_of("mlp", 48, 2, kFp8)).get(), 64);
}
