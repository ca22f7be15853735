// The parameters that say which network: shared by the trainings and by what classifies with it.
#pragma once

#include <vector>

#include "common/record/types.h"
#include "kernels/runtime/weightless/trainer.h"

namespace ridge::weightless {

/// luts, bits, candidates, halve, epochs, seed, train_images.
std::vector<ParamSpec> model_params();
/// Fewer images in a call; the model stays. NaN is no share: all of them.
Params fewer_images(const Params& params, double share);
/// The error says which parameter does not fit another.
Result<TrainConfig> config_of(const Params& params);

}  // namespace ridge::weightless
