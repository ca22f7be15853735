// The words of the published table's rows.
#pragma once

#include <string>

#include "app/query/published.h"

namespace ridge::window {

/// "measured"; of a recording the machine, which the column's heading does not name: "on H200".
std::string mark_of(const app::PublishedRow& row);

}  // namespace ridge::window
