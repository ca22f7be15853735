// Networks of this family, trained once and kept in the user's cache folder (weightless/model_store.h): one for
// each seed, and what fine-tuning made of it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/harness/data/fashion_mnist.h"
#include "common/harness/kernel/family.h"
#include "kernels/quantnet/quantnet.h"
#include "kernels/runtime/networks/model.h"

namespace ridge::quantnet {

struct TrainedNet {
  mixed::Model model;
  std::vector<float> parameters;  ///< as Model places them
};

struct NetConfig {
  std::string model = "cnn";
  int width = 256;  ///< as the mixed lab has it: units; of a cnn sixteen times its channels
  int epochs = 3;   ///< 0: initial weights
  uint64_t seed = 1;
  Tune tune = Tune::none;
  int tune_epochs = 1;  ///< after `epochs`, from the network that they made
  int weight_bits = 4;  ///< straight_through
  int pruned = 50;      ///< magnitude, channels: per cent
};

/// SGD with momentum, rate 0.01 falling to 0 along a cosine (tuning: from half of that), batches of 64, on all of
/// `set`: the mixed lab's training. Error: cancelled.
Result<std::shared_ptr<const TrainedNet>> train(const NetConfig& config, const ImageSet& set,
                                                const FamilyProgress* progress);
/// From this process, else from the cache folder, else trained on garments().train and kept.
Result<std::shared_ptr<const TrainedNet>> stored(const NetConfig& config,
                                                 const FamilyProgress* progress);

}  // namespace ridge::quantnet
