#include "kernels/weightless/training.h"

#include <algorithm>
#include <thread>

#include "common/record/params.h"

namespace ridge::weightless {
namespace {

/// Three times what guessing gets right.
constexpr double kMinAccuracy = 0.3;

class LutTraining : public Training {
 public:
  LutTraining(const TrainConfig& config, const LutKernel& kernel, int threads)
      : trainer_(config, garments(), kernel, threads) {}

  Result<void> step() override {
    trainer_.step();
    return {};
  }

  std::map<std::string, double> observe() override {
    return {{"loss", trainer_.loss()}, {"batch_accuracy", trainer_.batch_accuracy()}};
  }

  /// The test set is asked once, when training is over.
  std::map<std::string, double> look() override {
    if (!trainer_.config().hold_out) return {};
    return {{"accuracy", trainer_.accuracy(false)}};
  }

  QualityCheck evaluate() override {
    const bool test = !trainer_.config().hold_out;
    QualityCheck check;
    check.what = test ? "test set" : "images held out";
    const double accuracy = trainer_.accuracy(test);
    check.task["accuracy"] = accuracy;
    check.checked = test ? garments().test.count() : garments().train.count() / 10;
    check.passed = accuracy >= kMinAccuracy;
    if (!check.passed) check.reason = "it is right less often than three times guessing";
    return check;
  }

  int64_t steps() const override { return trainer_.steps(); }
  int64_t items_per_step() const override { return kLutBatch; }
  double flop_per_step() const override { return 0; }
  std::string note() const override { return garments().missing; }

 private:
  Trainer trainer_;
};

}  // namespace

std::vector<ParamSpec> training_params(const TrainDesc&) {
  std::vector<ParamSpec> specs = model_params();
  for (ParamSpec& spec : specs) {
    if (spec.name == "epochs") spec.min = 1;
  }
  const int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  specs.push_back(
      int_param("threads", "CPU threads; the model is the same with any number", 1, cores, cores));
  specs.push_back(choice_param(
      "judge", "held_out: a tenth of the training images, on the way as well; test: train on all",
      {"held_out", "test"}));
  return specs;
}

std::vector<ParamSpec> random_wiring_params(const TrainDesc& desc) {
  std::vector<ParamSpec> specs = training_params(desc);
  std::erase_if(specs, [](const ParamSpec& spec) {
    return spec.name == "candidates" || spec.name == "halve";
  });
  return specs;
}

Result<std::unique_ptr<Training>> set_up_training(const Params& params, uint64_t,
                                                  const LutKernel& kernel) {
  RIDGE_TRY(TrainConfig config, config_of(params));
  config.hold_out = param_text(params, "judge", "held_out") == "held_out";
  return std::unique_ptr<Training>(std::make_unique<LutTraining>(
      config, kernel, static_cast<int>(param_int(params, "threads", 1))));
}

}  // namespace ridge::weightless
