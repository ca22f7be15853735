#include "kernels/quantnet/recipes.h"

#include <algorithm>
#include <map>
#include <thread>

#include <fmt/format.h>

#include "common/record/params.h"
#include "kernels/quantnet/block_formats.h"

namespace ridge::quantnet {
namespace {

constexpr std::string_view kPlain = "fp32";

/// "int8_channel" of "quantnet.cpu.int8_channel", and of a learner's copy of it.
std::string_view trick_of(std::string_view kernel) {
  std::string_view trick = kernel.substr(kernel.rfind('.') + 1);
  constexpr std::string_view kEdit = "_edit";
  if (trick.ends_with(kEdit)) trick.remove_suffix(kEdit.size());
  return trick;
}

const Recipe* find_recipe(std::string_view trick) {
  for (const RecipeDesc* desc : registered_recipes()) {
    if (desc->trick == trick) return desc->recipe;
  }
  return nullptr;
}

/// Whether what `recipe` makes depends on this parameter.
bool looks_at(const Recipe& recipe, std::string_view param) {
  if (param == "weight_bits" || param == "act_bits") return recipe.integer;
  if (param == "group") return recipe.groups;
  if (param == "kept") return recipe.keeps_worst;
  if (param == "percentile") return recipe.clip == Clip::percentile;
  if (param == "calibration") return recipe.integer || recipe.element == Element::e4m3;
  if (param == "tune_epochs") return recipe.tune != Tune::none;
  if (param == "pruned") return recipe.tune == Tune::magnitude || recipe.tune == Tune::channels;
  if (param == "limit")
    return recipe.integer || recipe.emulated || recipe.tune != Tune::none ||
           recipe.element != Element::fp32;
  return true;
}

std::string key_of(const Asked& asked) {
  const Choices& c = asked.choices;
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {}", asked.net.model, asked.net.width,
                     asked.net.epochs, asked.net.seed, asked.trick, c.weight_bits, c.act_bits,
                     c.group, c.calibration, c.percentile, asked.net.tune_epochs, asked.net.pruned,
                     int(asked.net.tune), c.kept);
}

Error odd_width(int width) {
  return {ErrorCode::usage, "a width of " + std::to_string(width) + " is no multiple of 16",
          "width", "set one that is"};
}

}  // namespace

std::vector<ParamSpec> family_params() {
  std::vector<std::string> recipes = {std::string(kPlain)};
  for (const RecipeDesc* desc : registered_recipes()) {
    if (desc->trick != kPlain) recipes.emplace_back(desc->trick);
  }
  return {extent_param("images", "images in a call; from 10000 on the whole test set", 1'000'000,
                       10'000),
          choice_param("model", "which network", {"cnn", "mlp"}),
          int_param("width", "units of the hidden layer; cnn: sixteen times its channels", 16, 4096,
                    256),
          int_param("train_epochs", "passes over the training images; 0: untrained", 0, 100, 3),
          int_param("seed", "of initialisation and order", 1, 1'000'000, 1),
          choice_param("recipe", "how the numbers are made: the rung's", std::move(recipes)),
          int_param("weight_bits", "bits of a weight, 2 to 8; 0: as many as the rung has", 0, 8, 0),
          int_param("act_bits", "bits of an activation that are used, of a byte", 2, 8, 8),
          int_param("group", "weights that share a scale, in fours", 1, 64, 8),
          int_param("calibration", "training images that clipping points are chosen by", 1, 10'000,
                    256),
          int_param("percentile", "of activations that are not cut off, hundredths of a per cent",
                    5'000, 10'000, 9'999),
          int_param("kept", "layers kept in bf16, the most sensitive", 0, 8, 1),
          int_param("tune_epochs", "passes of fine-tuning, from the trained network on", 0, 100, 1),
          int_param("pruned", "weights or channels that go, per cent", 0, 99, 50),
          int_param("limit", "accuracy that may be lost against fp32, hundredths of a point", 0,
                    10'000, 100),
          threads_param()};
}

void narrow(std::string_view kernel, std::vector<ParamSpec>* specs) {
  const std::string trick(trick_of(kernel));
  const Recipe* recipe = find_recipe(trick);
  if (recipe == nullptr) return;
  std::erase_if(*specs, [&](const ParamSpec& spec) {
    return (spec.name == "recipe" && trick == kPlain) || !looks_at(*recipe, spec.name);
  });
  for (ParamSpec& spec : *specs) {
    if (spec.name == "recipe") spec.choices = {trick}, spec.fallback = trick;
    // Half of the filters cost more than the limit allows, or nearly so, as the training falls out.
    if (spec.name == "pruned" && recipe->tune == Tune::channels) spec.fallback = int64_t{25};
  }
}

Asked asked_of(const Params& params) {
  Asked asked;
  asked.net = {.model = param_text(params, "model", "cnn"),
               .width = static_cast<int>(param_int(params, "width", 256)),
               .epochs = static_cast<int>(param_int(params, "train_epochs", 4)),
               .seed = static_cast<uint64_t>(param_int(params, "seed", 1))};
  asked.trick = param_text(params, "recipe", std::string(kPlain));
  if (const Recipe* recipe = find_recipe(asked.trick)) asked.recipe = *recipe;
  asked.choices = {.weight_bits = static_cast<int>(param_int(params, "weight_bits", 0)),
                   .act_bits = static_cast<int>(param_int(params, "act_bits", 8)),
                   .group = static_cast<int>(4 * param_int(params, "group", 8)),
                   .calibration = static_cast<int>(param_int(params, "calibration", 256)),
                   .percentile = double(param_int(params, "percentile", 9'999)) / 10'000,
                   .kept = static_cast<int>(param_int(params, "kept", 1))};
  if (asked.choices.weight_bits == 0) asked.choices.weight_bits = asked.recipe.weight_bits;
  asked.net.tune = asked.recipe.tune;
  asked.net.tune_epochs = static_cast<int>(param_int(params, "tune_epochs", 1));
  asked.net.pruned = static_cast<int>(param_int(params, "pruned", 50));
  asked.net.weight_bits = asked.choices.weight_bits;
  asked.images = param_int(params, "images", 10'000);
  asked.threads = static_cast<int>(param_int(params, "threads", 1));
  asked.limit = double(param_int(params, "limit", 100)) / 10'000;
  return asked;
}

double nmse_limit(const Recipe& recipe) {
  if (recipe.integer) return 1e-4;
  return recipe.element == Element::fp32 ? 1e-10 : 1e-3;
}

Result<std::shared_ptr<const QuantNet>> stored_net(const Asked& asked,
                                                   const FamilyProgress* progress) {
  // The worker's main thread alone makes problems: no lock.
  static std::map<std::string, std::shared_ptr<const QuantNet>> known;
  if (asked.net.width % 16 != 0) return odd_width(asked.net.width);
  if (asked.choices.weight_bits == 1)
    return Error{ErrorCode::usage, "weights of one bit have a sign and no levels", "weight_bits",
                 "set 2 to 8"};
  const std::string key = key_of(asked);
  if (const auto found = known.find(key); found != known.end()) return found->second;
  RIDGE_TRY(const auto trained, stored(asked.net, progress));
  std::shared_ptr<const QuantNet> net =
      quantize(*trained, asked.recipe, asked.choices, garments().train);
  if (const BlockFormat* format = find_block_format(asked.trick)) net = in_blocks(*format, *net);
  return known[key] = net;
}

Result<double> plain_accuracy(const NetConfig& config) {
  static std::map<std::string, double> known;
  if (config.epochs == 0) return 0.0;
  Asked asked{.net = config, .trick = std::string(kPlain)};
  asked.net.tune = Tune::none;
  const std::string key = key_of(asked);
  if (const auto found = known.find(key); found != known.end()) return found->second;
  RIDGE_TRY(const auto net, stored_net(asked, nullptr));
  const ImageSet& set = garments().test;
  std::vector<float> scores(size_t(set.count()) * kGarmentClasses);
  void* buffers[] = {const_cast<uint8_t*>(set.pixels.data()), scores.data()};
  Shape shape;
  shape.dim[0] = set.count(), shape.constants = net.get();
  shape.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  Plan plan;
  (void)prepare_floating(shape, &plan);
  (void)launch_floating({.shape = shape, .buffers = buffers, .plan_state = plan.state});
  plan.release(plan.state);
  return known[key] = accuracy_of(scores.data(), set.labels);
}

std::vector<bool> answers_right(const float* scores, std::span<const uint8_t> labels) {
  std::vector<bool> right;
  for (size_t i = 0; i < labels.size(); ++i) {
    const float* row = scores + i * kGarmentClasses;
    right.push_back(std::max_element(row, row + kGarmentClasses) - row == labels[i]);
  }
  return right;
}

double accuracy_of(const float* scores, std::span<const uint8_t> labels) {
  const std::vector<bool> right = answers_right(scores, labels);
  return double(std::count(right.begin(), right.end(), true)) / double(labels.size());
}

}  // namespace ridge::quantnet
