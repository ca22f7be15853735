// A pipeline's own timeline, from the spans of its stages.
#include <algorithm>
#include <map>

#include "app/window/views/timeline.h"
#include "common/core/format.h"
#include "common/record/diagnosis.h"
#include "common/record/pipeline_model.h"

namespace ridge::window {
namespace {

/// Windows lie apart, the stages alone between them: what begins this long after all before has ended is
/// another window.
constexpr double kApart_ns = 20e6;

std::vector<Span> first_window(const Series& series) {
  std::vector<Span> spans = series.spans;
  std::stable_sort(spans.begin(), spans.end(),
                   [](const Span& a, const Span& b) { return a.start_ns < b.start_ns; });
  double end_ns = spans.empty() ? 0 : spans.front().end_ns;
  size_t count = 0;
  for (; count < spans.size() && spans[count].start_ns < end_ns + kApart_ns; ++count)
    end_ns = std::max(end_ns, spans[count].end_ns);
  spans.resize(count);
  return spans;
}

/// What a worker does, not the device's copying, even where that decodes.
bool is_worker(const Span& span) {
  return stage_kind(span.stage) == Bottleneck::input_pipeline &&
         span.stage.find("copy") == std::string::npos;
}

/// A worker does several stages, one after the other: they share its lane.
std::string lane_of(const Span& span) {
  if (is_buffer_state(span)) {
    const std::string name = span.stage.substr(0, span.stage.find(','));
    return name + " " + std::to_string(span.buffer + 1);
  }
  if (is_worker(span)) return "worker " + std::to_string(span.worker + 1);
  return span.stage;
}

/// Workers first, then the other stages, then the buffers; each kind in order of its number.
std::string place_of(const Span& span) {
  std::string number = std::to_string(1000 + (is_buffer_state(span) ? span.buffer : span.worker));
  if (is_buffer_state(span)) return (span.stage.starts_with("host") ? "3" : "4") + number;
  return (is_worker(span) ? "1" + number : "2" + span.stage);
}

/// How many batches stood full at a time, as steps.
TelemetryLane depth_of(const std::vector<Span>& spans, const std::string& stage,
                       const std::string& label, double begin_ns) {
  TelemetryLane lane;
  lane.label = label;
  int before = 0;
  for (const auto& [at_ns, depth] : depth_steps(spans, stage)) {
    const double at_s = (at_ns - begin_ns) * 1e-9;
    lane.points.emplace_back(at_s, before);
    lane.points.emplace_back(at_s, before = depth);
    lane.high = std::max(lane.high, double(depth));
  }
  return lane;
}

}  // namespace

Timeline make_stage_timeline(const Series& series, const std::string& title) {
  Timeline timeline;
  const std::vector<Span> spans = first_window(series);
  if (spans.empty()) return timeline;
  const double begin_ns = spans.front().start_ns;
  std::map<std::string, SpanLane> lanes;
  for (const Span& span : spans) {
    SpanLane& lane = lanes[place_of(span)];
    lane.label = lane_of(span);
    lane.spans.push_back(
        {span.stage, (span.start_ns - begin_ns) * 1e-9, (span.end_ns - begin_ns) * 1e-9});
    timeline.length_s = std::max(timeline.length_s, lane.spans.back().to_s);
  }
  for (auto& [place, lane] : lanes) timeline.lanes.push_back(std::move(lane));
  timeline.lanes.front().section = title + ", the start of its first window";
  if (series.pipeline) timeline.lanes.front().section += "; " + bound_text(*series.pipeline);
  for (const std::string where : {"host", "device"}) {
    TelemetryLane depth =
        depth_of(spans, where + " buffer, full", "batches ready on the " + where, begin_ns);
    if (depth.points.size() > 1) timeline.telemetry.push_back(std::move(depth));
  }
  return timeline;
}

}  // namespace ridge::window
