// Networks of this family, trained once and kept in the user's cache folder (weightless/model_store.h): one for
// each seed, and what fine-tuning made of it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/data/fashion_mnist.h"
#include "common/kernel/family.h"
#include "kernels/mixed/model.h"
#include "kernels/quantnet/quantnet.h"

namespace ridge::quantnet {

struct TrainedNet {
  mixed::Model model;
  std::vector<float> parameters;  ///< as Model places them
};

struct NetConfig {
  std::string model = "cnn";
  int width = 256;  ///< as the mixed lab has it: units; of a cnn sixteen times its channels
  int epochs = 4;   ///< 0: initial weights
  uint64_t seed = 1;
};

/// SGD with momentum, rate 0.06 falling to 0 along a cosine, batches of 256: the mixed lab's training, on all
/// of `set`. Error: cancelled.
Result<std::shared_ptr<const TrainedNet>> train(const NetConfig& config, const ImageSet& set,
                                                const FamilyProgress* progress);
/// From this process, else from the cache folder, else trained on garments().train and kept.
Result<std::shared_ptr<const TrainedNet>> stored(const NetConfig& config,
                                                 const FamilyProgress* progress);

}  // namespace ridge::quantnet
