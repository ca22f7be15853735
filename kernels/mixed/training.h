// The trainings of this family: a Trainer with parameters, learning rate and reports around it.
#pragma once

#include "common/harness/kernel/training.h"
#include "kernels/runtime/networks/trainer.h"

namespace ridge::mixed {

/// As make_cpu_trainer(), on a GPU, in a build with CUDA.
Result<std::unique_ptr<Trainer>> make_cuda_trainer(TrainerSetup setup);
double cuda_trainer_bytes(const TrainerSetup& setup);

using MakeTrainer = Result<std::unique_ptr<Trainer>> (*)(TrainerSetup setup);
using TrainerBytes = double (*)(const TrainerSetup& setup);
std::vector<ParamSpec> mixed_params(const TrainDesc& desc);
Result<std::unique_ptr<Training>> build_mixed(const TrainDesc& desc, const Params& params,
                                              MakeTrainer make, TrainerBytes bytes);

}  // namespace ridge::mixed
