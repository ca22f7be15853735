// Rate against size, one line a rung: where a kernel gets going, and where it leaves the cache. Or memory against
// size: what a kernel keeps beside its inputs and outputs, and where it ends.
#pragma once

#include <span>
#include <string>

#include "common/view/chart/ladder.h"

namespace ridge::chart {

struct SizeCurveOptions {
  std::string title{};
  bool bandwidth = false;  ///< bytes a second even where FLOP are counted
  std::string item{};      ///< instead of a rate: the time of one ("operation")
  bool memory = false;     ///< instead of a rate: bytes of buffers and workspace
  /// memory: what there is, of the machine that the rows ran on; 0: not known. Lines are continued up to it.
  double host_bytes = 0, gpu_bytes = 0;
  ParamTitles param_titles{};
};

/// A result that is no speed but what a rung would have taken (Series::memory_bytes), and did not get.
bool did_not_fit(const Series& series);

/// One row per series, as many per rung as there are sizes. A rung at shapes that differ in more
/// than their size has a line for each kind; where one of them is a single point beside a longer
/// line, it is left out and counted in the legend.
ChartModel size_curve_chart(std::span<const LadderRow> rows, const SizeCurveOptions& options = {});

}  // namespace ridge::chart
