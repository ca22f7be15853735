// Telemetry as lanes over one time axis: what the strip draws, worked out without drawing.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/record/types.h"
#include "common/view/chart/model.h"

namespace ridge::window {

/// One quantity over time.
struct Lane {
  const char* name;   ///< of the value in a telemetry line; "core_busy": one row a core
  const char* label;  ///< what a person reads
  bool gpu;
  const char* unit;   ///< "": a share, printed in per cent
  double least_high;  ///< the axis ends here or higher; it begins at 0
  int rank;           ///< lanes of a higher rank go first where there is no room
  chart::Role role;
  const char* beside = nullptr;  ///< a second value on the same axis, drawn thin
};

/// The stretch of telemetry that is shown, and what there is in it.
struct LaneView {
  std::span<const TelemetryPoint> points;
  double begin_s = 0, end_s = 0;  ///< of the time axis, on the worker's clock
  std::vector<Lane> lanes;        ///< those with a reading; the CPU's before the GPU's
  bool has_gpu = false;
};

/// The last `window_s` seconds (0: all).
LaneView lane_view(std::span<const TelemetryPoint> points, double window_s);
/// Drops the lanes of the highest rank until `most` are left.
void keep_lanes(LaneView* view, size_t most);

/// NaN where the point has no such reading.
double reading_of(const TelemetryPoint& point, const char* name);
/// Mean of a lane over the view; NaN where it was never read.
double mean_of(const LaneView& view, const char* name);
/// "62.5 %", "1.35 GHz", "3.2 CPUs"; kNone for NaN.
std::string lane_text(const Lane& lane, double value);
/// Everything that was read at that moment, a line each, for a tooltip.
std::string describe(const TelemetryPoint& point, double begin_s);
/// The point nearest to t_s; null where there is none.
const TelemetryPoint* nearest(const LaneView& view, double t_s);

}  // namespace ridge::window
