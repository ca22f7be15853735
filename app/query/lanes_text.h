// Lanes of a GPU rung's warps in words, for the window and for `ridgepoint inspect`.
#pragma once

#include <span>
#include <string>

#include "app/query/recordings.h"
#include "common/record/inspection.h"

namespace ridge::app {

/// "a multiplication in flight 91.2 % of 180 µs"
std::string share_text(const KernelLanes& lanes);
/// "a call with stamps takes 1.021× [1.018, 1.024] the time"
std::string cost_text(const KernelLanes& lanes);
/// What the lanes leave out ("2 of 31 blocks have no stamps"); empty: nothing.
std::string left_out_text(const KernelLanes& lanes);
/// All of it, a line of characters for each lane.
std::string lanes_text(const KernelLanes& lanes);

/// The newest lanes of a rung among recordings, one that is not stale first; `machine` is whose they are. Null: none.
const Inspection* recorded_lanes(std::span<const Recording> recordings, const std::string& kernel,
                                 std::string* machine);

}  // namespace ridge::app
