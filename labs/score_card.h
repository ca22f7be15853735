// The score card of a lab that classifies: its networks side by side, each as one model and the rungs
// that run it. Data only; app/window/views/score_view.h fills it in from what was measured.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/record/types.h"

namespace ridge {

struct Network {
  const char* title;
  /// Its rungs, best first: the first that can run here (or was recorded) stands for it.
  std::vector<const char*> kernels;
  /// What sets a call to start from encoded features, and from the raw input; empty: it has no such way.
  std::optional<Params> from_features, from_raw;
  /// Bytes of the model as it is stored: arithmetic, from the parameters. Null: not known.
  double (*model_bytes)(const Params& params) = nullptr;
};

struct ScoreCard {
  const char* title;
  const char* features;  ///< "bits": what the encoded start is called
  const char* raw;       ///< "pixels"
  const char* item;      ///< one of Lab::items: "image"
  Params many, one;      ///< what sets the items of a call for throughput, and for a single item
  std::vector<Network> networks;
};

}  // namespace ridge
