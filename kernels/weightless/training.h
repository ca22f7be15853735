// The trainings of this lab are one training with three ways to compute a LUT's step.
#pragma once

#include <memory>

#include "common/harness/kernel/training.h"
#include "kernels/runtime/weightless/params.h"

namespace ridge::weightless {

/// model_params(), threads, and which images judge it. Random wiring has no candidates to choose.
std::vector<ParamSpec> training_params(const TrainDesc& desc);
std::vector<ParamSpec> random_wiring_params(const TrainDesc& desc);
Result<std::unique_ptr<Training>> set_up_training(const Params& params, uint64_t seed,
                                                  const LutKernel& kernel);

}  // namespace ridge::weightless
