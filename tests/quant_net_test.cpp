// The quantization lab's networks: rounding, clipping points, tiles of every instruction set, engines against
// their definitions, fine-tuning and pruning, and a gate that refuses for accuracy. On synthetic garments.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <set>

#include "common/core/random.h"
#include "common/kernel/registry.h"
#include "common/measure/gate.h"
#include "common/measure/isa.h"
#include "common/record/inspection.h"
#include "common/record/params.h"
#include "kernels/mixed/trainer.h"
#include "kernels/quantnet/inspect.h"
#include "kernels/quantnet/recipes.h"
#include "kernels/quantnet/tile.h"
#include "kernels/quantnet/tuning.h"
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

TEST_CASE(
    "every rung's scores are those of its network, for awkward numbers of images and channels") {
  auto device = measure::make_cpu_device();
  REQUIRE(device.ok());
  const FamilyDesc* family = find_family("quantnet");
  REQUIRE(family != nullptr);
  measure::FullChecks checks;
  const auto all = rungs();
  CHECK(all.size() >= 14);
  for (const KernelDesc* kernel : all) {
    INFO(kernel->id);
    const auto params = params_of(kernel->id, {{"threads", int64_t{2}}});
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
    auto posed = measure::pose(*family, *params, 1, **device);
    REQUIRE(posed.ok());
    auto rung = measure::make_ready(*find_kernel(id), device->get(), *posed);
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
  InspectAsked one;
  one.input = 2;
  const auto image = inspect(*params, one);
  REQUIRE(image.ok());
  CHECK(image->scores.size() == size_t(kGarmentClasses));
}
