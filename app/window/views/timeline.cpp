#include "app/window/views/timeline.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "common/core/format.h"
#include "common/record/diagnosis.h"
#include "common/record/pipeline_model.h"

namespace ridge::window {
namespace {

std::string section_of(const Request& request) {
  if (request.type == RequestType::compare) return "Comparison, " + request.cache.text();
  if (request.type == RequestType::probe) return "Ceilings and estimates";
  return "Run, " + request.mode.text() + ", " + request.cache.text();
}

std::string label_of(const State& state, const Request& request, int series, std::string* kernel) {
  const auto index = static_cast<size_t>(std::max(series, 0));
  if (request.type == RequestType::compare && request.kernels.size() >= 2) {
    *kernel = request.kernels[1];
    return rung_title(state.ladder, request.kernels[1]) + " against " +
           rung_title(state.ladder, request.kernels[0]);
  }
  // What belongs to no rung: ceilings, estimates.
  if (series < 0 || index >= request.kernels.size()) return "this machine";
  *kernel = request.kernels[index];
  return rung_title(state.ladder, *kernel);
}

void add_telemetry(const Run& run, double begin_s, Timeline* timeline) {
  std::map<std::string, TelemetryLane> lanes;
  for (size_t i = 0; i < run.telemetry().size(); ++i) {
    const TelemetryPoint point = run.telemetry()[i];
    const double at_s = point.t_s - begin_s;
    if (!(at_s >= 0 && at_s <= timeline->length_s)) continue;
    for (const auto& [name, value] : point.values) {
      if (!std::isfinite(value)) continue;
      TelemetryLane& lane = lanes[name];
      const bool is_first = lane.points.empty();
      lane.low = is_first ? value : std::min(lane.low, value);
      lane.high = is_first ? value : std::max(lane.high, value);
      lane.points.emplace_back(at_s, value);
    }
  }
  for (auto& [name, lane] : lanes) {
    if (lane.points.size() < 2) continue;
    lane.label = quantity_label(name);
    timeline->telemetry.push_back(std::move(lane));
  }
}

}  // namespace

std::string quantity_label(const std::string& name) {
  static const std::pair<const char*, const char*> kUnits[] = {
      {"_w", ", W"},     {"_hz", ", Hz"},     {"_c", ", °C"},    {"_j", ", J"}, {"_s", ", s"},
      {"_bytes", ", B"}, {"_percent", ", %"}, {"_mhz", ", MHz"}, {"_b", ", B"}};
  std::string label = name;
  for (const auto& [suffix, unit] : kUnits) {
    if (!label.ends_with(suffix)) continue;
    label.replace(label.size() - std::string(suffix).size(), std::string::npos, unit);
    break;
  }
  std::replace(label.begin(), label.end(), '_', ' ');
  return label;
}

Timeline make_timeline(const State& state) {
  Timeline timeline;
  const Run& run = state.run();
  if (run.moments().empty()) return timeline;
  const double begin_s = run.moments().front().t_s;
  double from_s = begin_s;
  std::map<std::pair<int64_t, int>, size_t> places;
  int64_t last_request = -1;
  for (const Moment& moment : run.moments()) {
    const double since_s = std::exchange(from_s, moment.t_s);
    const bool is_work = moment.what != "env" && moment.what != "done" && moment.what != "error";
    const Request* request = run.request(moment.request);
    if (!is_work || !request || request->type == RequestType::list ||
        request->type == RequestType::source)
      continue;
    if (!(moment.t_s >= since_s)) continue;  // another worker's clock
    // A comparison's sides are checked and timed as one: one lane.
    const int series = request->type == RequestType::compare ? 0 : moment.series;
    const auto [place, is_new] =
        places.try_emplace({moment.request, series}, timeline.lanes.size());
    if (is_new) {
      SpanLane& lane = timeline.lanes.emplace_back();
      if (moment.request != last_request) lane.section = section_of(*request);
      lane.label = label_of(state, *request, series, &lane.kernel);
      last_request = moment.request;
    }
    auto& spans = timeline.lanes[place->second].spans;
    const double from = since_s - begin_s, to = moment.t_s - begin_s;
    if (!spans.empty() && spans.back().what == moment.what && spans.back().to_s == from)
      spans.back().to_s = to;
    else
      spans.push_back({moment.what, from, to});
    timeline.length_s = std::max(timeline.length_s, to);
  }
  add_telemetry(run, begin_s, &timeline);
  return timeline;
}

// ---- a pipeline's own, from the spans of its stages ---------------------------------------------

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
