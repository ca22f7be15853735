// Calls of a learner's rung that the outer worker sees itself: it owns inputs and outputs, in memory that it shares with
// a process of its own for the rung, makes new inputs for each call, poisons the outputs, takes the time by its own
// clock and judges what comes back. What the rung's other process said of itself is held to that.
#pragma once

#include <string>
#include <vector>

#include "common/harness/measure/observer.h"
#include "common/record/types.h"
#include "worker/edit/loading.h"

namespace ridge::worker {

/// Adds to a series of a learner's rung that has a speed what the worker saw of it: a check that it passed, first among
/// its checks and named by kWitnessed; where the time could not be seen, why it is claimed only (kClaimed in
/// Series::unavailable). `program`: the words that start the process, `load` puts the rung's object where it looks; `index`: whose phases those are.
/// Error invalid: its outputs are wrong, or its calls take longer than it said; cancelled.
Result<void> witness(const std::vector<std::string>& program, const std::function<void()>& load,
                     int index, measure::Observer* observer, Series* series);

/// Seconds that the worker's own calls of a rung of ours took, the fastest; none where it cannot say.
std::optional<double> own_call_s(const Series& series, const measure::Observer& observer);

/// In the process of the rung: makes the calls that it is asked for, until its input ends.
int serve_witness(int in_fd, int out_fd);

}  // namespace ridge::worker
