// The stages of pipelines, each alone, beside the steady step that they make together.
#pragma once

#include <span>
#include <string>

#include "common/view/chart/model.h"

namespace ridge::chart {

struct StagesRow {
  std::string label{};
  const Series* series = nullptr;  ///< one with a PipelineOutcome; others have no rows
};

/// A section a pipeline, a row a stage: its time alone and its CPU time, for a step; the slowest one is marked.
ChartModel stages_chart(std::span<const StagesRow> rows);

}  // namespace ridge::chart
