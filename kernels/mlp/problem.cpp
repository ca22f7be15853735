// The mlp family's problem: the perceptron classifies the weightless lab's images from their bytes.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "common/core/parallel.h"
#include "common/core/random.h"
#include "common/harness/kernel/registry.h"
#include "common/harness/quality/quality.h"
#include "common/record/params.h"
#include "kernels/mlp/network.h"
#include "kernels/runtime/weightless/encoded_batch.h"
#include "kernels/runtime/weightless/params.h"

namespace ridge {
namespace {

using mlp::Perceptron;

/// A class stands for the highest when its score in float64 is within this share of the scores' spread.
/// fp32 sums of 784 products err by 1e-6 of it; bf16 rounds weights and hidden units to 8 bits.
double tie_of(DType dtype) {
  return dtype == DType::bf16 ? 0.03 : 1e-5;
}
/// The definition takes 0.1 ms an image: of more than this many, only so many are judged when not all must.
constexpr int64_t kJudged = 16'384;
constexpr double kWeights = double(kMlpHidden) * double(kMlpIn + kMlpOut);

class PerceptronProblem : public Problem {
 public:
  PerceptronProblem(std::shared_ptr<const Perceptron> network, DType dtype, int64_t images,
                    bool untrained)
      : network_(std::move(network)),
        model_(network_->model()),
        dtype_(dtype),
        images_(images),
        untrained_(untrained) {}

  Shape shape() const override {
    Shape shape;
    shape.dim[0] = images_;
    shape.dtype = dtype_;
    shape.constants = &model_;
    return shape;
  }
  std::vector<BufferSpec> buffers() const override {
    const auto images = static_cast<size_t>(images_);
    return {{"pixels", images * kMlpIn, false, DType::int8},
            {"classes", images, true, DType::int8}};
  }
  double flop() const override { return 2.0 * kWeights * double(images_); }
  double bytes_min() const override {
    return double(images_) * double(kMlpIn + 1) + kWeights * double(dtype_size(dtype_));
  }
  double items() const override { return double(images_); }
  std::string note() const override { return garments().missing; }

  void generate(uint64_t seed, HostBuffers* host) const override {
    const weightless::EncodedBatch batch(one_threshold(), images_, seed);
    host->resize(2);
    (*host)[0].resize(batch.pixels.size());
    (*host)[1].resize(static_cast<size_t>(images_));
    std::memcpy((*host)[0].data(), batch.pixels.data(), batch.pixels.size());
    if (!untrained_) return;
    // Garments are black at the border: a rung that leaves out its pixels would not be found out.
    const uint64_t key = random_key(seed);
    for (size_t i = 0; i < (*host)[0].size(); ++i) {
      (*host)[0][i] = static_cast<std::byte>(random_below(key, i, 256));
    }
  }

  /// Int8 sums are exact, so its classes must be; others' may be any that ties.
  QualityCheck check(const HostBuffers& host, bool full, uint64_t seed) const override {
    const int64_t step = full ? 1 : (images_ + kJudged - 1) / kJudged;
    refer(host[0], seed, step);
    std::vector<uint8_t> expected(static_cast<size_t>(images_));
    for (size_t i = 0; i < expected.size(); ++i) {
      const auto found = static_cast<size_t>(host[1][i]);
      const size_t judged = i / static_cast<size_t>(step);
      const bool is_judged = i % static_cast<size_t>(step) == 0;
      const bool fits = found < kMlpOut && (!is_judged || fits_[judged * kMlpOut + found] != 0);
      expected[i] = fits ? static_cast<uint8_t>(found) : best_[judged];
    }
    return weightless::judge_classes(host[1], expected, labels_, seed);
  }

  bool feed(std::span<const uint8_t> input, HostBuffers* host) const override {
    return images_ == 1 && weightless::feed_pixels(input, &(*host)[0]);
  }
  std::optional<ItemAnswer> answer(const HostBuffers& host) const override {
    const auto* pixels = reinterpret_cast<const uint8_t*>(host[0].data());
    ItemAnswer answer{.found = static_cast<uint8_t>(host[1][0])};
    answer.unit = dtype_ == DType::int8 ? "score, units of the integers" : "score";
    answer.start = "pixels";
    answer.scores = scores_of(pixels);
    if (answer.found < kMlpOut) answer.is_right = ties(answer.scores, size_t(answer.found));
    return answer;
  }

 private:
  static std::vector<uint8_t> one_threshold() { return std::vector<uint8_t>(kMlpIn, 127); }

  /// The definition's answers for every step-th image are found once a seed.
  void refer(const std::vector<std::byte>& pixels, uint64_t seed, int64_t step) const {
    if (referred_ == std::pair(seed, step) && !best_.empty()) return;
    const auto judged = static_cast<size_t>((images_ + step - 1) / step);
    best_.assign(judged, 0), fits_.assign(judged * kMlpOut, 0);
    labels_ = weightless::EncodedBatch(one_threshold(), images_, seed).labels;
    const auto* images = reinterpret_cast<const uint8_t*>(pixels.data());
    parallel_for(static_cast<int64_t>(judged), 64, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) refer_one(images + i * step * kMlpIn, size_t(i));
    });
    referred_ = {seed, step};
  }
  void refer_one(const uint8_t* image, size_t at) const {
    const std::vector<double> scores = scores_of(image);
    best_[at] =
        static_cast<uint8_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
    for (size_t c = 0; c < kMlpOut; ++c) fits_[at * kMlpOut + c] = ties(scores, c) ? 1 : 0;
  }
  /// By the definition of this type.
  std::vector<double> scores_of(const uint8_t* image) const {
    std::vector<double> scores(kMlpOut);
    if (dtype_ == DType::int8)
      mlp::scores_int8(*network_, image, scores.data());
    else
      mlp::scores_of(*network_, image, scores.data());
    return scores;
  }
  /// Whether class c may stand for the highest; of integers only the first of the highest does.
  bool ties(const std::vector<double>& scores, size_t c) const {
    const auto [low, high] = std::minmax_element(scores.begin(), scores.end());
    const auto first = std::max_element(scores.begin(), scores.end());
    if (dtype_ == DType::int8) return size_t(first - scores.begin()) == c;
    return *high - scores[c] <= tie_of(dtype_) * (*high - *low);
  }

  std::shared_ptr<const Perceptron> network_;
  MlpModel model_;
  DType dtype_;
  int64_t images_;
  bool untrained_;
  mutable std::pair<uint64_t, int64_t> referred_ = {0, 0};  ///< seed, step
  mutable std::vector<uint8_t> best_, fits_, labels_;
};

std::vector<ParamSpec> params() {
  return {extent_param("images", "images in a call", 1'000'000, 10'000),
          choice_param("dtype", "what it computes in", {"fp32", "bf16", "int8"}),
          int_param("mlp_epochs", "passes over the training images; 0: untrained", 0, 100, 10),
          int_param("seed", "of weights and order", 1, 1'000'000, 1)};
}

mlp::PerceptronConfig config_of(const Params& params) {
  return {.epochs = static_cast<int>(param_int(params, "mlp_epochs", 10)),
          .seed = static_cast<uint64_t>(param_int(params, "seed", 1))};
}

Result<std::unique_ptr<Problem>> make_problem(const Params& params) {
  RIDGE_TRY(auto network, mlp::stored(config_of(params), nullptr));
  DType dtype = DType::fp32;
  parse_dtype(param_text(params, "dtype", "fp32"), &dtype);  // one of the choices above
  return std::unique_ptr<Problem>(std::make_unique<PerceptronProblem>(
      std::move(network), dtype, param_int(params, "images", 10'000),
      param_int(params, "mlp_epochs", 10) == 0));
}

Result<void> get_ready(const Params& params, const FamilyProgress& progress) {
  const auto network = mlp::stored(config_of(params), &progress);
  if (!network) return network.error();
  return {};
}

/// Untrained: one image, tiles of 6, 64 and 256 with one more and less.
std::vector<Params> awkward() {
  std::vector<Params> shapes;
  for (const int64_t images : {1, 5, 7, 63, 131, 255, 257}) {
    shapes.push_back({{"images", images}, {"mlp_epochs", int64_t{0}}});
  }
  return shapes;
}

RIDGE_FAMILY(mlp, .params = params, .make_problem = make_problem, .awkward = awkward,
             .shrink = weightless::fewer_images, .get_ready = get_ready);

}  // namespace
}  // namespace ridge
