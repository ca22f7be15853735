// How many times as fast more ranks or threads are: at the same work (strong scaling), or at work that grows with them (weak
// scaling, where the time ideally stays).
#pragma once

#include <span>

#include "common/record/scaling.h"
#include "common/view/chart/ladder.h"

namespace ridge::chart {

struct ScalingOptions {
  Scaling of{};          ///< the lab's
  bool is_weak = false;  ///< else strong
  ParamTitles param_titles{};
};

/// One row per series, as many per rung as there are counts. All curves are of one problem: that of the selected row at the
/// size in view, where it was measured at several counts, else the one with the most. The base is the rung that works
/// alone, else of each rung the smallest count that any has. An interval is the ratio of both times' intervals.
ChartModel scaling_chart(std::span<const LadderRow> rows, const ScalingOptions& options);

}  // namespace ridge::chart
