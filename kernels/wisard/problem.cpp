// The WiSARD family's problem: counted in one pass over the training images, every prediction judged.
#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <numeric>

#include "common/kernel/registry.h"
#include "common/quality/quality.h"
#include "common/record/params.h"
#include "kernels/weightless/encoded_batch.h"
#include "kernels/weightless/params.h"
#include "kernels/wisard/model.h"

namespace ridge {
namespace {

using weightless::EncodedBatch;
using wisard::Wisard;

class WisardProblem : public Problem {
 public:
  WisardProblem(std::shared_ptr<const Wisard> wisard, int64_t images)
      : wisard_(std::move(wisard)), model_(wisard_->model()), images_(images) {}

  Shape shape() const override {
    Shape shape;
    shape.dim[kRamImages] = images_;
    shape.dim[kRamBits] = wisard_->bits;
    shape.dim[kRamTuple] = wisard_->tuple;
    shape.constants = &model_;
    return shape;
  }
  std::vector<BufferSpec> buffers() const override {
    return {{"rows", EncodedBatch::row_bytes(images_, model_.features), false, DType::int8},
            {"planes", EncodedBatch::plane_bytes(images_, model_.features), false, DType::int8},
            {"classes", static_cast<size_t>(images_), true, DType::int8}};
  }
  double flop() const override { return 0; }
  /// The bits, a class, and of the tables the one bit for each class that a RAM's address picks.
  double bytes_min() const override {
    return double(images_) * (model_.features / 8.0 + 1 + model_.rams * kRamClasses / 8.0);
  }
  double items() const override { return double(images_); }

  void generate(uint64_t seed, HostBuffers* host) const override {
    const EncodedBatch batch(wisard_->thresholds, images_, seed);
    host->resize(3);
    for (size_t i = 0; i < 3; ++i) (*host)[i].resize(buffers()[i].bytes);
    std::memcpy((*host)[0].data(), batch.rows.words.data(), batch.rows.words.size() * 8);
    batch.write_planes(reinterpret_cast<uint64_t*>((*host)[1].data()));
  }

  QualityCheck check(const HostBuffers& host, bool, uint64_t seed) const override {
    if (referred_ != seed || expected_.empty()) {
      const EncodedBatch batch(wisard_->thresholds, images_, seed);
      expected_.clear();
      for (int64_t i = 0; i < images_; ++i) {
        expected_.push_back(static_cast<uint8_t>(wisard::predict_one(*wisard_, batch.rows.row(i))));
      }
      labels_ = batch.labels;
      referred_ = seed;
    }
    return weightless::judge_classes(host[2], expected_, labels_);
  }

 private:
  std::shared_ptr<const Wisard> wisard_;
  WisardModel model_;
  int64_t images_;
  mutable uint64_t referred_ = 0;
  mutable std::vector<uint8_t> expected_, labels_;
};

std::vector<ParamSpec> params() {
  using weightless::int_param;
  return {int_param("bits", "thermometer bits a pixel", 1, weightless::kMostBits, 3),
          int_param("tuple", "bits that address a RAM", 1, kMostTuple, 12),
          int_param("bleach", "a RAM says yes above so many", 0, 254, 1),
          int_param("seed", "of the order in which bits are cut into tuples", 1, 1'000'000, 1),
          int_param("train_images", "count so many images; 0: all", 0, 60'000, 0),
          int_param("images", "images in a call", 1, 1'000'000, 10'000)};
}

/// Counted once a process for each set of parameters but the number of images.
std::shared_ptr<const Wisard> counted(const Params& params) {
  static std::map<std::string, std::shared_ptr<const Wisard>> known;
  Params key = params;
  key.erase("images");
  auto& wisard = known[to_string(key)];
  if (wisard != nullptr) return wisard;
  const int64_t wanted = param_int(params, "train_images"), all = garments().train.count();
  std::vector<int32_t> which(static_cast<size_t>(wanted > 0 ? std::min(wanted, all) : all));
  std::iota(which.begin(), which.end(), 0);
  wisard = std::make_shared<const Wisard>(
      wisard::train_wisard(garments().train, which, static_cast<int>(param_int(params, "bits", 3)),
                           static_cast<int>(param_int(params, "tuple", 12)),
                           static_cast<int>(param_int(params, "bleach", 1)),
                           static_cast<uint64_t>(param_int(params, "seed", 1))));
  return wisard;
}

Result<std::unique_ptr<Problem>> make_problem(const Params& params) {
  return std::unique_ptr<Problem>(
      std::make_unique<WisardProblem>(counted(params), param_int(params, "images", 10'000)));
}

/// Tuples that fill no byte, one RAM short of all features, tiles with one image more and less, more than
/// 255 RAMs, and no bleaching.
std::vector<Params> awkward() {
  std::vector<Params> shapes;
  const auto add = [&](int64_t bits, int64_t tuple, int64_t bleach, int64_t images) {
    shapes.push_back({{"bits", bits},
                      {"tuple", tuple},
                      {"bleach", bleach},
                      {"images", images},
                      {"train_images", int64_t{700}}});
  };
  add(1, 1, 0, 1), add(1, 5, 3, 63), add(1, 8, 1, 65), add(1, 9, 0, 511), add(3, 12, 1, 513);
  add(1, 13, 2, 130);
  return shapes;
}

Params shrink(const Params& params, double share) {
  Params smaller = params;
  const auto images = static_cast<double>(param_int(params, "images", 10'000));
  smaller["images"] =
      std::max<int64_t>(1, static_cast<int64_t>(images * (share <= 1 ? share : 1) + 1e-9));
  return smaller;
}

RIDGE_FAMILY(wisard, .params = params, .make_problem = make_problem, .awkward = awkward,
             .shrink = shrink);

}  // namespace
}  // namespace ridge
