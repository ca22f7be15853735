// The quantization lab's networks: engines against their definitions, layers that are kept, fine-tuning and pruning,
// and a gate that refuses for accuracy. On synthetic garments. Rounding and tiles: rounding_test.cpp.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <set>

#include "common/core/random.h"
#include "common/harness/kernel/registry.h"
#include "common/harness/measure/gate.h"
#include "common/harness/measure/isa.h"
#include "common/record/inspection.h"
#include "common/record/params.h"
#include "kernels/quantnet/block_formats.h"
#include "kernels/quantnet/inspect.h"
#include "kernels/quantnet/recipes.h"
#include "kernels/quantnet/tuning.h"
#include "kernels/runtime/networks/trainer.h"
#include "tests/catch.h"
#include "tests/program.h"

using namespace ridge;
using namespace ridge::quantnet;

namespace {

/// Neither the machine's data nor its cache of models.
struct Apart {
  test::Folder folder;
  Apart() {
    setenv("RIDGEPOINT_DATA", (folder.path / "none").c_str(), 1);
    setenv("XDG_CACHE_HOME", folder.path.c_str(), 1);
  }
};
const Apart apart;

const ImageSet& few_images() {
  static const Garments set = synthetic_garments(512, 64, 3);
  return set.train;
}

TrainedNet untrained(const std::string& model = "cnn", int width = 64) {
  return **train({.model = model, .width = width, .epochs = 0}, {}, nullptr);
}

Result<Params> params_of(const char* kernel, Params given) {
  std::vector<ParamSpec> specs = family_params();
  narrow(kernel, &specs);
  return resolve_params(specs, given, "quantnet");
}

std::vector<const KernelDesc*> rungs() {
  std::vector<const KernelDesc*> found;
  for (const KernelDesc* kernel : registered_kernels()) {
    std::string reason;
    if (family_of(kernel->id) == "quantnet" && measure::isa_available(kernel->isa, &reason))
      found.push_back(kernel);
  }
  return found;
}

}  // namespace

TEST_CASE(
    "every rung's scores are those of its network, for awkward numbers of images and channels") {
  auto device = measure::make_cpu_device();
  REQUIRE(device.ok());
  const FamilyDesc* family = find_family("quantnet");
  REQUIRE(family != nullptr);
  measure::FullChecks checks;
  const auto all = rungs();
  CHECK(all.size() >= 14);
  const KernelDesc* mixed = find_kernel("quantnet.cpu.mixed");
  REQUIRE(mixed != nullptr);
  std::vector<std::pair<const KernelDesc*, Params>> cases;
  for (const KernelDesc* kernel : all) cases.push_back({kernel, {{"threads", int64_t{2}}}});
  cases.push_back({mixed, {{"kept", int64_t{3}}}});  // all of them; above the worst alone
  for (const auto& [kernel, given] : cases) {
    INFO(kernel->id);
    const auto params = params_of(kernel->id, given);
    REQUIRE(params.ok());
    const auto check = checks.get(*kernel, *family, *params, device->get(), measure::Observer());
    if (!check) FAIL(check.error().sentence());
    INFO(check->reason);
    CHECK(check->passed);
    CHECK(check->checked > 1000);
  }
}

TEST_CASE("integers are near float64's evaluation of the same network, and bit for bit their own") {
  const TrainedNet net = untrained();
  Recipe recipe{.integer = true, .groups = true};
  const auto made = quantize(net, recipe, {.weight_bits = 4, .group = 16}, few_images());
  double far = 0, size = 0;
  for (int64_t i = 0; i < 20; ++i) {
    double reference[kGarmentClasses];
    float exact[kGarmentClasses];
    evaluate(*made, few_images().image(i), reference);
    evaluate_integer(*made, few_images().image(i), exact);
    for (size_t c = 0; c < kGarmentClasses; ++c)
      far += std::pow(reference[c] - double(exact[c]), 2), size += std::pow(reference[c], 2);
  }
  CHECK(far / size < nmse_limit(recipe));
  // More noise where there are fewer bits; fp32 has none.
  const auto plain = quantize(net, {}, {}, few_images());
  const auto noise = [&](int bits) {
    const auto some = quantize(net, recipe, {.weight_bits = bits}, few_images());
    return signal_to_noise(*some, *plain, few_images(), 8).back();
  };
  CHECK(noise(8) > noise(4) + 10);
  CHECK(std::isinf(signal_to_noise(*plain, *plain, few_images(), 2).back()));
  // Bytes as they would be stored: 4 bits a weight and a scale for each group.
  CHECK(made->weight_bytes < 0.4 * plain->weight_bytes);
  CHECK(made->weight_bytes > plain->weight_bytes / 8);
}

TEST_CASE("blocks share a scale: what the formats' papers say of a few weights") {
  const auto rounded = [](const char* trick, std::vector<float> weights, double* bytes = nullptr) {
    const BlockFormat* format = find_block_format(trick);
    REQUIRE(format != nullptr);
    const double took = round_blocks(*format, std::ssize(weights), weights);
    if (bytes != nullptr) *bytes = took;
    return weights;
  };
  using Weights = std::vector<float>;
  // The largest is 6 = 1.5 * 2^2, so the scale is 1: steps of 0.5 up to 2, of 1 up to 4, of 2 beyond.
  CHECK(rounded("mxfp4", {6, 0.3f, -0.2f, 1.3f, 2.6f, -4.8f}) == Weights{6, 0.5f, 0, 1.5f, 3, -4});
  // Above 6 in the same binade it is cut off; a scale with digits fits it.
  CHECK(rounded("mxfp4", {7.5f, 1}) == Weights{6, 1});
  CHECK(rounded("nvfp4", {7.5f, 1})[0] == Approx(7.5f).epsilon(0.01));
  // Each block has its own: an outlier costs its neighbours alone.
  Weights two(64, 0.01f);
  two[0] = 100;
  const Weights apart = rounded("mxfp8", two);
  CHECK(apart[1] == Approx(0.01f).epsilon(0.3));
  CHECK(apart[40] == Approx(0.01f).epsilon(0.0626));
  CHECK(rounded("mxfp4", two)[1] == 0);
  CHECK(rounded("mxfp4", Weights(40, 0.0f)) == Weights(40, 0.0f));
  double bytes = 0;
  rounded("mxfp8", Weights(70, 1), &bytes);
  CHECK(bytes == 70 + 3);
  rounded("mxfp4", Weights(64, 1), &bytes);
  CHECK(bytes == 32 + 2);
  rounded("nvfp4", Weights(64, 1), &bytes);
  CHECK(bytes == 32 + 4 + 4);
}

TEST_CASE("posit16: eleven bits behind the point near 1, ever fewer away from it") {
  const auto rounded = [](float x) {
    std::vector<float> one = {x};
    round_blocks(*find_block_format("posit16"), 1, one);
    return one[0];
  };
  const auto bits = [](int power) { return std::ldexp(1.0f, power); };
  CHECK(rounded(0) == 0);
  CHECK(rounded(-1) == -1);
  CHECK(rounded(1 + bits(-11)) == 1 + bits(-11));
  CHECK(rounded(1 + bits(-12)) == 1);  // a tie, to even
  CHECK(rounded(1 + 3 * bits(-12)) == 1 + bits(-10));
  CHECK(rounded(15.99f) == 15.98828125f);  // a regime of two bits up to 16
  CHECK(rounded(16 + 16 * bits(-10)) == 16 + 16 * bits(-10));
  CHECK(rounded(16 + 16 * bits(-11)) == 16);
  CHECK(rounded(1 - bits(-13)) == 1);
  CHECK(rounded(0.0625f * (1 + bits(-11))) == 0.0625f * (1 + bits(-11)));
  CHECK(rounded(1e30f) == bits(56));  // the largest; it never overflows
  CHECK(rounded(-1e-30f) == -bits(-56));
}

TEST_CASE("the layer that the scores feel most is kept in bf16, and the others are not") {
  const TrainedNet net = untrained();
  const Recipe recipe{.integer = true, .weight_bits = 4, .per_channel = true, .keeps_worst = true};
  Choices choices{.weight_bits = 4, .calibration = 32, .kept = 1};
  const auto plain = quantize(net, {}, {}, few_images());
  const auto left = sensitivities(*plain, recipe, choices, few_images());
  const auto worst = size_t(std::min_element(left.begin(), left.end()) - left.begin());
  const auto one = quantize(net, recipe, choices, few_images());
  REQUIRE(left.size() == one->layers.size());
  for (size_t l = 0; l < left.size(); ++l) {
    INFO("layer " << l + 1 << ", " << left[l] << " dB");
    CHECK(one->layers[l].kept == (l == worst));
    CHECK(std::isinf(left[l]) == (one->layers[l].layer.kind == mixed::Layer::Kind::pool));
  }
  // Nothing kept is the recipe without it; all kept is nearer to fp32 than either, and costs most bytes.
  Recipe none = recipe;
  none.keeps_worst = false;
  choices.kept = 0;
  const auto without = quantize(net, none, choices, few_images());
  CHECK(quantize(net, recipe, choices, few_images())->weight_bytes == without->weight_bytes);
  choices.kept = 8;
  const auto all = quantize(net, recipe, choices, few_images());
  const auto noise = [&](const QuantNet& some) {
    return signal_to_noise(some, *plain, few_images(), 16).back();
  };
  CHECK(noise(*one) > noise(*without));
  CHECK(noise(*all) > noise(*one));
  CHECK(one->weight_bytes > without->weight_bytes);
  CHECK(all->weight_bytes > one->weight_bytes);
  CHECK(all->weight_bytes < 0.6 * plain->weight_bytes);
}

TEST_CASE("a corrected bias puts the mean of an output back") {
  const TrainedNet net = untrained("mlp", 32);
  const auto mean = [&](const QuantNet& some) {
    std::vector<double> sums(32);
    const Seen seen = [&](size_t, std::span<const double> before, std::span<const double>) {
      for (size_t c = 0; c < sums.size(); ++c) sums[c] += before[c] / 100;
    };
    double scores[kGarmentClasses];
    for (int64_t i = 0; i < 100; ++i) evaluate(some, few_images().image(i), scores, &seen);
    return sums;
  };
  const Choices choices{.weight_bits = 3, .calibration = 100};
  const auto wanted = mean(*quantize(net, {}, {}, few_images()));
  const auto off = [&](bool corrects) {
    const Recipe recipe{.integer = true, .per_channel = true, .corrects_bias = corrects};
    const auto found = mean(*quantize(net, recipe, choices, few_images()));
    double sum = 0;
    for (size_t c = 0; c < found.size(); ++c) sum += std::fabs(found[c] - wanted[c]);
    return sum;
  };
  CHECK(off(false) > 0.1);
  CHECK(off(true) < 1e-3 * off(false));
}

TEST_CASE(
    "the straight-through estimator: a step sees other weights, and moves those that they came "
    "from") {
  mixed::TrainerSetup setup;
  setup.model = mixed::make_model("mlp", 16, 1);
  setup.parameters = mixed::initial_parameters(setup.model, 1);
  setup.batch = 64;
  const auto start = setup.parameters;
  setup.seen = [](std::vector<float>* parameters) {
    for (float& w : *parameters) w = 0;
  };
  auto trainer = mixed::make_cpu_trainer(setup);
  REQUIRE(trainer.ok());
  std::vector<int32_t> images(64);
  for (size_t i = 0; i < 64; ++i) images[i] = int32_t(i);
  REQUIRE((*trainer)->step(few_images(), images.data(), 0.1f, false).ok());
  CHECK((*trainer)->report()->loss == Approx(std::log(10)));  // of weights that are all zero
  const auto after = (*trainer)->parameters(), gradient = (*trainer)->gradient();
  int moved = 0;
  for (size_t i = 0; i < after.size(); ++i) {
    CHECK(after[i] == Approx(start[i] - 0.1f * gradient[i]).margin(1e-6));
    moved += after[i] != start[i];
  }
  CHECK(moved > 0);
}

TEST_CASE("pruning: two of each four, the smallest of a layer, or whole channels") {
  TrainedNet net = untrained();
  const auto pattern = kept_weights(net, Tune::two_of_four, 0);
  const mixed::Layer& second = net.model.layers[2];
  for (int64_t first = second.weight; first < second.bias; first += 4) {
    int kept = 0;
    float lost = 0, stays = 1e9f;
    for (int64_t i = first; i < first + 4; ++i) {
      const float size = std::fabs(net.parameters[size_t(i)]);
      kept += pattern[size_t(i)];
      (pattern[size_t(i)] ? stays : lost) =
          pattern[size_t(i)] ? std::min(stays, size) : std::max(lost, size);
    }
    CHECK(kept == 2);
    CHECK(lost <= stays);
  }
  const auto tenth = kept_weights(net, Tune::magnitude, 90);
  int64_t left = 0;
  for (int64_t i = second.weight; i < second.bias; ++i) left += tenth[size_t(i)];
  CHECK(left == second.weights() / 10);

  // A network whose pruned channels are zero is the smaller network.
  const TrainedNet small = without_channels(net, 50);
  CHECK(small.model.layers[0].out == net.model.layers[0].out / 2);
  for (const mixed::Layer& layer : net.model.layers) {
    if (&layer == &net.model.layers.back() || layer.kind == mixed::Layer::Kind::pool) continue;
    std::vector<std::pair<float, int>> sums;
    for (int c = 0; c < layer.out; ++c) {
      float sum = 0;
      for (int i = 0; i < layer.inputs(); ++i)
        sum += std::fabs(net.parameters[size_t(layer.weight + c * layer.inputs() + i)]);
      sums.push_back({sum, c});
    }
    std::sort(sums.begin(), sums.end());
    for (int k = 0; k < layer.out / 2; ++k) {
      const int64_t row = layer.weight + sums[size_t(k)].second * layer.inputs();
      std::fill_n(net.parameters.begin() + row, layer.inputs(), 0.0f);
    }
  }
  double a[kGarmentClasses], b[kGarmentClasses];
  evaluate(*quantize(net, {}, {}, few_images()), few_images().image(3), a);
  evaluate(*quantize(small, {}, {}, few_images()), few_images().image(3), b);
  for (size_t c = 0; c < kGarmentClasses; ++c) CHECK(a[c] == Approx(b[c]).epsilon(1e-12));
}

TEST_CASE("a rung has its own recipe alone, and the parameters that it looks at") {
  const auto names = [](const char* kernel) {
    std::vector<ParamSpec> specs = family_params();
    narrow(kernel, &specs);
    std::set<std::string> found;
    for (const ParamSpec& spec : specs) found.insert(spec.name);
    return found;
  };
  CHECK(names("quantnet.cpu.fp32").count("recipe") == 0);
  CHECK(names("quantnet.cpu.int4_groups").count("group") == 1);
  CHECK(names("quantnet.cpu.int4_groups_edit") == names("quantnet.cpu.int4_groups"));
  CHECK(names("quantnet.cpu.int8_tensor").count("group") == 0);
  CHECK(names("quantnet.cpu.percentile").count("percentile") == 1);
  CHECK_FALSE(params_of("quantnet.cpu.entropy", {{"recipe", std::string("percentile")}}).ok());
  const auto odd = params_of("quantnet.cpu.fp32", {{"width", int64_t{100}}});
  REQUIRE(odd.ok());
  const auto refused = stored_net(asked_of(*odd), nullptr);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().what == "a width of 100 is no multiple of 16");
}

TEST_CASE("trained once, then from the cache; fine-tuning starts there; cancelled, there is none") {
  const FamilyProgress stop = [](const std::string&, double) { return false; };
  const FamilyProgress never = [](const std::string&, double) -> bool {
    FAIL("trained again");
    return false;
  };
  NetConfig config{.model = "mlp", .width = 16, .epochs = 1};
  const auto cancelled = stored(config, &stop);
  REQUIRE_FALSE(cancelled.ok());
  CHECK(cancelled.error().code == ErrorCode::cancelled);
  const auto first = stored(config, nullptr);
  REQUIRE(first.ok());
  CHECK(stored(config, &never).ok());
  config.tune = Tune::magnitude, config.pruned = 75;
  const auto pruned = stored(config, nullptr);
  REQUIRE(pruned.ok());
  const auto net = quantize(**pruned, {.tune = Tune::magnitude}, {}, few_images());
  const auto& weights = net->layers[0].weights;
  CHECK(double(std::count(weights.begin(), weights.end(), 0.0f)) >= 0.75 * double(weights.size()));
  CHECK(net->weight_bytes < 0.35 * quantize(**first, {}, {}, few_images())->weight_bytes);
}

TEST_CASE("the gate refuses what loses more than the limit, and says how much") {
  auto device = measure::make_cpu_device();
  REQUIRE(device.ok());
  const FamilyDesc* family = find_family("quantnet");
  const auto check_of = [&](const char* id, int64_t bits) {
    const auto params = params_of(id, {{"model", std::string("mlp")},
                                       {"width", int64_t{16}},
                                       {"train_epochs", int64_t{1}},
                                       {"weight_bits", bits},
                                       {"images", garments().test.count()}});
    REQUIRE(params.ok());
    auto instance = measure::make_instance(*family, *params, 1, **device);
    REQUIRE(instance.ok());
    auto rung = measure::make_ready(*find_kernel(id), device->get(), *instance);
    REQUIRE(rung.ok());
    return *measure::check_rung(&*rung, false, "timed shape");
  };
  const QualityCheck fine = check_of("quantnet.cpu.int8_channel", 8);
  INFO(fine.reason);
  CHECK(fine.passed);
  CHECK(fine.task.at("accuracy") > 0.5);
  CHECK(fine.task.at("model_bytes") > 784 * 16);
  const QualityCheck coarse = check_of("quantnet.cpu.int8_tensor", 2);
  CHECK_FALSE(coarse.passed);
  CHECK(coarse.task.at("accuracy") < fine.task.at("accuracy") - 0.01);
  CHECK(coarse.reason.find("points less accurate than fp32, and the limit is 1.00") !=
        std::string::npos);
}

TEST_CASE("inside: a histogram a layer with each calibration's clipping point, and the noise") {
  const auto params = params_of("quantnet.cpu.entropy", {{"train_epochs", int64_t{0}}});
  REQUIRE(params.ok());
  const auto found = inspect(*params, {});
  REQUIRE(found.ok());
  const InspectionPlane* plane = found->plane("activations");
  REQUIRE(plane != nullptr);
  CHECK(plane->values.size() == size_t(plane->rows) * size_t(plane->columns));
  REQUIRE(plane->marks.size() == 4);
  int chosen = 0;
  for (const PlaneMark& mark : plane->marks) chosen += mark.value;
  CHECK(chosen == 1);
  CHECK(plane->marks[2].label.find("entropy: ") == 0);
  CHECK(plane->marks[2].label.find(", chosen") != std::string::npos);
  REQUIRE(found->plane("noise") != nullptr);
  CHECK(found->plane("noise")->columns == 3);
  REQUIRE(found->plane("sensitivity") != nullptr);
  CHECK(found->plane("sensitivity")->columns == 3);
  const auto mixed = inspect(
      *params_of("quantnet.cpu.mixed",
                 {{"train_epochs", int64_t{0}}, {"kept", int64_t{2}}, {"width", int64_t{64}}}),
      {});
  REQUIRE(mixed.ok());
  int kept = 0;
  for (const PlaneMark& mark : mixed->plane("sensitivity")->marks) {
    kept += mark.value;
    CHECK((mark.value == 1) == (mark.label.find("kept in bf16") != std::string::npos));
  }
  CHECK(kept == 2);
  InspectAsked one;
  one.input = 2;
  const auto image = inspect(*params, one);
  REQUIRE(image.ok());
  CHECK(image->scores.size() == size_t(kGarmentClasses));
}
