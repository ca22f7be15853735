// The trainings of this family: parameters, the order of the images, the rate, and what is reported of each
// step. The same for every precision and device: two rungs with one seed differ by their arithmetic alone.
#include "kernels/mixed/training.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <thread>

#include "common/core/random.h"
#include "common/record/params.h"

namespace ridge::mixed {
namespace {

/// Three times what guessing gets right.
constexpr double kMinAccuracy = 0.3;
/// Gradients are counted, and the accuracy looked at, so many times on the way.
constexpr int64_t kLooks = 8;
/// Held out of the training images: the last tenth.
constexpr int64_t kHeldShare = 10;

struct Plan {
  TrainerSetup setup;
  int64_t epochs = 1;
  float rate = 0;
  uint64_t seed = 1;
  bool hold_out = true;
  std::string note;
};

class MixedTraining final : public Training {
 public:
  MixedTraining(Plan plan, std::unique_ptr<Trainer> trainer)
      : plan_(std::move(plan)), trainer_(std::move(trainer)) {
    const int64_t all = garments().train.count();
    training_ = plan_.hold_out ? all - all / kHeldShare : all;
    an_epoch_ = std::max<int64_t>(1, training_ / plan_.setup.batch);
  }

  Result<void> step() override;
  std::map<std::string, double> observe() override;
  std::map<std::string, double> look() override;
  QualityCheck evaluate() override;
  int64_t steps() const override { return an_epoch_ * plan_.epochs; }
  int64_t items_per_step() const override { return plan_.setup.batch; }
  double flop_per_step() const override {
    return plan_.setup.model.flop_per_image() * double(plan_.setup.batch);
  }
  double memory_bytes() const override { return trainer_->memory_bytes(); }
  bool is_emulated() const override { return plan_.setup.precision.emulated; }
  std::string note() const override { return plan_.note; }

 private:
  Result<double> accuracy(bool test);

  Plan plan_;
  std::unique_ptr<Trainer> trainer_;
  int64_t training_ = 0, an_epoch_ = 1, done_ = 0;
  std::vector<int32_t> order_;
  bool counted_ = false;
};

Result<void> MixedTraining::step() {
  const int64_t batch = plan_.setup.batch;
  if (done_ % an_epoch_ == 0)
    order_ = shuffled(training_, plan_.seed * 1000 + uint64_t(done_ / an_epoch_));
  const double share = double(done_) / double(steps());
  const auto rate = plan_.rate * static_cast<float>((1 + std::cos(std::numbers::pi * share)) / 2);
  ++done_;
  counted_ = done_ == 1 || done_ % std::max<int64_t>(1, steps() / kLooks) == 0;
  // A training set smaller than a batch goes round.
  while (static_cast<int64_t>(order_.size()) < batch)
    order_.insert(order_.end(), order_.begin(), order_.begin() + training_);
  return trainer_->step(garments().train, &order_[size_t((done_ - 1) % an_epoch_ * batch)], rate,
                        counted_);
}

std::map<std::string, double> MixedTraining::observe() {
  const auto report = trainer_->report();
  if (!report) return {};
  std::map<std::string, double> values = {
      {"loss", report->loss},
      {"batch_accuracy", double(report->right) / double(plan_.setup.batch)}};
  const double memory = trainer_->memory_bytes(), activations = trainer_->activation_bytes();
  if (memory > 0 && activations > 0) values["activation_share"] = activations / memory;
  if (plan_.setup.precision.scale != LossScale::none) {
    values["loss_scale"] = report->scale;
    values["steps_left_out"] = double(report->left_out);
  }
  if (!counted_) return values;
  const GradientCount count = trainer_->counted();
  double all = double(count.zeros);
  for (const int64_t some : count.exponents) all += double(some);
  if (!(all > 0)) return values;
  values["gradient_zero"] = double(count.zeros) / all;
  for (int i = 0; i < kExponents; ++i) {
    if (count.exponents[size_t(i)] == 0) continue;
    char name[32];
    std::snprintf(name, sizeof name, "gradient_2^%d", i + kMinExponent);
    values[name] = double(count.exponents[size_t(i)]) / all;
  }
  return values;
}

Result<double> MixedTraining::accuracy(bool test) {
  const ImageSet& set = test ? garments().test : garments().train;
  const int64_t first = test ? 0 : training_, count = set.count() - first;
  std::vector<int32_t> images(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) images[size_t(i)] = static_cast<int32_t>(first + i);
  // A block reads further images than there are: the last one again.
  images.resize(size_t(count + plan_.setup.batch), images.back());
  RIDGE_TRY(const int64_t right, trainer_->right(set, images.data(), count));
  return double(right) / double(count);
}

/// The test set is asked once, when training is over.
std::map<std::string, double> MixedTraining::look() {
  if (!plan_.hold_out) return {};
  const auto value = accuracy(false);
  if (!value) return {};
  return {{"accuracy", *value}};
}

QualityCheck MixedTraining::evaluate() {
  QualityCheck check;
  check.what = plan_.hold_out ? "images held out" : "test set";
  const auto value = accuracy(!plan_.hold_out);
  if (!value) {
    check.reason = value.error().what;
    return check;
  }
  const ImageSet& test = garments().test;
  check.checked = plan_.hold_out ? garments().train.count() - training_ : test.count();
  check.task["accuracy"] = *value;
  const auto report = trainer_->report();
  const bool finite = report && report->finite && std::isfinite(report->loss);
  check.task["diverged"] = finite ? 0 : 1;
  // A rung that is there to fail has failed by design: what it comes to is its result.
  const bool may_fail = plan_.setup.precision.stored == Element::fp16 &&
                        plan_.setup.precision.scale == LossScale::none;
  check.passed = may_fail || (finite && *value >= kMinAccuracy);
  if (!check.passed)
    check.reason = finite ? "it is right less often than three times guessing" : "it diverged";
  return check;
}

/// The largest batch that fits, in steps of 16; 0: none.
int64_t largest_batch(TrainerSetup setup, TrainerBytes bytes, double limit) {
  int64_t low = 0, high = 65'536 / 16;
  setup.parameters.clear();
  while (low < high) {
    const int64_t middle = (low + high + 1) / 2;
    setup.batch = 16 * middle * setup.parts;
    (bytes(setup) <= limit ? low : high) = bytes(setup) <= limit ? middle : middle - 1;
  }
  return 16 * low * setup.parts;
}

std::string limit_note(const TrainerSetup& setup, TrainerBytes bytes, int64_t limit_mib) {
  const int64_t largest = largest_batch(setup, bytes, double(limit_mib) * 1048576);
  return "largest batch within " + std::to_string(limit_mib) +
         " MiB: " + (largest > 0 ? std::to_string(largest) : "none");
}

}  // namespace

std::vector<ParamSpec> mixed_params(const TrainDesc& desc) {
  const auto& precision = *static_cast<const Precision*>(desc.config);
  const bool gpu = desc.backend == Backend::cuda;
  const int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  ParamSpec batch = int_param("batch", "images of a step, a multiple of 16", 16, 65'536, 256);
  batch.is_size = true;
  std::vector<ParamSpec> specs = {
      choice_param("model", "which network", {"mlp", "cnn"}),
      int_param("width", "units of a hidden layer; cnn: sixteenths of its channels", 16, 8192, 256),
      int_param("layers", "hidden layers; cnn: convolutions of a stage", 1, 64, 1),
      batch,
      int_param("epochs", "passes over the training images", 1, 1000, 4),
      int_param("rate", "learning rate at the start, ten-thousandths", 1, 100'000, 600),
      int_param("seed", "of initialisation and order", 1, 1'000'000, 1)};
  if (precision.scale != LossScale::none)
    specs.push_back(int_param("scale", "of the loss, a power of two; dynamic: where it begins", 0,
                              40, precision.scale == LossScale::fixed ? 10 : 16));
  if (precision.accumulation)
    specs.push_back(int_param("parts", "parts of a batch, one after the other", 2, 256, 4));
  if (!gpu)
    specs.push_back(
        int_param("threads", "CPU threads; they train the same network", 1, cores, cores));
  specs.push_back(choice_param("judge",
                               "held_out: a tenth of the training images; test: train on all",
                               {"held_out", "test"}));
  if (!desc.external)  // what a library takes is known afterwards
    specs.push_back(int_param("memory_mib", "a limit: which batch fits; 0: none", 0, 1'000'000, 0));
  return specs;
}

Result<std::unique_ptr<Training>> build_mixed(const TrainDesc& desc, const Params& params,
                                              MakeTrainer make, TrainerBytes bytes) {
  Plan plan;
  TrainerSetup& setup = plan.setup;
  setup.precision = *static_cast<const Precision*>(desc.config);
  const std::string name = param_text(params, "model", "mlp");
  const auto width = static_cast<int>(param_int(params, "width", 256));
  setup.model = make_model(name, name == "cnn" ? width / 16 : width,
                           static_cast<int>(param_int(params, "layers", 1)));
  setup.batch = param_int(params, "batch", 256);
  setup.parts = param_int(params, "parts", 1);
  setup.scale_log2 = static_cast<int>(param_int(params, "scale", 0));
  setup.threads = static_cast<int>(param_int(params, "threads", 1));
  plan.epochs = param_int(params, "epochs", 4);
  plan.rate = static_cast<float>(param_int(params, "rate", 600)) / 10'000;
  plan.seed = static_cast<uint64_t>(param_int(params, "seed", 1));
  plan.hold_out = param_text(params, "judge", "held_out") == "held_out";
  if (setup.batch % (16 * setup.parts) != 0)
    return Error{ErrorCode::usage,
                 "a batch of " + std::to_string(setup.batch) + " is no multiple of " +
                     std::to_string(16 * setup.parts),
                 "batch", "set another batch, or fewer parts"};
  if (name == "cnn" && width % 16 != 0)
    return Error{ErrorCode::usage,
                 "a width of " + std::to_string(width) + " gives no whole channels", "width",
                 "set a multiple of 16"};
  const int64_t limit_mib = param_int(params, "memory_mib", 0);
  if (limit_mib > 0) {
    plan.note = limit_note(setup, bytes, limit_mib);
    if (!(bytes(setup) <= double(limit_mib) * 1048576))
      return Error{ErrorCode::unavailable,
                   "a batch of " + std::to_string(setup.batch) + " does not fit: " + plan.note,
                   "memory_mib", "set a smaller batch, or take a rung that needs less"};
  }
  if (const std::string& more = garments().missing; !more.empty())
    plan.note += (plan.note.empty() ? "" : "; ") + more;
  setup.parameters = initial_parameters(setup.model, plan.seed);
  RIDGE_TRY(auto trainer, make(setup));
  return std::unique_ptr<Training>(
      std::make_unique<MixedTraining>(std::move(plan), std::move(trainer)));
}

}  // namespace ridge::mixed

namespace ridge {

const TrainMaker kMixedCpu = {.params = mixed::mixed_params,
                              .build = [](const TrainDesc& desc, const Params& params, uint64_t) {
                                return mixed::build_mixed(desc, params, mixed::make_cpu_trainer,
                                                          mixed::cpu_trainer_bytes);
                              }};

}  // namespace ridge
