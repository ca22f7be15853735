// The recipes of this family, the parameters that they leave open, and the networks that they make.
#pragma once

#include <span>
#include <string_view>

#include "common/core/registration.h"
#include "kernels/quantnet/network.h"

namespace ridge {

RIDGE_REGISTERED(registered_recipes, ridge_recipes, RecipeDesc)

namespace quantnet {

/// A request's parameters, read.
struct Asked {
  NetConfig net;
  std::string trick;  ///< the recipe's name
  Recipe recipe;
  Choices choices;
  int64_t images = 10'000;
  int threads = 1;
  double limit = 0.01;        ///< share of the test set that may be lost against fp32
  double plain_accuracy = 0;  ///< of fp32, where the problem has asked for it
};

std::vector<ParamSpec> family_params();
/// Leaves a rung its own recipe (fp32 has none), and the parameters that this recipe looks at.
void narrow(std::string_view kernel, std::vector<ParamSpec>* specs);
Asked asked_of(const Params& params);

/// How far scores may be from float64's, as NMSE: sums of fp32, and activations that fall on the other side of a
/// point between two numbers of the type.
double nmse_limit(const Recipe& recipe);

/// The network that is asked for: trained or read, then quantised; from this process where it was made before.
Result<std::shared_ptr<const QuantNet>> stored_net(const Asked& asked,
                                                   const FamilyProgress* progress);
/// Of the network as it was trained, in fp32, on the test set; 0 where it is untrained.
Result<double> plain_accuracy(const NetConfig& config);
/// Whether each image's highest score is its label's; scores: 10 an image.
std::vector<bool> answers_right(const float* scores, std::span<const uint8_t> labels);
/// The share of images of which it is.
double accuracy_of(const float* scores, std::span<const uint8_t> labels);

}  // namespace quantnet
}  // namespace ridge
