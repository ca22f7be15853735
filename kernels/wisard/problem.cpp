// The WiSARD family's problem: counted in one pass over the training images, every prediction judged.
#include <memory>

#include "common/harness/kernel/registry.h"
#include "common/record/params.h"
#include "kernels/runtime/weightless/params.h"
#include "kernels/runtime/weightless/row_problem.h"
#include "kernels/wisard/model.h"

namespace ridge {
namespace {

using wisard::Wisard;

std::vector<ParamSpec> params() {
  return {extent_param("tuple", "bits that address a RAM", kMaxTuple, 12),
          int_param("bits", "thermometer bits a pixel", 1, weightless::kMaxBits, 3),
          int_param("bleach", "a RAM says yes above so many", 0, 254, 8),
          int_param("seed", "of the order in which bits are cut into tuples", 1, 1'000'000, 1),
          int_param("train_images", "count so many images; 0: all", 0, 60'000, 0),
          int_param("images", "images in a call", 1, 1'000'000, 10'000)};
}

std::shared_ptr<const Wisard> count(const Params& params) {
  const std::vector<int32_t> which = weightless::first_images(param_int(params, "train_images"));
  return std::make_shared<const Wisard>(
      wisard::train_wisard(garments().train, which, static_cast<int>(param_int(params, "bits", 3)),
                           static_cast<int>(param_int(params, "tuple", 12)),
                           static_cast<int>(param_int(params, "bleach", 8)),
                           static_cast<uint64_t>(param_int(params, "seed", 1))));
}

weightless::CountedModels<Wisard>& counted_models() {
  static weightless::CountedModels<Wisard> models(count);
  return models;
}

std::shared_ptr<const Wisard> counted(const Params& params) {
  return counted_models().get(params);
}

Result<void> get_ready(const Params& params, const FamilyProgress& progress) {
  return counted_models().get_ready(params, progress);
}

struct Counted {
  std::shared_ptr<const Wisard> wisard;
  WisardModel model;
};

Result<std::unique_ptr<Problem>> make_problem(const Params& params) {
  auto owner = std::make_shared<Counted>();
  owner->wisard = counted(params);
  owner->model = owner->wisard->model();
  const Wisard* wisard = owner->wisard.get();
  return std::unique_ptr<Problem>(std::make_unique<weightless::RowProblem>(
      weightless::RowClassifier{
          .owner = owner,
          .constants = &owner->model,
          .thresholds = &wisard->thresholds,
          .tuple = wisard->tuple,
          .table_bytes = wisard->rams() * kRamClasses / 8.0,
          .predict = [wisard](const uint64_t* row,
                              int* scores) { return wisard::predict_one(*wisard, row, scores); },
          .score_unit = "RAMs that say yes"},
      param_int(params, "images", 10'000)));
}

Result<Inspection> inspect(const Params& params, const InspectAsked& asked) {
  return wisard::inspect_wisard(*counted(params), garments(), asked);
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
  add(1, 1, 0, 1), add(1, 5, 3, 63), add(1, 8, 1, 65), add(1, 9, 0, 511), add(1, 12, 1, 513);
  add(1, 13, 2, 130);
  return shapes;
}

RIDGE_FAMILY(wisard, .params = params, .make_problem = make_problem, .awkward = awkward,
             .shrink = weightless::fewer_images, .get_ready = get_ready, .inspect = inspect);

}  // namespace
}  // namespace ridge
