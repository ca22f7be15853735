// The weightless family's problem: a trained network, images to classify, and every prediction judged.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <mutex>

#include "common/core/random.h"
#include "common/kernel/registry.h"
#include "common/quality/quality.h"
#include "common/record/params.h"
#include "kernels/weightless/model_store.h"
#include "kernels/weightless/params.h"
#include "kernels/weightless/weightless.h"

namespace ridge {
namespace {

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
    const auto images = static_cast<size_t>(images_), words = row_words();
    const size_t planes = tiles() * static_cast<size_t>(network_->features()) * kTileWords;
    return {{"pixels", from_pixels_ ? images * kImageBytes : 0, false, DType::int8},
            {"rows", from_pixels_ ? 0 : images * words * 8, false, DType::int8},
            {"planes", from_pixels_ ? 0 : planes * 8, false, DType::int8},
            {"classes", images, true, DType::int8}};
  }

  double flop() const override { return 0; }

  /// One of the two encodings, the model, and the classes.
  double bytes_min() const override {
    const double image = from_pixels_ ? double(kImageBytes) : network_->features() / 8.0;
    return double(images_) * (image + 1) + double(network_->luts) * (8 + 2 * kLutInputs);
  }
  double items() const override { return double(images_); }

  void generate(uint64_t seed, HostBuffers* host) const override {
    const std::vector<uint8_t> pixels = pick_pixels(seed);
    const std::vector<BufferSpec> specs = buffers();
    host->resize(specs.size());
    for (size_t i = 0; i < specs.size(); ++i) (*host)[i].resize(specs[i].bytes);
    if (from_pixels_) {
      std::memcpy((*host)[0].data(), pixels.data(), pixels.size());
      return;
    }
    const auto rows = weightless::encode_rows(pixels.data(), images_, network_->thresholds);
    std::memcpy((*host)[1].data(), rows.words.data(), rows.words.size() * 8);
    auto* planes = reinterpret_cast<uint64_t*>((*host)[2].data());
    for (int64_t first = 0; first < static_cast<int64_t>(tiles()) * kTile; first += 64) {
      std::array<const uint64_t*, 64> picked{};
      for (int64_t s = 0; s < 64 && first + s < images_; ++s) {
        picked[static_cast<size_t>(s)] = rows.row(first + s);
      }
      uint64_t* tile = planes + first / kTile * network_->features() * kTileWords;
      weightless::rows_to_planes(picked, network_->features(), tile + first % kTile / 64,
                                 kTileWords);
    }
  }

  QualityCheck check(const HostBuffers& host, bool, uint64_t seed) const override {
    refer(seed);
    const auto* classes = reinterpret_cast<const uint8_t*>(host[3].data());
    quality::ErrorSum sum;
    int64_t right = 0;
    for (size_t i = 0; i < expected_.size(); ++i) {
      // One apart from zero, so that a class of 0 counts in the relative error as any other.
      sum.add(classes[i] + 1.0, expected_[i] + 1.0, 0);
      right += classes[i] == labels_[i];
    }
    QualityCheck check = sum.finish("every prediction against the definition", 0);
    check.task["accuracy"] = double(right) / double(images_);
    return check;
  }

 private:
  size_t row_words() const { return static_cast<size_t>(network_->features() + 63) / 64; }
  size_t tiles() const { return static_cast<size_t>(images_ + kTile - 1) / kTile; }

  /// Seed 1: the test set from its start; others: images of it drawn at random.
  int64_t image_of(uint64_t seed, int64_t i) const {
    const int64_t count = garments().test.count();
    if (seed == 1) return i % count;
    return random_below(random_key(seed), static_cast<uint64_t>(i), static_cast<uint32_t>(count));
  }

  std::vector<uint8_t> pick_pixels(uint64_t seed) const {
    std::vector<uint8_t> pixels(static_cast<size_t>(images_) * kImageBytes);
    for (int64_t i = 0; i < images_; ++i) {
      std::memcpy(&pixels[static_cast<size_t>(i) * kImageBytes],
                  garments().test.image(image_of(seed, i)), kImageBytes);
    }
    return pixels;
  }

  /// The definition's answers, once a seed.
  void refer(uint64_t seed) const {
    if (referred_ == seed && !expected_.empty()) return;
    const std::vector<uint8_t> pixels = pick_pixels(seed);
    expected_.clear(), labels_.clear();
    for (int64_t i = 0; i < images_; ++i) {
      expected_.push_back(static_cast<uint8_t>(
          weightless::predict_one(*network_, &pixels[static_cast<size_t>(i) * kImageBytes])));
      labels_.push_back(garments().test.labels[static_cast<size_t>(image_of(seed, i))]);
    }
    referred_ = seed;
  }

  std::shared_ptr<const LutNetwork> network_;
  LutModel model_{};
  int64_t images_;
  bool from_pixels_;
  mutable uint64_t referred_ = 0;
  mutable std::vector<uint8_t> expected_, labels_;
};

std::vector<ParamSpec> params() {
  using namespace weightless;
  ParamSpec from;
  from.name = "from";
  from.help = "what a call starts from: encoded bits, or pixels that it has to encode";
  from.is_choice = true;
  from.choices = {"bits", "pixels"};
  from.fallback = std::string("bits");
  std::vector<ParamSpec> specs = model_params();
  specs.push_back(int_param("images", "images in a call", 1, 1'000'000, 10'000));
  specs.push_back(from);
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

/// Untrained networks (epochs=0: random tables, constants and literals among them): one LUT a class, no
/// multiple of any unrolling, tiles with one image more and less, features that fill no word.
std::vector<Params> awkward() {
  std::vector<Params> shapes;
  const auto add = [&](int64_t luts, int64_t bits, int64_t images) {
    shapes.push_back({{"luts", luts}, {"bits", bits}, {"images", images}, {"epochs", int64_t{0}}});
  };
  add(10, 1, 1), add(20, 2, 63), add(70, 3, 64), add(130, 1, 65), add(330, 8, 511);
  add(90, 3, 512), add(2010, 3, 513), add(770, 7, 1031);
  return shapes;
}

/// Fewer images; the model stays.
Params shrink(const Params& params, double share) {
  Params smaller = params;
  const auto images = static_cast<double>(param_int(params, "images", 10'000));
  smaller["images"] =
      std::max<int64_t>(1, static_cast<int64_t>(images * (share <= 1 ? share : 1) + 1e-9));
  return smaller;
}

RIDGE_FAMILY(weightless, .params = params, .make_problem = make_problem, .awkward = awkward,
             .shrink = shrink, .get_ready = get_ready);

}  // namespace
}  // namespace ridge
