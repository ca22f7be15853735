// The sources behind a page about a lab.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/cli/driver.h"
#include "app/query/recordings.h"

namespace ridge::app {

/// By kernel id: what the run carries (null: there is none), else the worker's, else a recording's. What no worker
/// could be asked for is complained of.
std::map<std::string, SourceText> lab_sources(const CommonOptions& common, const Lab& lab,
                                              const Run* run,
                                              const std::vector<Recording>& recordings);

}  // namespace ridge::app
