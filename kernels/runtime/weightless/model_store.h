// Trained networks, once trained: kept in the user's cache folder by their configuration.
#pragma once

#include <memory>

#include "common/harness/kernel/family.h"
#include "common/record/types.h"
#include "kernels/runtime/weightless/network.h"

namespace ridge::weightless {

/// The network of these parameters (params.h): from this process, else from the cache folder, else
/// trained now on all training images and kept. epochs = 0: random tables. `progress` may be null; when
/// it returns false the training is cancelled.
Result<std::shared_ptr<const LutNetwork>> stored_network(const Params& params,
                                                         const FamilyProgress* progress);

/// Why the model that belongs at `path` ("mlp-v2-...") is not read though one was kept, for the words of its training: "the
/// kept model is of another version: ", "the kept model is damaged: "; empty: none was kept.
std::string why_not_kept(const std::string& path);

/// ridgepoint/models in XDG_CACHE_HOME, or in ~/.cache; empty where neither is known.
std::string model_folder();

}  // namespace ridge::weightless
