// The Bloom family's problem: counted in one pass over the training images, every prediction judged.
#include <memory>

#include "common/harness/kernel/registry.h"
#include "common/record/params.h"
#include "kernels/bloom/model.h"
#include "kernels/runtime/weightless/params.h"
#include "kernels/runtime/weightless/row_problem.h"

namespace ridge {
namespace {

using bloom::BloomNet;

std::vector<ParamSpec> params() {
  const bloom::BloomConfig usual;
  return {extent_param("tuple", "bits of a tuple", kMaxBloomTuple, usual.tuple),
          int_param("bits", "thermometer bits a pixel", 1, weightless::kMaxBits, usual.bits),
          int_param("hashes", "counters of a tuple", 1, kMaxHashes, usual.hashes),
          int_param("log2_slots", "counters of a filter, as a power of two", 4, 16, usual.log2_slots),
          int_param("bleach", "a filter says yes above so many", 0, 254, usual.bleach),
          int_param("seed", "of the order of the bits, and of the hashes", 1, 1'000'000, 1),
          int_param("train_images", "count so many images; 0: all", 0, 60'000, 0),
          int_param("images", "images in a call", 1, 1'000'000, 10'000)};
}

struct Counted {
  BloomNet net;
  BloomModel model;
};

std::shared_ptr<const Counted> count(const Params& params) {
  const auto number = [&](const char* name) { return static_cast<int>(param_int(params, name)); };
  const bloom::BloomConfig config = {.bits = number("bits"),
                                     .tuple = number("tuple"),
                                     .hashes = number("hashes"),
                                     .log2_slots = number("log2_slots"),
                                     .bleach = number("bleach"),
                                     .seed = static_cast<uint64_t>(param_int(params, "seed"))};
  auto made = std::make_shared<Counted>();
  made->net = bloom::train_bloom(
      garments().train, weightless::first_images(param_int(params, "train_images")), config);
  made->model = made->net.model();
  return made;
}

weightless::CountedModels<Counted>& counted_models() {
  static weightless::CountedModels<Counted> models(count);
  return models;
}

Result<void> get_ready(const Params& params, const FamilyProgress& progress) {
  return counted_models().get_ready(params, progress);
}

Result<std::unique_ptr<Problem>> make_problem(const Params& params) {
  const auto owner = counted_models().get(params);
  return std::unique_ptr<Problem>(std::make_unique<weightless::RowProblem>(
      weightless::RowClassifier{
          .owner = owner,
          .constants = &owner->model,
          .thresholds = &owner->net.thresholds,
          .tuple = owner->model.tuple,
          .table_bytes = owner->model.filters * owner->model.hashes * kBloomClasses / 8.0,
          .predict = [net = &owner->net](const uint64_t* row,
                                         int* scores) { return predict_one(*net, row, scores); },
          .score_unit = "filters that say yes"},
      param_int(params, "images", 10'000)));
}

std::vector<Params> awkward() {
  std::vector<Params> shapes;
  const auto add = [&](int64_t bits, int64_t tuple, int64_t hashes, int64_t slots, int64_t images) {
    shapes.push_back({{"bits", bits},
                      {"tuple", tuple},
                      {"hashes", hashes},
                      {"log2_slots", slots},
                      {"images", images},
                      {"train_images", int64_t{500}}});
  };
  add(1, 28, 1, 8, 1), add(1, 13, 3, 10, 65), add(3, 64, 8, 5, 130), add(2, 1, 2, 4, 33);
  return shapes;
}

RIDGE_FAMILY(bloom, .params = params, .make_problem = make_problem, .awkward = awkward,
             .shrink = weightless::fewer_images, .get_ready = get_ready);

}  // namespace
}  // namespace ridge
