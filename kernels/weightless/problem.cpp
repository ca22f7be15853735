// The weightless family's problem: a trained network, images to classify, and every prediction judged.
#include <cstring>

#include "common/core/parallel.h"
#include "common/harness/kernel/registry.h"
#include "common/record/params.h"
#include "kernels/runtime/weightless/encoded_batch.h"
#include "kernels/runtime/weightless/inspect.h"
#include "kernels/runtime/weightless/model_store.h"
#include "kernels/runtime/weightless/params.h"
#include "kernels/runtime/weightless/row_problem.h"
#include "kernels/runtime/weightless/weightless.h"

namespace ridge {
namespace {

using weightless::EncodedBatch;
using weightless::LutNetwork;

class ClassifyProblem : public Problem {
 public:
  ClassifyProblem(std::shared_ptr<const LutNetwork> network, int64_t images, bool from_pixels)
      : network_(std::move(network)), images_(images), from_pixels_(from_pixels) {
    model_ = {.luts = network_->luts,
              .bits = network_->bits,
              .features = network_->features(),
              .luts_per_class = network_->luts_per_class(),
              .thresholds = network_->thresholds.data(),
              .wiring = network_->wiring.data(),
              .tables = network_->tables.data()};
  }

  Shape shape() const override {
    Shape shape;
    shape.dim[kLutImages] = images_;
    shape.dim[kLutLuts] = network_->luts;
    shape.dim[kLutBits] = network_->bits;
    shape.dim[kLutFromPixels] = from_pixels_;
    shape.constants = &model_;
    return shape;
  }

  std::vector<BufferSpec> buffers() const override {
    const auto images = static_cast<size_t>(images_);
    const int features = network_->features();
    const size_t pixels = from_pixels_ ? images * kImageBytes : 0;
    const size_t rows = from_pixels_ ? 0 : EncodedBatch::row_bytes(images_, features);
    const size_t planes = from_pixels_ ? 0 : EncodedBatch::plane_bytes(images_, features);
    return {{"pixels", pixels, false, DType::int8},
            {"rows", rows, false, DType::int8},
            {"planes", planes, false, DType::int8},
            {"classes", images, true, DType::int8}};
  }

  double flop() const override { return 0; }

  /// One of the two encodings, the model, and the classes.
  double bytes_min() const override {
    const double image = from_pixels_ ? double(kImageBytes) : network_->features() / 8.0;
    return double(images_) * (image + 1) + double(network_->luts) * (8 + 2 * kLutInputs);
  }
  double items() const override { return double(images_); }
  std::string note() const override { return garments().missing; }

  void generate(uint64_t seed, HostBuffers* host) const override {
    const EncodedBatch batch(network_->thresholds, images_, seed);
    const std::vector<BufferSpec> specs = buffers();
    host->resize(specs.size());
    for (size_t i = 0; i < specs.size(); ++i) (*host)[i].resize(specs[i].bytes);
    if (from_pixels_) {
      std::memcpy((*host)[0].data(), batch.pixels.data(), batch.pixels.size());
      return;
    }
    std::memcpy((*host)[1].data(), batch.rows.words.data(), batch.rows.words.size() * 8);
    batch.write_planes(reinterpret_cast<uint64_t*>((*host)[2].data()));
  }

  /// The definition's answers are found once a seed.
  QualityCheck check(const HostBuffers& host, bool, uint64_t seed) const override {
    if (referred_ != seed || expected_.empty()) {
      const EncodedBatch batch(network_->thresholds, images_, seed);
      expected_.resize(static_cast<size_t>(images_));
      parallel_for(images_, 256, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          expected_[static_cast<size_t>(i)] = static_cast<uint8_t>(weightless::predict_one(
              *network_, &batch.pixels[static_cast<size_t>(i) * kImageBytes]));
        }
      });
      labels_ = batch.labels;
      referred_ = seed;
    }
    return weightless::judge_classes(host[3], expected_, labels_, seed);
  }

  bool feed(std::span<const uint8_t> input, HostBuffers* host) const override {
    return images_ == 1 && from_pixels_ && weightless::feed_pixels(input, &(*host)[0]);
  }
  std::optional<ItemAnswer> answer(const HostBuffers& host) const override {
    int scores[weightless::kClasses];
    const auto* pixels = reinterpret_cast<const uint8_t*>(host[0].data());
    const int expected = weightless::predict_one(*network_, pixels, scores);
    ItemAnswer answer{.found = static_cast<uint8_t>(host[3][0]), .unit = "LUTs that say yes"};
    answer.is_right = answer.found == expected;
    answer.scores.assign(scores, scores + weightless::kClasses);
    answer.start = "pixels";
    return answer;
  }

 private:
  std::shared_ptr<const LutNetwork> network_;
  LutModel model_{};
  int64_t images_;
  bool from_pixels_;
  mutable uint64_t referred_ = 0;
  mutable std::vector<uint8_t> expected_, labels_;
};

std::vector<ParamSpec> params() {
  using namespace weightless;
  std::vector<ParamSpec> specs = model_params();
  specs.push_back(int_param("images", "images in a call", 1, 1'000'000, 10'000));
  specs.push_back(
      choice_param("from", "what a call starts from: encoded bits, or pixels that it has to encode",
                   {"bits", "pixels"}));
  return specs;
}

Result<std::unique_ptr<Problem>> make_problem(const Params& params) {
  RIDGE_TRY(auto network, weightless::stored_network(params, nullptr));
  return std::unique_ptr<Problem>(
      std::make_unique<ClassifyProblem>(std::move(network), param_int(params, "images", 10'000),
                                        param_text(params, "from", "bits") == "pixels"));
}

Result<void> get_ready(const Params& params, const FamilyProgress& progress) {
  const auto network = weightless::stored_network(params, &progress);
  if (!network) return network.error();
  return {};
}

Result<Inspection> inspect(const Params& params, const InspectAsked& asked) {
  RIDGE_TRY(const auto network, weightless::stored_network(params, nullptr));
  return weightless::inspect_network(*network, garments(), asked);
}

/// Untrained networks (epochs=0: random tables, constants and literals among them): one LUT a class, no
/// multiple of any unrolling, tiles with one image more and less, features that fill no word.
std::vector<Params> awkward() {
  std::vector<Params> shapes;
  const auto add = [&](int64_t luts, int64_t bits, int64_t images) {
    shapes.push_back({{"luts", luts}, {"bits", bits}, {"images", images}, {"epochs", int64_t{0}}});
  };
  add(10, 1, 1), add(20, 2, 63), add(70, 3, 64), add(130, 1, 65), add(130, 8, 511);
  add(90, 3, 512), add(330, 3, 513), add(170, 7, 577);
  return shapes;
}

RIDGE_FAMILY(weightless, .params = params, .make_problem = make_problem, .awkward = awkward,
             .shrink = weightless::fewer_images, .get_ready = get_ready, .inspect = inspect);

}  // namespace
}  // namespace ridge
