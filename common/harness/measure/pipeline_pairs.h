// The paired comparison of pipelines: the rounds, statistics and verdicts of comparison.h, with a window of steady work in
// place of a call. Both pipelines are built and filled; then their windows take turns, and nothing runs between two
// windows. After the rounds each side shows what binds it, its stages alone beside its windows, the sides in turns.
#pragma once

#include <vector>

#include "common/harness/measure/comparison.h"
#include "common/harness/measure/pipeline_run.h"

namespace ridge::measure {

/// One side: the baseline first.
struct PipelineSide {
  const PipelineDesc* pipeline = nullptr;
  Params params;  ///< complete
};

/// A sample is a window, its time per item; limit_s is of the rounds, absent: 60. INVALID verdicts (a stage failed, items
/// were lost) and cancellations are outcomes. Errors: worker, a process is lost; others, a side cannot be built here.
Result<CompareOutcome> compare_pipelines(const std::vector<PipelineSide>& sides,
                                         const CompareOptions& options, Observer* observer);

}  // namespace ridge::measure
