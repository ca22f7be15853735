// Where the figures of texts come from: this machine's run, then recordings.
#pragma once

#include <vector>

#include "app/query/recordings.h"
#include "common/view/figure/text.h"

namespace ridge::app {

/// `run` may be null. All of it has to outlive what is returned. `is_saved`: the run was opened from a file.
figure::Sources figure_sources(const Run* run, bool is_saved,
                               const std::vector<Recording>& recordings);

}  // namespace ridge::app
