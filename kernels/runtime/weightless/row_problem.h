// The problem of classifying encoded images with whatever was counted in one pass: WiSARD's tables and
// Bloom filters differ in the model and in the definition of an answer alone.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <string>

#include "common/harness/kernel/family.h"
#include "common/record/params.h"
#include "kernels/runtime/weightless/encoded_batch.h"
#include "kernels/runtime/weightless/weightless.h"

namespace ridge::weightless {

/// What such a model tells the problem. `constants` lives as long as `owner`.
struct RowClassifier {
  std::shared_ptr<const void> owner;
  const void* constants = nullptr;
  const std::vector<uint8_t>* thresholds = nullptr;
  int tuple = 0;
  double table_bytes = 0;                           ///< touched for one image
  /// Straight from the definition; every class's score as well where `scores` is not null.
  std::function<int(const uint64_t* row, int* scores)> predict;
  const char* score_unit = "";  ///< "RAMs that say yes"
};

/// Buffers: rows, planes (kernels/runtime/weightless/weightless.h), classes. Shape::dim: images, bits, tuple.
class RowProblem : public Problem {
 public:
  RowProblem(RowClassifier classifier, int64_t images)
      : classifier_(std::move(classifier)), images_(images) {}

  Shape shape() const override {
    Shape shape;
    shape.dim[0] = images_;
    shape.dim[1] = features() / kGarmentPixels;
    shape.dim[2] = classifier_.tuple;
    shape.constants = classifier_.constants;
    return shape;
  }
  std::vector<BufferSpec> buffers() const override {
    return {{"rows", EncodedBatch::row_bytes(images_, features()), false, DType::int8},
            {"planes", EncodedBatch::plane_bytes(images_, features()), false, DType::int8},
            {"classes", static_cast<size_t>(images_), true, DType::int8}};
  }
  double flop() const override { return 0; }
  double bytes_min() const override {
    return double(images_) * (features() / 8.0 + 1 + classifier_.table_bytes);
  }
  double items() const override { return double(images_); }
  std::string note() const override { return garments().missing; }

  void generate(uint64_t seed, HostBuffers* host) const override {
    const EncodedBatch batch(*classifier_.thresholds, images_, seed);
    const std::vector<BufferSpec> specs = buffers();
    host->resize(specs.size());
    for (size_t i = 0; i < specs.size(); ++i) (*host)[i].resize(specs[i].bytes);
    std::memcpy((*host)[0].data(), batch.rows.words.data(), batch.rows.words.size() * 8);
    batch.write_planes(reinterpret_cast<uint64_t*>((*host)[1].data()));
  }

  QualityCheck check(const HostBuffers& host, bool, uint64_t seed) const override {
    if (referred_ != seed || expected_.empty()) {
      const EncodedBatch batch(*classifier_.thresholds, images_, seed);
      expected_.clear();
      for (int64_t i = 0; i < images_; ++i) {
        expected_.push_back(static_cast<uint8_t>(classifier_.predict(batch.rows.row(i), nullptr)));
      }
      labels_ = batch.labels;
      referred_ = seed;
    }
    return judge_classes(host[2], expected_, labels_, seed);
  }

  /// The image is encoded here: what is timed starts from its bits.
  bool feed(std::span<const uint8_t> input, HostBuffers* host) const override {
    if (images_ != 1 || input.size() != kGarmentPixels) return false;
    EncodedBatch batch(*classifier_.thresholds, 0, 1);
    batch.rows = encode_rows(input.data(), 1, *classifier_.thresholds);
    std::memcpy((*host)[0].data(), batch.rows.words.data(), batch.rows.words.size() * 8);
    batch.write_planes(reinterpret_cast<uint64_t*>((*host)[1].data()));
    return true;
  }
  std::optional<ItemAnswer> answer(const HostBuffers& host) const override {
    int scores[kClasses];
    const int expected =
        classifier_.predict(reinterpret_cast<const uint64_t*>(host[0].data()), scores);
    ItemAnswer answer{.found = static_cast<uint8_t>(host[2][0]), .unit = classifier_.score_unit};
    answer.is_right = answer.found == expected;
    answer.scores.assign(scores, scores + kClasses);
    answer.start = "encoded bits";
    return answer;
  }

 private:
  int features() const { return static_cast<int>(classifier_.thresholds->size()); }

  RowClassifier classifier_;
  int64_t images_;
  mutable uint64_t referred_ = 0;
  mutable std::vector<uint8_t> expected_, labels_;
};

/// What was counted, once a process for each set of parameters but the number of images.
template <class Model>
class CountedModels {
 public:
  using Count = std::shared_ptr<const Model> (*)(const Params& params);
  explicit CountedModels(Count count) : count_(count) {}

  // The worker's main thread alone makes problems: no lock.
  std::shared_ptr<const Model> get(const Params& params) {
    auto& model = known_[key_of(params)];
    if (model == nullptr) model = count_(params);
    return model;
  }
  /// FamilyDesc::get_ready.
  Result<void> get_ready(const Params& params, const FamilyProgress& progress) {
    if (!known_.contains(key_of(params)) && !progress("counting the training images", 0))
      return Error{ErrorCode::cancelled, "cancelled", "", ""};
    (void)get(params);
    return {};
  }

 private:
  static std::string key_of(Params params) {
    params.erase("images");
    return to_string(params);
  }
  Count count_;
  std::map<std::string, std::shared_ptr<const Model>> known_;
};

/// The first `wanted` training images; 0: all.
inline std::vector<int32_t> first_images(int64_t wanted) {
  const int64_t all = garments().train.count();
  std::vector<int32_t> which(static_cast<size_t>(wanted > 0 ? std::min(wanted, all) : all));
  std::iota(which.begin(), which.end(), 0);
  return which;
}

}  // namespace ridge::weightless
