// The lanes of the timeline screen, from the stamps of the transcript's lines. No ImGui here.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/window/shell/state.h"
#include "common/view/chart/model.h"

namespace ridge::window {

/// From one line of the worker to the next. A line stands at the end of what it tells, so the first
/// span of a rung holds its preparation, too.
struct LaneSpan {
  int kind = 0;                 ///< place in Timeline::kinds
  double from_s = 0, to_s = 0;  ///< since the first moment
};

/// Of a request whose rungs ran in turns, and whose lines do not hold when each was sampled: one lane for all of them.
inline constexpr int kInTurns = -2;

/// One rung of one request, or one comparison; or a stage of a pipeline.
struct SpanLane {
  std::string section;               ///< heading above it where a request begins: "Run, measure, hot"
  std::string label;                 ///< of a stage
  const Request* request = nullptr;  ///< the run's; null: a stage
  int series = -1;                   ///< -1: what belongs to no rung; kInTurns: all of them
  std::vector<LaneSpan> spans;
};
/// The rung that a lane is of; empty: none.
std::string kernel_of(const SpanLane& lane);
std::string label_of(const State& state, const SpanLane& lane);

/// A telemetry quantity over the same seconds.
struct TelemetryLane {
  std::string label;
  std::string name;  ///< of the run's telemetry; empty: `points` has them
  double low = 0, high = 0;
  double first_s = 0, last_s = 0;  ///< of its readings; of a count not set: it holds on
  size_t readings = 0;
  bool is_count = false;  ///< it holds its value until the next one: steps, no slopes
  std::vector<std::pair<double, double>> points;  ///< seconds, value
};

/// How a kind of work looks. Those that stand in one picture, of a run or of a pipeline's stages, differ by colour or
/// outline, and by height, so that colour does not stand alone.
struct KindLook {
  const char* what;  ///< as in Timeline::kinds
  const char* title;
  chart::Role role;
  float height;  ///< of a lane, 0 to 1
  bool is_of_stages = false;
  bool is_hollow = false;  ///< an outline: a buffer holds something, no stage works
};
std::span<const KindLook> kind_looks();
const KindLook& look_of_kind(const std::string& what);

struct Timeline {
  std::vector<SpanLane> lanes;
  std::vector<TelemetryLane> telemetry;
  std::vector<std::string> kinds;  ///< "check", "call", "latency", "rounds", "result"; a stage's name
  double begin_s = 0;              ///< on the worker's clock
  double length_s = 0;
  /// Where the last work begins that no idle time interrupts, and how much time before it was idle.
  double last_begin_s = 0, idle_s = 0;
};

/// Whether most of the time before the last work was idle: on one axis with it each run would be a stroke.
bool is_mostly_idle(const Timeline& timeline);

/// Lanes of this session's run, or of the saved one; empty where its lines carry no stamps. What a session has gained
/// since the last call is added to them: they are not made anew.
class RunTimeline {
 public:
  const Timeline& update(const State& state);

 private:
  void add_moment(const Run& run, const Moment& moment);
  void add_telemetry(const Run& run);
  bool is_without_samples(const Run& run, const Request& request);

  std::map<int64_t, bool> without_samples_;  ///< by request
  Timeline made_;
  uint64_t serial_ = 0;                 ///< of the run
  Moments::Iterator next_;              ///< of the run's moments, the first that is not in it
  size_t telemetry_ = 0;                ///< of the run's readings of telemetry, how many are in it
  double from_s_ = 0;                   ///< of the moment before
  double worked_until_s_ = 0;           ///< since the first moment
  int64_t last_request_ = -1;
  std::string section_;                               ///< of the last lane
  std::map<std::pair<int64_t, int>, size_t> places_;  ///< the lanes of requests that are not over
};
Timeline make_timeline(const State& state);
/// Readings come ten a second, in a recording two. What lies further apart is a pause of the sampling, through which no
/// line is drawn. In seconds from `axis.low`, those that are at least `least_s` wide.
struct Readings {
  std::vector<chart::Point> points;
  std::vector<Interval> pauses;
  /// Whether the line goes on from one point to a later one.
  bool are_joined(const chart::Point& a, const chart::Point& b) const;
};
/// What the axis shows of a lane: at most two points a pixel column, and the nearest point beyond either end, so that the
/// line leaves the picture.
Readings readings_in(const Run& run, const Timeline& timeline, const TelemetryLane& lane,
                     const Interval& axis, int columns);
/// What the chart says where a lane's readings are not of all the time: "no readings after 1.2 s"; empty: they are.
std::string reach_words(const Timeline& timeline, const TelemetryLane& lane);
/// Calls take(seconds, value) for each reading of a lane, in the order received.
void for_each_point(const Run& run, const Timeline& timeline, const TelemetryLane& lane,
                    const std::function<void(double, double)>& take);

/// The corners of a count that changes at these points: level until it does, upright there, and on to `end`.
std::vector<chart::Point> steps_of(const std::vector<chart::Point>& changes, float before,
                                   float end);

/// One window of a pipeline from its spans: a lane for each worker, for each other stage and for each
/// buffer; below them how many batches stood ready. Empty where it has no spans.
Timeline make_stage_timeline(const Series& series, const std::string& title);

/// "foreign_cpus" as "Foreign cpus", "power_w" as "Power, W", "gpu_busy" as "GPU busy".
std::string quantity_label(const std::string& name);

}  // namespace ridge::window
