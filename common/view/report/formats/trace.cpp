// Chrome's trace event format, which Perfetto reads too: one process a file, one thread a track. All
// are complete events ("X") that nest within their track, and counters ("C").
// Source: Trace Event Format, Google, 2016 (the document that Perfetto's "JSON trace" page names).
//
// A transcript says when a block of samples was reported, and how long each sample took: a block's
// samples are laid end to end, the last ending when the block was reported. Retakes and cache
// flushes between them are not shown. A transcript without times has its blocks end to end.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "common/record/params.h"
#include "common/record/pipeline_model.h"
#include "common/view/report/content.h"
#include "common/view/report/format.h"

namespace ridge::report {
namespace {

struct Event {
  int tid = 0;
  double ts_us = 0, dur_us = 0;
  char kind = 'X';
  std::string name{}, args{};  ///< args: JSON text
};

using Key = std::pair<int64_t, int>;  ///< request, series

class Trace {
 public:
  Trace(const Run& run, int pid) : run_(run), pid_(pid) {}

  void write(const std::string& name, std::string* out) {
    find_origin();
    for (const Series& series : run_.series()) series_[{series.request, series.index}] = &series;
    timed_ = !run_.moments().empty();
    if (timed_)
      lay_moments();
    else
      lay_end_to_end();
    for (const auto& [key, series] : series_) add_spans(*series);
    add_telemetry();
    print(name, out);
  }

 private:
  double us(double t_s) const { return (t_s - origin_s_) * 1e6; }
  int track(const std::string& name) {
    const auto [found, is_new] = tracks_.try_emplace(name, static_cast<int>(tracks_.size()) + 1);
    return found->second;
  }
  std::string label(const Series& series) const {
    return fmt::format("{} {} #{}", series.kernel, to_string(series.params), series.request);
  }
  int track(const Series& series) {
    return track(fmt::format("{}.{} {}", series.request, series.index, label(series)));
  }
  void add(int tid, double begin_us, double end_us, std::string name, const Json& args = {}) {
    events_.push_back({tid, begin_us, std::max(end_us - begin_us, 0.0), 'X', std::move(name),
                       args.is_null() ? "" : dump_json(args)});
  }

  void find_origin();
  void lay_moments();
  void lay_end_to_end();
  double place(const Series& series, const char* name, const Samples& samples, size_t first,
               size_t count, double end_us);
  double lay_rounds(int64_t request, size_t first, size_t count, double end_us);
  void close_phase(const Key& key);
  void extend_phase(const Key& key, const char* name, double begin_us, double end_us);
  void add_spans(const Series& series);
  void add_telemetry();
  void print(const std::string& name, std::string* out);

  struct OpenPhase {
    std::string name;
    double begin_us = 0, end_us = 0;
  };

  const Run& run_;
  int pid_;
  bool timed_ = false;
  double origin_s_ = 0;
  std::map<std::string, int> tracks_;
  std::map<Key, const Series*> series_;
  std::map<Key, OpenPhase> phases_;
  std::map<Key, double> cursor_us_;       ///< where the last event of a series ended
  std::map<int64_t, double> request_us_;  ///< the last moment of a request
  std::map<std::tuple<int64_t, int, std::string>, size_t> laid_;
  std::vector<Event> events_;
};

void Trace::find_origin() {
  double first = std::numeric_limits<double>::infinity();
  for (const Moment moment : run_.moments()) first = std::min(first, moment.t_s);
  for (size_t i = 0; i < run_.telemetry().size(); ++i)
    first = std::min(first, run_.telemetry().t_s(i));
  if (!run_.moments().empty()) {
    // The first block began before it was reported: nothing of a trace stands before zero.
    double longest_s = 0;
    for (const Series& series : run_.series()) {
      double sum_ns = 0;
      for (const Sample& sample : series.samples) sum_ns += sample.t_ns * double(sample.calls);
      longest_s = std::max(longest_s, sum_ns * 1e-9);
    }
    const bool led = run_.word(run_.moments().front()) == "env";
    if (!led) first -= longest_s;
  }
  origin_s_ = first < std::numeric_limits<double>::infinity() ? first : 0;
}

/// Samples [first, first + count) end to end, the last ending at end_us; returns where they begin.
double Trace::place(const Series& series, const char* name, const Samples& samples, size_t first,
                    size_t count, double end_us) {
  count = std::min(count, samples.size() - std::min(first, samples.size()));
  double sum_us = 0;
  for (size_t i = first; i < first + count; ++i)
    sum_us += samples[i].t_ns * double(samples[i].calls) * 1e-3;
  double& cursor = cursor_us_[{series.request, series.index}];
  const double begin_us = std::max(end_us - sum_us, cursor);
  double at = begin_us;
  const int tid = track(series);
  for (size_t i = first; i < first + count; ++i) {
    const Sample sample = samples[i];
    const double next = at + sample.t_ns * double(sample.calls) * 1e-3;
    Json args = {{"index", sample.index}, {"call_ns", sample.t_ns}, {"calls", sample.calls}};
    if (sample.cpu_ns > 0) args["cpu_ns"] = sample.cpu_ns;
    if (sample.sm_clock_hz) args["sm_clock_hz"] = *sample.sm_clock_hz;
    if (!sample.flags.empty()) args["flags"] = sample.flags;
    add(tid, at, next, name, args);
    at = next;
  }
  cursor = std::max(at, cursor);
  return begin_us;
}

void Trace::close_phase(const Key& key) {
  const auto open = phases_.find(key);
  if (open == phases_.end()) return;
  const auto series = series_.find(key);
  if (series != series_.end()) {
    add(track(*series->second), open->second.begin_us, open->second.end_us, open->second.name);
  }
  phases_.erase(open);
}

/// Blocks of one kind in a row are one phase, the gaps between them included.
void Trace::extend_phase(const Key& key, const char* name, double begin_us, double end_us) {
  const auto open = phases_.find(key);
  if (open != phases_.end() && open->second.name != name) close_phase(key);
  const auto [phase, is_new] = phases_.try_emplace(key, OpenPhase{name, begin_us, end_us});
  if (!is_new) phase->second.end_us = end_us;
}

/// A comparison's rounds, on a track of their own: the slots of a round are its samples.
double Trace::lay_rounds(int64_t request, size_t first, size_t count, double end_us) {
  const Rounds& rounds = run_.rounds(request);
  count = std::min(count, rounds.size() - std::min(first, rounds.size()));
  std::map<int, size_t> next;  // of each side, its next sample
  const auto slot_us = [&](const Round& round, size_t place, size_t slot) {
    const int side = round.side(slot);
    const auto found = series_.find({request, side});
    const double t_us = slot < round.t_ns.size() ? round.t_ns[slot] * 1e-3 : 0;
    if (found == series_.end()) return t_us;
    const Samples& samples = found->second->samples;
    const auto [at, is_new] = next.try_emplace(side, 2 * place);  // two slots a round and side
    const size_t index = at->second++;
    return t_us * (index < samples.size() ? double(samples[index].calls) : 1.0);
  };
  std::vector<std::vector<double>> durations;
  double sum_us = 0;
  for (size_t i = first; i < first + count; ++i) {
    auto& slots = durations.emplace_back();
    const Round round = rounds[i];
    for (size_t slot = 0; slot < round.order.size(); ++slot) {
      slots.push_back(slot_us(round, i, slot));
      sum_us += slots.back();
    }
  }
  const int tid = track(fmt::format("{} rounds of the comparison", request));
  double& cursor = cursor_us_[{request, -1}];
  double at = std::max(end_us - sum_us, cursor);
  const double begin_us = at;
  for (size_t i = 0; i < count; ++i) {
    const Round round = rounds[first + i];
    const double begin = at;
    for (size_t slot = 0; slot < durations[i].size(); ++slot) {
      add(tid, at, at + durations[i][slot], fmt::format("side {}", round.order[slot]));
      at += durations[i][slot];
    }
    add(tid, begin, at, fmt::format("round {}", round.index),
        {{"order", round.order}, {"call_ns", round.t_ns}});
  }
  cursor = std::max(at, cursor);
  return begin_us;
}

void Trace::lay_moments() {
  std::map<int64_t, std::pair<double, double>> spans;  // of a request
  const std::vector<Moment> moments(run_.moments().begin(), run_.moments().end());
  for (size_t i = 0; i < moments.size(); ++i) {
    Moment moment = moments[i];
    const auto same = [&](const Moment& next) {
      return next.t_s == moment.t_s && next.request == moment.request &&
             next.series == moment.series && next.word == moment.word;
    };
    // One list in several lines: one block.
    while (moment.count > 0 && i + 1 < moments.size() && same(moments[i + 1]))
      moment.count += moments[++i].count;
    const std::string& what = run_.word(moment);
    const double t_us = us(moment.t_s);
    const auto [range, is_new] = spans.try_emplace(moment.request, t_us, t_us);
    range->second.second = t_us;
    const Key key = {moment.request, moment.series};
    const auto found = series_.find(key);
    size_t& laid = laid_[{moment.request, moment.series, what}];
    const auto count = static_cast<size_t>(moment.count);
    double begin_us = request_us_.contains(moment.request) ? request_us_[moment.request] : t_us;
    if (what == "rounds") {
      lay_rounds(moment.request, laid, count, t_us);
    } else if (found != series_.end() && (what == "call" || what == "latency")) {
      const bool is_call = what == "call";
      const Series& series = *found->second;
      const double ready_us = laid == 0 && is_call ? cursor_us_[key] : 0;  // checked
      begin_us = place(series, is_call ? "sample" : "single call",
                       is_call ? series.samples : series.latency_samples, laid, count, t_us);
      if (ready_us > 0) add(track(series), ready_us, begin_us, "warm-up");
      extend_phase(key, is_call ? "timing" : "latency", begin_us, std::max(t_us, cursor_us_[key]));
    } else if (found != series_.end() && what == "check") {
      close_phase(key);
      begin_us = std::max(begin_us, cursor_us_[key]);
      add(track(*found->second), begin_us, std::max(t_us, begin_us), "check");
      cursor_us_[key] = std::max(t_us, begin_us);
    }
    range->second.first = std::min(range->second.first, begin_us);
    laid += count;
    request_us_[moment.request] = t_us;
  }
  while (!phases_.empty()) close_phase(phases_.begin()->first);
  for (const auto& [request, range] : spans) {
    const Request* asked = run_.request(request);
    if (!asked || asked->kernels.empty()) continue;
    add(0, range.first, range.second,
        fmt::format("{} {}", asked->type ? name_of(*asked->type) : "", asked->lab),
        {{"request", request}, {"status", asked->status}});
  }
}

void Trace::lay_end_to_end() {
  double at_us = 0;
  for (const auto& [key, series] : series_) {
    const auto lay = [&, &key = key, &series = series](const char* phase, const char* name,
                                                       const Samples& samples) {
      if (samples.empty()) return;
      double sum_us = 0;
      for (const Sample& sample : samples) sum_us += sample.t_ns * double(sample.calls) * 1e-3;
      place(*series, name, samples, 0, samples.size(), at_us + sum_us);
      extend_phase(key, phase, at_us, std::max(at_us + sum_us, cursor_us_[key]));
      close_phase(key);
      at_us = std::max(at_us + sum_us, cursor_us_[key]);
    };
    if (key.second == 0 && !run_.rounds(key.first).empty()) {
      lay_rounds(key.first, 0, run_.rounds(key.first).size(), at_us);
      cursor_us_.erase({key.first, -1});
    }
    lay("timing", "sample", series->samples);
    lay("latency", "single call", series->latency_samples);
  }
}

/// A stage's worker is a lane. Where its spans overlap (a copy and the next), further lanes are made.
void Trace::add_spans(const Series& series) {
  if (series.spans.empty()) return;
  // Their clock is the pipeline's own: the last of them ended when they were reported.
  double last_ns = 0, end_us = 0;
  for (const Span& span : series.spans) last_ns = std::max(last_ns, span.end_ns);
  for (const Moment moment : run_.moments()) {
    if (run_.word(moment) == "span" && moment.request == series.request &&
        moment.series == series.index)
      end_us = us(moment.t_s);
  }
  if (end_us == 0) {
    double first_ns = last_ns;
    for (const Span& span : series.spans) first_ns = std::min(first_ns, span.start_ns);
    end_us = (last_ns - first_ns) * 1e-3;
  }
  std::vector<Span> spans = series.spans;
  std::stable_sort(spans.begin(), spans.end(),
                   [](const Span& a, const Span& b) { return a.start_ns < b.start_ns; });
  std::map<std::string, std::vector<double>> lanes;  // where each ends
  for (const Span& span : spans) {
    const std::string name =
        fmt::format("{}.{} {}, worker {}", series.request, series.index, span.stage, span.worker);
    auto& ends = lanes[name];
    size_t lane = 0;
    while (lane < ends.size() && ends[lane] > span.start_ns) ++lane;
    if (lane == ends.size()) ends.push_back(0);
    ends[lane] = span.end_ns;
    const double shift_us = end_us - last_ns * 1e-3;
    add(track(lane == 0 ? name : fmt::format("{} ({})", name, lane + 1)),
        shift_us + span.start_ns * 1e-3, shift_us + span.end_ns * 1e-3, span.stage,
        {{"item", span.item}, {"buffer", span.buffer}});
  }
  for (const std::string where : {"host", "device"}) {
    for (const auto& [at_ns, depth] : depth_steps(series.spans, where + " buffer, full"))
      events_.push_back(
          {0, end_us + (at_ns - last_ns) * 1e-3, 0, 'C',
           fmt::format("{}.{} batches ready on the {}", series.request, series.index, where),
           fmt::format("{{\"value\":{}}}", depth)});
  }
}

void Trace::add_telemetry() {
  for (size_t i = 0; i < run_.telemetry().size(); ++i) {
    const TelemetryPoint point = run_.telemetry()[i];
    for (const auto& [name, value] : point.values) {
      events_.push_back(
          {0, us(point.t_s), 0, 'C', name, fmt::format("{{\"value\":{}}}", dump_json(value))});
    }
  }
}

void Trace::print(const std::string& name, std::string* out) {
  const auto meta = [&](int tid, const char* what, const std::string& value) {
    *out += dump_json({{"ph", "M"},
                       {"pid", pid_},
                       {"tid", tid},
                       {"ts", 0},
                       {"name", what},
                       {"args", {{"name", value}}}}) +
            ",\n";
  };
  const auto& environment = run_.environment();
  meta(0, "process_name",
       name + (environment ? ", " + environment->machine() : "") +
           (timed_ ? "" : " (no times recorded: laid end to end)"));
  meta(0, "thread_name", "requests");
  for (const auto& [track, tid] : tracks_) meta(tid, "thread_name", track);
  // Of two that begin together the longer is the outer one.
  std::stable_sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) {
    return std::make_tuple(a.tid, a.ts_us, -a.dur_us) < std::make_tuple(b.tid, b.ts_us, -b.dur_us);
  });
  for (const Event& event : events_) {
    *out += fmt::format("{{\"ph\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":{:.3f}", event.kind, pid_,
                        event.tid, event.ts_us);
    if (event.kind == 'X') *out += fmt::format(",\"dur\":{:.3f}", event.dur_us);
    *out += ",\"name\":" + dump_json(event.name);
    if (!event.args.empty()) *out += ",\"args\":" + event.args;
    *out += "},\n";
  }
}

/// Requests, phases, samples, rounds, pipeline spans and telemetry on the worker's clock; one process a file.
std::string to_trace(const Report& report) {
  std::string events;
  int pid = 0;
  for (const Input& input : report.inputs) Trace(*input.run, ++pid).write(input.name, &events);
  if (events.ends_with(",\n")) events.erase(events.size() - 2);
  return "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n" + events + "\n]}\n";
}

RIDGE_FORMAT(trace, .ending = ".trace.json", .name = "trace",
             .about = "trace events, for Perfetto and chrome://tracing", .place = 60,
             .level = Level::kBench, .print = to_trace);

}  // namespace
}  // namespace ridge::report
