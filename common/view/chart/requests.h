// What a warp's request costs, rung by rung: sectors of device memory and wavefronts through shared memory, as CUDA kernels were
// counted by (common/record/kernel_counts.h), and how far above a chip's bound each was recorded (gpu_bound.h).
#pragma once

#include <span>
#include <string>

#include "common/record/kernel_counts.h"
#include "common/view/chart/model.h"

namespace ridge::chart {

struct RequestRow {
  std::string label, section;
  bool selected = false;
  const KernelCounts* counts = nullptr;  ///< null: `reason`
  std::string reason;                    ///< "not counted yet"
  double bound_s = 0, recorded_s = 0;    ///< of one problem; 0: not known
  std::string bound_note;                ///< a sentence
};

/// `chip`: "H200", what bounds are of.
ChartModel requests_chart(std::span<const RequestRow> rows, const std::string& chip);

}  // namespace ridge::chart
