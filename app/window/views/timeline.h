// The lanes of the timeline screen, from the stamps of the transcript's lines. No ImGui here.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/window/shell/state.h"

namespace ridge::window {

/// From one line of the worker to the next. A line stands at the end of what it tells, so the first
/// span of a rung holds its preparation, too.
struct LaneSpan {
  std::string what;             ///< "check", "call", "latency", "rounds", "result"; a stage's name
  double from_s = 0, to_s = 0;  ///< since the first moment
};

/// One rung of one request, or one comparison.
struct SpanLane {
  std::string section;  ///< heading above it where a request begins: "Run, measure, hot"
  std::string label, kernel;
  std::vector<LaneSpan> spans;
};

/// A telemetry quantity over the same seconds.
struct TelemetryLane {
  std::string label;
  double low = 0, high = 0;
  std::vector<std::pair<double, double>> points;  ///< seconds, value
};

struct Timeline {
  std::vector<SpanLane> lanes;
  std::vector<TelemetryLane> telemetry;
  double length_s = 0;
};

/// Lanes of this session's run, or of the saved one; empty where its lines carry no stamps.
Timeline make_timeline(const State& state);

/// One window of a pipeline from its spans: a lane for each worker, for each other stage and for each
/// buffer; below them how many batches stood ready. Empty where it has no spans.
Timeline make_stage_timeline(const Series& series, const std::string& title);

/// "foreign_cpus" as "foreign cpus", "power_w" as "power, W".
std::string quantity_label(const std::string& name);

}  // namespace ridge::window
