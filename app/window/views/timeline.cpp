#include "app/window/views/timeline.h"

#include <algorithm>
#include <cctype>
#include <climits>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "common/core/format.h"
#include "common/record/diagnosis.h"
#include "common/record/pipeline_model.h"
#include "common/view/chart/decimate.h"

namespace ridge::window {
namespace {

using chart::Role;

constexpr KindLook kLooks[] = {
    {"check", "prepare and check", Role::series2, 0.45f},
    {"call", "warm-up and samples", Role::series0, 0.8f},
    {"latency", "single calls", Role::series1, 0.62f},
    {"rounds", "rounds, in turns", Role::series4, 0.8f},
    {"read", "read", Role::series4, 0.45f, true},
    {"decode", "decode", Role::series0, 0.8f, true},
    {"augment", "crop and flip", Role::series3, 0.6f, true},
    {"collate", "normalise, collate", Role::series2, 0.5f, true},
    {"copy", "copy", Role::text, 0.8f, true},
    {"copy and decode", "copy and decode", Role::limit, 0.7f, true},
    {"step", "step", Role::series1, 0.9f, true},
    {"host buffer, filling", "a batch is filled", Role::muted, 0.2f, true, true},
    {"host buffer, full", "it waits on the host", Role::series3, 0.4f, true, true},
    {"device buffer, full", "it waits on the device", Role::series1, 0.4f, true, true},
    {"result", "ceilings, results", Role::muted, 0.25f}};

std::string section_of(const Request& request) {
  if (request.type == RequestType::compare) return "Comparison, " + request.cache.text();
  if (request.type == RequestType::probe) return "Ceilings and estimates";
  return "Run, " + request.mode.text() + ", " + request.cache.text();
}

int kind_in(std::vector<std::string>* kinds, std::string_view what) {
  const auto known = std::find(kinds->begin(), kinds->end(), what);
  const auto place = static_cast<int>(known - kinds->begin());
  if (known == kinds->end()) kinds->emplace_back(what);
  return place;
}

/// Whether its rungs were sampled in turns, and its lines keep the results alone: they all came at the end, so that the time
/// between two of them belongs to no rung. (A rung that cannot take turns has had its result before.)
bool lacks_sample_times(const Run& run, const Request& request) {
  constexpr double kAtOnce_s = 0.05;  // a line after the other, with no sample between
  if (request.type != RequestType::run) return false;
  std::vector<double> at_s;
  for (const Moment& moment : run.moments()) {
    if (moment.request != request.id || moment.series < 0) continue;
    if (run.word(moment) != "result") return false;
    at_s.push_back(moment.t_s);
  }
  return at_s.size() > 1 && at_s.back() - at_s[at_s.size() - 2] < kAtOnce_s;
}

constexpr double kIdle_s = 5;     ///< without work for so long, what follows is another run
constexpr double kPause_s = 1.5;  ///< without a reading for so long, sampling paused

}  // namespace

bool is_mostly_idle(const Timeline& timeline) {
  return timeline.last_begin_s > 0 && timeline.idle_s > timeline.last_begin_s / 2;
}

std::span<const KindLook> kind_looks() {
  return kLooks;
}

const KindLook& look_of_kind(const std::string& what) {
  const auto found = std::find_if(std::begin(kLooks), std::end(kLooks),
                                  [&](const KindLook& look) { return what == look.what; });
  return found == std::end(kLooks) ? kLooks[std::size(kLooks) - 1] : *found;
}

std::string kernel_of(const SpanLane& lane) {
  if (lane.request == nullptr || lane.series == kInTurns) return "";
  const auto& kernels = lane.request->kernels;
  if (lane.request->type == RequestType::compare && kernels.size() >= 2) return kernels[1];
  const bool has = lane.series >= 0 && static_cast<size_t>(lane.series) < kernels.size();
  return has ? kernels[static_cast<size_t>(lane.series)] : "";
}

std::string label_of(const State& state, const SpanLane& lane) {
  if (lane.request == nullptr) return lane.label;
  if (lane.series == kInTurns)
    return std::to_string(lane.request->kernels.size()) +
           " rungs, in turns (the saved run lacks when each ran)";
  const std::string kernel = kernel_of(lane);
  if (kernel.empty()) return "this machine";  // what belongs to no rung: ceilings, estimates
  const std::string title = rung_title(state.ladder, kernel);
  const auto& kernels = lane.request->kernels;
  if (lane.request->type != RequestType::compare || kernels.size() < 2) return title;
  const size_t more = kernels.size() - 2;  // candidates of the same rounds
  return title + (more > 0 ? " and " + std::to_string(more) + " more" : "") + " against " +
         rung_title(state.ladder, kernels[0]);
}

namespace {

/// "GPU memory busy" of "gpu_memory_busy".
std::string quantity_words(std::string name) {
  name = name_in_words(std::move(name));
  for (const std::string_view word : {"gpu", "cpu", "sm"}) {
    if (!name.starts_with(std::string(word) + " ")) continue;
    for (size_t i = 0; i < word.size(); ++i) name[i] = static_cast<char>(std::toupper(name[i]));
  }
  if (!name.empty()) name[0] = static_cast<char>(std::toupper(name[0]));
  return name;
}

}  // namespace

std::string quantity_label(const std::string& name) {
  static const std::pair<const char*, const char*> kUnits[] = {
      {"_w", ", W"},     {"_hz", ", Hz"},     {"_c", ", °C"},    {"_j", ", J"}, {"_s", ", s"},
      {"_bytes", ", B"}, {"_percent", ", %"}, {"_mhz", ", MHz"}, {"_b", ", B"}};
  for (const auto& [suffix, unit] : kUnits) {
    if (name.ends_with(suffix))
      return quantity_words(name.substr(0, name.size() - std::string_view(suffix).size())) + unit;
  }
  return quantity_words(name);
}

/// Looked up once for each request.
bool RunTimeline::is_without_samples(const Run& run, const Request& request) {
  const auto [known, is_new] = without_samples_.try_emplace(request.id, false);
  if (is_new) known->second = lacks_sample_times(run, request);
  return known->second;
}

void RunTimeline::add_moment(const Run& run, const Moment& moment) {
  const double since_s = std::exchange(from_s_, moment.t_s);
  const Request* request = run.request(moment.request);
  const std::string& what = run.word(moment);
  if (what == "done") {
    const auto first = places_.lower_bound({moment.request, INT_MIN});
    const auto end = places_.upper_bound({moment.request, INT_MAX});
    for (auto lane = first; lane != end; ++lane) made_.lanes[lane->second].spans.shrink_to_fit();
    places_.erase(first, end);
  }
  const bool is_work = what != "env" && what != "done" && what != "error";
  if (!is_work || !request || request->type == RequestType::list ||
      request->type == RequestType::source)
    return;
  if (!(moment.t_s >= since_s)) return;  // another worker's clock
  // A comparison's sides are checked and timed as one: one lane.
  int series = request->type == RequestType::compare ? 0 : moment.series;
  if (series >= 0 && what == "result" && is_without_samples(run, *request)) series = kInTurns;
  const auto [place, is_new] = places_.try_emplace({moment.request, series}, made_.lanes.size());
  if (is_new) {
    SpanLane& lane = made_.lanes.emplace_back();
    // Comparisons have a lane each: one heading over all that follow one another.
    const std::string section = section_of(*request);
    const bool goes_on = request->type == RequestType::compare && section == section_;
    if (moment.request != last_request_ && !goes_on) lane.section = section;
    section_ = section;
    lane.request = request;
    lane.series = series;
    last_request_ = moment.request;
  }
  auto& spans = made_.lanes[place->second].spans;
  const int kind = kind_in(&made_.kinds, what);
  const double from = since_s - made_.begin_s, to = moment.t_s - made_.begin_s;
  if (!spans.empty() && spans.back().kind == kind && spans.back().to_s == from)
    spans.back().to_s = to;
  else
    spans.push_back({kind, from, to});
  made_.length_s = std::max(made_.length_s, to);
  if (from - worked_until_s_ > kIdle_s) {
    made_.idle_s += from - worked_until_s_;
    made_.last_begin_s = from;
  }
  worked_until_s_ = std::max(worked_until_s_, to);
}

void RunTimeline::add_telemetry(const Run& run) {
  const Telemetry& all = run.telemetry();
  std::vector<TelemetryLane>& lanes = made_.telemetry;
  for (const std::string& name : all.names()) {
    const auto known = std::find_if(lanes.begin(), lanes.end(),
                                    [&](const TelemetryLane& lane) { return lane.name == name; });
    const bool is_new = known == lanes.end();
    TelemetryLane lane = is_new ? TelemetryLane{.label = quantity_label(name),
                                                .name = name,
                                                .low = INFINITY,
                                                .high = -INFINITY}
                                : *known;
    for (size_t i = is_new ? 0 : telemetry_; i < all.size(); ++i) {
      const double value = all.reading(i, name), at_s = all.t_s(i) - made_.begin_s;
      if (!std::isfinite(value) || !(at_s >= 0)) continue;
      lane.low = std::min(lane.low, value), lane.high = std::max(lane.high, value);
      if (lane.readings++ == 0) lane.first_s = at_s;
      lane.last_s = std::max(lane.last_s, at_s);
    }
    if (!is_new)
      *known = std::move(lane);
    else if (lane.readings >= 2)
      lanes.push_back(std::move(lane));
  }
  telemetry_ = all.size();
}

const Timeline& RunTimeline::update(const State& state) {
  const Run& run = state.run();
  if (run.serial() != serial_) {
    *this = RunTimeline();
    serial_ = run.serial();
  }
  const Moments& moments = run.moments();
  if (moments.empty()) return made_;
  if (next_ == moments.begin()) {  // as one is that was not set yet
    next_ = moments.begin();
    made_.begin_s = from_s_ = moments.front().t_s;
  }
  for (; next_ != moments.end(); ++next_) add_moment(run, *next_);
  if (telemetry_ < run.telemetry().size()) add_telemetry(run);
  return made_;
}

Timeline make_timeline(const State& state) {
  return RunTimeline().update(state);
}

void for_each_point(const Run& run, const Timeline& timeline, const TelemetryLane& lane,
                    const std::function<void(double, double)>& take) {
  for (const auto& [at_s, value] : lane.points) take(at_s, value);
  if (lane.name.empty()) return;
  run.telemetry().for_each(lane.name, [&](size_t i, double value) {
    const double at_s = run.telemetry().t_s(i) - timeline.begin_s;
    if (at_s >= 0 && at_s <= timeline.length_s && std::isfinite(value)) take(at_s, value);
  });
}

bool Readings::are_joined(const chart::Point& a, const chart::Point& b) const {
  const auto pause = std::lower_bound(pauses.begin(), pauses.end(), static_cast<double>(a.x),
                                      [](const Interval& one, double x) { return one.low < x; });
  return pause == pauses.end() || pause->high > static_cast<double>(b.x);
}

Readings readings_in(const Run& run, const Timeline& timeline, const TelemetryLane& lane,
                     const Interval& axis, int columns) {
  Readings made;
  std::vector<chart::Point> inside;
  std::optional<chart::Point> before, after;
  std::optional<double> last_s;
  const double least_s = std::max(kPause_s, 2 * (axis.high - axis.low) / columns);
  for_each_point(run, timeline, lane, [&](double at_s, double value) {
    const chart::Point point = {static_cast<float>(at_s - axis.low), static_cast<float>(value)};
    const bool is_pause = last_s && at_s - *last_s > least_s;
    if (is_pause && at_s > axis.low && *last_s < axis.high)
      made.pauses.push_back({static_cast<double>(static_cast<float>(*last_s - axis.low)),
                             static_cast<double>(point.x)});
    last_s = at_s;
    if (at_s < axis.low)
      before = point;
    else if (at_s <= axis.high)
      inside.push_back(point);
    else if (!after)
      after = point;
  });
  const auto end = static_cast<float>(axis.high - axis.low);
  if (lane.is_count) return {steps_of(inside, before ? before->y : 0, end), {}};
  made.points = chart::decimate(inside, 0, end, columns);
  if (before) made.points.insert(made.points.begin(), *before);
  if (after) made.points.push_back(*after);
  return made;
}

std::string reach_words(const Timeline& timeline, const TelemetryLane& lane) {
  constexpr double kLeastShare = 0.03;  // of the axis: less is not seen
  constexpr double kLateReadings = 4;   // one is missing by so many of their distances
  if (lane.is_count || lane.readings < 2) return "";
  const double each_s = (lane.last_s - lane.first_s) / static_cast<double>(lane.readings - 1);
  const double least_s = std::max(timeline.length_s * kLeastShare, kLateReadings * each_s);
  const bool begins_late = lane.first_s > least_s,
             ends_early = timeline.length_s - lane.last_s > least_s;
  const std::string first = format_time_ns(lane.first_s * 1e9),
                    last = format_time_ns(lane.last_s * 1e9);
  if (begins_late && ends_early) return "readings from " + first + " to " + last + " only";
  if (begins_late) return "no readings before " + first;
  return ends_early ? "no readings after " + last : "";
}

std::vector<chart::Point> steps_of(const std::vector<chart::Point>& changes, float before,
                                   float end) {
  std::vector<chart::Point> corners = {{0, before}};
  for (const chart::Point& change : changes) {
    corners.push_back({change.x, before});
    corners.push_back({change.x, before = change.y});
  }
  corners.push_back({end, before});
  return corners;
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

/// How many batches stood full at a time.
TelemetryLane depth_of(const std::vector<Span>& spans, const std::string& stage,
                       const std::string& label, double begin_ns) {
  TelemetryLane lane;
  lane.label = label;
  lane.is_count = true;
  for (const auto& [at_ns, depth] : depth_steps(spans, stage)) {
    lane.points.emplace_back((at_ns - begin_ns) * 1e-9, depth);
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
        {kind_in(&timeline.kinds, span.stage), (span.start_ns - begin_ns) * 1e-9, (span.end_ns - begin_ns) * 1e-9});
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
