#include "kernels/runtime/weightless/params.h"

#include <algorithm>

#include "common/record/params.h"

namespace ridge::weightless {

std::vector<ParamSpec> model_params() {
  const TrainConfig usual;
  return {int_param("luts", "look-up tables, a tenth for each class", 10, 100'000, usual.luts),
          int_param("bits", "thermometer bits a pixel", 1, kMaxBits, usual.bits),
          int_param("candidates", "features each pin chooses among; 1: random wiring", 1, 1024, usual.candidates),
          int_param("halve", "epochs after which a pin drops half of its candidates, to 16; 0: never", 0, 1000,
                    usual.halve_every),
          int_param("epochs", "passes over the training images; 0: untrained", 0, 1000, usual.epochs),
          int_param("seed", "of tables, candidates and order", 1, 1'000'000, 1),
          int_param("train_images", "train on so many images; 0: all", 0, 60'000, 0)};
}

Params fewer_images(const Params& params, double share) {
  Params smaller = params;
  const auto images = static_cast<double>(param_int(params, "images", 10'000));
  smaller["images"] =
      std::max<int64_t>(1, static_cast<int64_t>(images * (share <= 1 ? share : 1) + 1e-9));
  return smaller;
}

Result<TrainConfig> config_of(const Params& params) {
  TrainConfig config;
  config.luts = static_cast<int>(param_int(params, "luts", config.luts));
  config.bits = static_cast<int>(param_int(params, "bits", config.bits));
  config.candidates = static_cast<int>(param_int(params, "candidates", config.candidates));
  config.halve_every = static_cast<int>(param_int(params, "halve", config.halve_every));
  config.epochs = static_cast<int>(param_int(params, "epochs", config.epochs));
  config.seed = static_cast<uint64_t>(param_int(params, "seed", 1));
  config.images = param_int(params, "train_images", 0);
  if (config.luts % kClasses != 0) {
    return Error{ErrorCode::usage, std::to_string(config.luts) + " LUTs are no multiple of 10",
                 "parameter luts of weightless",
                 "each class has a tenth: choose " + std::to_string(config.luts / 10 * 10) +
                     " or " + std::to_string(config.luts / 10 * 10 + 10)};
  }
  return config;
}

}  // namespace ridge::weightless
