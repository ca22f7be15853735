// ridge: flags=-O3
//
// The quantnet family's problem: a network in one recipe's numbers classifies images, every score is held
// against the definition, and the accuracy against that of fp32.
#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "common/core/parallel.h"
#include "common/core/random.h"
#include "common/harness/kernel/registry.h"
#include "common/harness/quality/quality.h"
#include "common/record/params.h"
#include "common/stats/answers.h"
#include "kernels/quantnet/inspect.h"
#include "kernels/quantnet/network.h"
#include "kernels/quantnet/recipes.h"
#include "kernels/runtime/weightless/encoded_batch.h"

namespace ridge {
namespace {

using quantnet::QuantNet;

/// The definition takes 0.3 ms an image in float64: of more than this many so many are judged, if not all must.
constexpr int64_t kJudged = 512;

class QuantNetProblem : public Problem {
 public:
  QuantNetProblem(quantnet::Asked asked, std::shared_ptr<const QuantNet> net)
      : asked_(std::move(asked)), net_(std::move(net)) {}

  Shape shape() const override {
    Shape shape;
    shape.dim[0] = asked_.images;
    shape.threads = asked_.threads;
    shape.constants = net_.get();
    return shape;
  }
  std::vector<BufferSpec> buffers() const override {
    const auto images = static_cast<size_t>(asked_.images);
    return {{"pixels", images * kGarmentPixels, false, DType::int8},
            {"scores", images * kGarmentClasses * sizeof(float), true, DType::fp32}};
  }
  double flop() const override {
    double products = 0;
    for (const auto& at : net_->layers)
      products += double(at.layer.weights()) * double(at.layer.pixels());
    return 2 * products * double(asked_.images);
  }
  double bytes_min() const override {
    return net_->weight_bytes +
           double(asked_.images) * (kGarmentPixels + kGarmentClasses * sizeof(float));
  }
  double items() const override { return double(asked_.images); }
  std::string note() const override { return garments().missing; }

  void generate(uint64_t seed, HostBuffers* host) const override {
    host->resize(2);
    (*host)[0].resize(size_t(asked_.images) * kGarmentPixels);
    (*host)[1].resize(size_t(asked_.images) * kGarmentClasses * sizeof(float));
    const uint64_t key = random_key(seed);
    if (asked_.net.epochs == 0) {  // garments are black at the border: bytes that all count
      for (size_t i = 0; i < (*host)[0].size(); ++i)
        (*host)[0][i] = static_cast<std::byte>(random_below(key, i, 256));
      return;
    }
    for (int64_t i = 0; i < asked_.images; ++i) {
      std::memcpy(&(*host)[0][size_t(i) * kGarmentPixels], garments().test.image(image_of(seed, i)),
                  kGarmentPixels);
    }
  }

  bool is_emulated() const override { return net_->recipe.emulated; }

  bool feed(std::span<const uint8_t> input, HostBuffers* host) const override {
    return asked_.images == 1 && weightless::feed_pixels(input, &(*host)[0]);
  }
  /// The scores are the rung's own: of integers the definition's bits, else with a class whose score in float64 is the
  /// highest but for what two scores may be off.
  std::optional<ItemAnswer> answer(const HostBuffers& host) const override {
    const auto* pixels = reinterpret_cast<const uint8_t*>(host[0].data());
    const auto* found = reinterpret_cast<const float*>(host[1].data());
    double expected[kGarmentClasses];
    quantnet::evaluate(*net_, pixels, expected);
    ItemAnswer answer{.found = std::max_element(found, found + kGarmentClasses) - found};
    double power = 0;
    for (const double score : expected) power += score * score;
    const double off = std::sqrt(quantnet::nmse_limit(net_->recipe) * power);
    const double highest = *std::max_element(expected, expected + kGarmentClasses);
    answer.is_right = highest - expected[answer.found] <= 2 * off;
    if (net_->recipe.integer) {
      float exact[kGarmentClasses];
      quantnet::evaluate_integer(*net_, pixels, exact);
      answer.is_right = std::equal(found, found + kGarmentClasses, exact);
    }
    answer.scores.assign(found, found + kGarmentClasses);
    answer.unit = "score", answer.start = "pixels";
    return answer;
  }

  /// Integers: bit for bit as the definition has them, and near float64. Others: near float64.
  QualityCheck check(const HostBuffers& host, bool full, uint64_t seed) const override {
    const int64_t step = full ? 1 : (asked_.images + kJudged - 1) / kJudged;
    const auto* scores = reinterpret_cast<const float*>(host[1].data());
    refer(host[0], seed, step);
    quality::ErrorSum sum;
    int64_t differ = 0;
    for (size_t at = 0; at < expected_.size(); ++at) {
      const size_t image = at / kGarmentClasses * size_t(step);
      const float found = scores[image * kGarmentClasses + at % kGarmentClasses];
      sum.add(double(found), expected_[at], HUGE_VAL);
      // NaN is equal to nothing.
      if (net_->recipe.integer) differ += found == exact_[at] ? 0 : 1;
    }
    QualityCheck check = sum.finish("scores against float64", quantnet::nmse_limit(net_->recipe));
    // The accuracy is what rungs are told apart by; how far scores are from float64 stands beside it.
    check.task["scores_nmse"] = check.nmse;
    check.nmse = check.nmse_limit = 0;
    if (differ > 0) {
      check.passed = false;
      check.reason = std::to_string(differ) + " of " + std::to_string(expected_.size()) +
                     " scores are not those of the integers";
    }
    if (asked_.net.epochs == 0) return check;
    check.task["model_bytes"] = net_->weight_bytes;
    judge_accuracy(scores, seed, &check);
    return check;
  }

 private:
  /// Seed 1: the test set from its start, over again where more are asked; others: drawn from it.
  static int64_t image_of(uint64_t seed, int64_t i) {
    const int64_t count = garments().test.count();
    if (seed == 1) return i % count;
    return random_below(random_key(seed), uint64_t(i), static_cast<uint32_t>(count));
  }

  void refer(const std::vector<std::byte>& pixels, uint64_t seed, int64_t step) const {
    if (referred_ == std::pair(seed, step) && !expected_.empty()) return;
    const int64_t judged = (asked_.images + step - 1) / step;
    expected_.assign(size_t(judged) * kGarmentClasses, 0);
    exact_.assign(expected_.size(), 0);
    const auto* images = reinterpret_cast<const uint8_t*>(pixels.data());
    parallel_for(judged, 16, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const uint8_t* image = images + i * step * kGarmentPixels;
        const auto to = size_t(i) * kGarmentClasses;
        quantnet::evaluate(*net_, image, &expected_[to]);
        if (net_->recipe.integer) quantnet::evaluate_integer(*net_, image, &exact_[to]);
      }
    });
    referred_ = {seed, step};
  }

  void judge_accuracy(const float* scores, uint64_t seed, QualityCheck* check) const {
    std::vector<uint8_t> labels;
    for (int64_t i = 0; i < asked_.images; ++i)
      labels.push_back(garments().test.labels[size_t(image_of(seed, i))]);
    if (seed == 1 && asked_.images >= garments().test.count())
      check->right = stats::pack_answers(
          quantnet::answers_right(scores, {labels.data(), size_t(garments().test.count())}));
    const double accuracy = quantnet::accuracy_of(scores, labels);
    check->task["accuracy"] = accuracy;
    check->task["may_lose"] = asked_.limit;
    // A limit is one of the whole test set; of a few images a share says little.
    if (seed != 1 || asked_.images < garments().test.count()) return;
    const double lost = asked_.plain_accuracy - accuracy;
    if (!check->passed || lost <= asked_.limit) return;
    check->passed = false;
    check->reason = fmt::format("{:.2f} points less accurate than fp32, and the limit is {:.2f}",
                                100 * lost, 100 * asked_.limit);
  }

  quantnet::Asked asked_;
  std::shared_ptr<const QuantNet> net_;
  mutable std::pair<uint64_t, int64_t> referred_ = {0, 0};  ///< seed, step
  mutable std::vector<double> expected_;
  mutable std::vector<float> exact_;  ///< of integers
};

Result<std::unique_ptr<Problem>> make_problem(const Params& params) {
  quantnet::Asked asked = quantnet::asked_of(params);
  RIDGE_TRY(auto net, quantnet::stored_net(asked, nullptr));
  // Some seconds, and nothing is held against it but the whole test set.
  if (asked.images >= garments().test.count()) {
    RIDGE_TRY(asked.plain_accuracy, quantnet::plain_accuracy(asked.net));
  }
  return std::unique_ptr<Problem>(
      std::make_unique<QuantNetProblem>(std::move(asked), std::move(net)));
}

Result<void> get_ready(const Params& params, const FamilyProgress& progress) {
  const auto net = quantnet::stored_net(quantnet::asked_of(params), &progress);
  if (!net) return net.error();
  return {};
}

Params fewer_images(const Params& params, double share) {
  Params fewer = params;
  const int64_t images = param_int(params, "images", 10'000);
  // NaN is no share: all of them.
  const double wanted = share < 1 ? std::max(1.0, double(images) * share) : double(images);
  fewer["images"] = static_cast<int64_t>(wanted);
  return fewer;
}

/// Untrained: one image, blocks with one more and less, channels that fill no vector.
std::vector<Params> awkward() {
  std::vector<Params> shapes;
  const auto add = [&](int64_t images, int64_t width) {
    shapes.push_back({{"images", images},
                      {"width", width},
                      {"train_epochs", int64_t{0}},
                      {"calibration", int64_t{8}}});
  };
  add(1, 16), add(5, 48), add(3, 80), add(8, 64), add(17, 112), add(9, 272);
  return shapes;
}

RIDGE_FAMILY(quantnet, .params = quantnet::family_params, .make_problem = make_problem,
             .awkward = awkward, .shrink = fewer_images, .get_ready = get_ready,
             .inspect = quantnet::inspect, .narrow = quantnet::narrow);

}  // namespace
}  // namespace ridge
