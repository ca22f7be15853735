// In the worker of a learner's rung: what it does before that rung is there, and how it gets it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/core/result.h"
#include "common/harness/measure/rung.h"

namespace ridge::worker {

/// Takes the limits upon itself and gets ready what needs no rung, while the compiler still works; at an
/// empty line on stdin it loads these files, which lie in `folder` by then. A line before it is the problem
/// to make the inputs of: {"family": "gemm", "params": {complete}}.
Result<void> load_edits(const std::string& folder, const std::vector<std::string>& files);

/// The next line of a descriptor, byte by byte: what follows it is somebody else's. Error worker: it has ended.
Result<std::string> line_from(int fd);

/// The problem whose inputs were made meanwhile, if there was one.
measure::InstanceCache& instance_ahead();

}  // namespace ridge::worker
