// The networks of a lab that classifies, side by side: each as one model and the rungs that run it, what the model
// weighs and what one inference does, by arithmetic. Data only: app/query/networks.h joins it with what was measured.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/record/types.h"

namespace ridge {

/// Of one inference, from its encoded features or its pixels on.
struct Operations {
  double multiplications = 0, additions = 0, look_ups = 0;
  double bits = 0;  ///< comparisons and exclusive ors: encoding, hashing, pooling
};

/// By arithmetic, from the parameters.
struct NetworkArithmetic {
  double model_bytes = 0;    ///< as it is stored: weights or tables, scales, wiring
  double working_bytes = 0;  ///< the input and what lies between two steps, the most at once
  Operations operations;
};

struct Network {
  std::string title;
  /// Its rungs, best first: the first that can run here (or was recorded) stands for it.
  std::vector<const char*> kernels;
  /// What sets a call to start from encoded features, and from the raw input; empty: it has no such way.
  std::optional<Params> from_features, from_raw;
  /// Null: not known.
  NetworkArithmetic (*arithmetic)(const Params& params) = nullptr;
};

/// What a small device has for a model.
struct Microcontroller {
  const char* name;    ///< "STM32L072CZ"
  const char* core;    ///< "Cortex-M0+"
  double flash_bytes;  ///< the model's; its program needs some too
  double ram_bytes;    ///< the working memory's
  const char* source;  ///< the document that says so
};

inline constexpr Microcontroller kMicrocontrollers[] = {
    {"STM32L072CZ", "Cortex-M0+", 192 * 1024, 20 * 1024, "ST data sheet DocID027100, rev. 4"},
    {"STM32F411xE", "Cortex-M4", 512 * 1024, 128 * 1024, "ST reference manual RM0383, 2.1"},
};

struct ScoreCard {
  const char* title;
  const char* features;  ///< "bits": what the encoded start is called
  const char* raw;       ///< "pixels"
  const char* item;      ///< one of Lab::items: "image"
  Params many;  ///< what sets the items of a call for throughput; Lab::one_item for a single one
  std::vector<Network> networks;
};

}  // namespace ridge
