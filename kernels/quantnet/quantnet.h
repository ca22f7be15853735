// The quantnet family's view of a launch: a network trained here (kernels/runtime/networks/model.h) classifies images of
// Fashion-MNIST, in the numbers that a rung's recipe makes of it.
//
//   Shape::dim        {images}
//   Shape::constants  the QuantNet (network.h): weights, scales and biases as the recipe left them
//   buffers[0]        pixels, input: images x 784 bytes
//   buffers[1]        scores, output: images x 10 fp32; the highest is the class
//
// A rung is a recipe and the engine that runs it. The recipe reaches the problem as the parameter `recipe`,
// which each rung narrows to its own, so that definition and check are those of this very network.
#pragma once

#include "common/harness/kernel/kernel.h"
#include "kernels/runtime/networks/precision.h"

namespace ridge {

/// Where the largest value of an activation is cut off.
enum class Clip : uint8_t { min_max, percentile, entropy, least_squares };
/// What the network is trained for, some epochs more, before it is quantised.
enum class Tune : uint8_t { none, straight_through, magnitude, two_of_four, channels };

struct Recipe {
  Element element = Element::fp32;  ///< weights and activations of what is no integer
  bool emulated = false;            ///< rounded to the type, computed in fp32
  bool integer = false;  ///< weights of `weight_bits`, activations of bytes, sums of int32
  int weight_bits = 8;
  bool per_channel = false;  ///< a scale for each output; else one a layer
  bool groups = false;       ///< a scale for each `group` weights of an output
  Clip clip = Clip::min_max;
  bool corrects_bias = false;
  bool keeps_worst = false;  ///< the most sensitive layers' weights stay in bf16
  Tune tune = Tune::none;
};

struct RecipeDesc {
  const char* trick;  ///< last part of the rung's id
  const Recipe* recipe;
};

Status prepare_floating(const Shape& shape, Plan* plan);
Status launch_floating(const Launch& launch);
Status prepare_integer(const Shape& shape, Plan* plan);
Status launch_integer(const Launch& launch);

}  // namespace ridge

/// Beside RIDGE_KERNEL, whose trick it has: how its numbers are made.
#define RIDGE_RECIPE(trick_, ...)                                                    \
  static constexpr ::ridge::Recipe ridge_recipe = {__VA_ARGS__};                     \
  static constexpr ::ridge::RecipeDesc ridge_recipe_desc = {#trick_, &ridge_recipe}; \
  RIDGE_REGISTER("ridge_recipes", ::ridge::RecipeDesc, ridge_recipe_desc)
