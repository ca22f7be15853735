#include "kernels/quantnet/recipes.h"

#include <algorithm>
#include <map>

#include "common/record/params.h"

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

/// Whether what is made by `recipe` depends on this parameter.
bool looks_at(const Recipe& recipe, std::string_view param) {
  (void)recipe, (void)param;
  return true;
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
          int_param("train_epochs", "passes over the training images; 0: untrained", 0, 100, 4),
          int_param("seed", "of initialisation and order", 1, 1'000'000, 1),
          choice_param("recipe", "how the numbers are made: the rung's", std::move(recipes)),
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
  }
}

Asked asked_of(const Params& params) {
  Asked asked;
  asked.net = {.model = param_text(params, "model", "cnn"),
               .width = static_cast<int>(param_int(params, "width", 256)),
               .epochs = static_cast<int>(param_int(params, "train_epochs", 4)),
               .seed = static_cast<uint64_t>(param_int(params, "seed", 1))};
  if (const Recipe* recipe = find_recipe(param_text(params, "recipe", std::string(kPlain))))
    asked.recipe = *recipe;
  asked.images = param_int(params, "images", 10'000);
  asked.threads = static_cast<int>(param_int(params, "threads", 1));
  return asked;
}

double nmse_limit(const Recipe& recipe) {
  return recipe.element == Element::fp32 ? 1e-10 : 1e-3;
}

Result<std::shared_ptr<const QuantNet>> stored_net(const Params& params,
                                                   const FamilyProgress* progress) {
  // The worker's main thread alone makes problems: no lock.
  static std::map<Params, std::shared_ptr<const QuantNet>> known;
  Params key = params;
  key.erase("images"), key.erase("threads");
  if (const auto found = known.find(key); found != known.end()) return found->second;
  const Asked asked = asked_of(params);
  if (asked.net.model == "cnn" && asked.net.width % 16 != 0)
    return Error{ErrorCode::usage,
                 "a width of " + std::to_string(asked.net.width) + " gives no whole channels",
                 "width", "set a multiple of 16"};
  RIDGE_TRY(const auto trained, stored(asked.net, progress));
  return known[key] = quantize(*trained, asked.recipe);
}

}  // namespace ridge::quantnet
