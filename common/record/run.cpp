#include "common/record/run.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/record/command.h"
#include "common/record/door.h"
#include "common/record/edit.h"
#include "common/record/request.h"

namespace ridge {
namespace {

constexpr int64_t kMajorVersion = 1;
/// A worker that prints junk for ever must not fill the memory.
constexpr size_t kMostLogLines = 1000;

/// Appends the usable elements of a list. Returns how many are not.
template <class T>
size_t append_usable(const Json& list, std::vector<T>* to) {
  const size_t before = to->size();
  for (const Json& element : list) {
    if (!element.is_object()) continue;
    from_json(element, to->emplace_back());
    if (!is_usable(to->back())) to->pop_back();
  }
  return list.size() - (to->size() - before);
}

/// What comes many times a second while a rung runs.
bool is_frequent(const std::string& type) {
  return type == "samples" || type == "telemetry" || type == "phase" || type == "timing";
}

bool has_series(RequestType type) {
  return type == RequestType::run || type == RequestType::compare;
}

std::string shortened(const std::string& line) {
  constexpr size_t kMost = 120;
  std::string text = line.substr(0, kMost);
  for (char& c : text) {
    if (c < 0x20 || c > 0x7e) c = '.';
  }
  return line.size() > kMost ? text + " ..." : text;
}

}  // namespace

uint64_t Run::next_serial() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

void Run::note(std::string text) {
  if (log_.size() > kMostLogLines) return;
  if (log_.size() == kMostLogLines) text = "further lines are not logged";
  log_.push_back(std::move(text));
  ++version_;
}

void Run::take_seals(const SealCheck& seals) {
  seals_ = seals;
  if (!seals.broken().empty()) note("the file was changed after it was saved: " + seals.broken());
}

void Run::refuse(const std::string& what) {
  Refused& refused = refused_[what];
  const auto words = [&] {
    return "left out, " + std::to_string(refused.count) + " in all: " + what;
  };
  ++refused.count;
  ++version_;
  if (refused.count > 1 && refused.line < kMostLogLines) log_[refused.line] = words();
  if (refused.count > 1) return;
  refused.line = log_.size();
  note(words());
}

bool Run::has_room(size_t count, const char* what) {
  if (count < kMostParts) return true;
  refuse(std::string(what) + " beyond the " + std::to_string(kMostParts) + " that a run holds");
  return false;
}

bool Run::apply_line(const std::string& line) {
  if (line.find_first_not_of(" \t\r") == std::string::npos) return false;
  if (started_ && apply_sample_line(line)) return true;
  const Json message = is_nested_too_deep(line) ? Json() : Json::parse(line, nullptr, false);
  if (message.is_object()) return apply(message);
  if (!started_) return false;
  note("not a line of the protocol: " + shortened(line));
  return true;
}

bool Run::apply(const Json& message) {
  const int64_t major = whole_field(message, "ridgepoint", -1);
  const std::string type = text_field(message, "type");
  if (major < 0 || type.empty()) {
    if (!started_) return false;
    note("not a line of the protocol: " + shortened(dump_json(message)));
    return true;
  }
  if (major != kMajorVersion) return refuse_version(type, major);
  started_ = true;
  const std::string from = text_field(message, "from");
  if (from == "file") return false;  // a seal: load() has looked at it
  const bool from_app = from == "app";
  const Handler apply_type = from_app ? &Run::apply_from_app : handler(type);
  if (apply_type == nullptr) {
    note("unknown type: " + shortened(type));
    return true;
  }
  const bool changed = (this->*apply_type)(message);
  if (changed && (from_app || !is_frequent(type))) ++version_;
  if (changed && !from_app) keep_moment(type, message);
  return changed;
}

void Run::keep_moment(const std::string& type, const Json& message) {
  const auto t_s = number_field(message, "t_s");
  // A dropped line more or less says nothing of when things happened.
  // An env line belongs to no request, but where it stands the next one's work begins.
  const bool is_told = message.contains("request") || type == "env";
  if (!t_s || !is_told || type == "phase" || type == "timing") return;
  Moment moment;
  moment.t_s = *t_s;
  moment.request = whole_field(message, "request");
  moment.series = static_cast<int16_t>(
      std::clamp<int64_t>(whole_field(message, "series", -1), -1, kMostSeries));
  for (const char* list : {"samples", "rounds", "spans"}) {
    if (const Json* entries = list_field(message, list)) {
      moment.count += static_cast<int>(entries->size());
    }
  }
  if (type == "env") {
    if (looks_s_.size() == 2) looks_s_.erase(looks_s_.begin());
    looks_s_.push_back(*t_s);
  }
  keep_moment(moment, type == "samples" ? text_field(message, "phase", "call") : type);
  if (message.contains("outcome"))
    if (Series* series = find_series(moment.request, moment.series)) series->result_s = *t_s;
}

void Run::keep_moment(Moment moment, std::string_view word) {
  size_t at = 0;
  while (at < words_.size() && words_[at] != word) ++at;
  if (at == words_.size()) {
    constexpr size_t kMostWords = 256;  // a worker has a dozen
    if (words_.size() >= kMostWords) return refuse("a line whose phase is one of too many");
    words_.emplace_back(word);
  }
  moment.word = static_cast<uint16_t>(at);
  moments_.push_back(moment);
}

Run::Handler Run::handler(const std::string& type) {
  static const std::map<std::string, Handler> handlers = {
      {"hello", &Run::apply_hello},     {"kernel", &Run::apply_kernel},
      {"end", &Run::apply_end},         {"env", &Run::apply_env},
      {"phase", &Run::apply_phase},     {"problem", &Run::apply_problem},
      {"check", &Run::apply_check},     {"timing", &Run::apply_timing},
      {"samples", &Run::apply_samples}, {"curve", &Run::apply_curve},
      {"span", &Run::apply_span},       {"telemetry", &Run::apply_telemetry},
      {"result", &Run::apply_result},   {"error", &Run::apply_error},
      {"done", &Run::apply_done},       {"fatal", &Run::apply_fatal},
      {"pong", &Run::apply_pong}};
  const auto found = handlers.find(type);
  return found == handlers.end() ? nullptr : found->second;
}

/// Only where a conversation starts: later, a single odd line must not cost the rest of a run.
bool Run::refuse_version(const std::string& type, int64_t major) {
  const std::string text = "protocol version " + std::to_string(major) + " is not version " +
                           std::to_string(kMajorVersion) + ", which this program speaks";
  if (started_ && type != "hello") {
    note(text);
    return true;
  }
  other_version_ = true;
  fatal_ = Error{ErrorCode::bad_input, text, started_ ? "worker" : "",
                 "use a ridgepoint and a ridgepoint-worker of the same release"};
  ++version_;
  return true;
}

// ---- lines of the app ----------------------------------------------------------------------------

bool Run::apply_from_app(const Json& message) {
  const auto type = value_named<RequestType>(text_field(message, "type"));
  if (!type) return false;
  if (*type == RequestType::predict) {
    if (!has_room(predictions_.size(), "a prediction")) return true;
    const Json* params = object_field(message, "params");
    predictions_.push_back(
        {text_field(message, "kernel"), params == nullptr ? Params{} : params_from_json(*params),
         number_field(message, "value").value_or(0), series_.size(),
         number_field(message, "factor").value_or(0), text_field(message, "of")});
    return true;
  }
  if (*type == RequestType::learner) {
    const bool is_own =
        !notes_.contains("name") || notes_["name"] == one_line(learner_, kLongestNote);
    learner_ = text_field(message, "name");
    if (is_own) set_note("name", learner_, &notes_);
    ++version_;
    return true;
  }
  if (*type == RequestType::note)
    return has_room(notes_.size(), "a note") &&
           set_note(text_field(message, "what"), text_field(message, "text"), &notes_);
  if (*type == RequestType::lost) {
    const std::string reason = text_field(message, "reason", "the worker ended");
    if (message.contains("cancelled") && message["cancelled"] == true)
      worker_cancelled(reason);
    else
      worker_lost(reason);
    return true;
  }
  if (is_request(*type)) open_request(*type, message);
  return is_request(*type);
}

void Run::open_request(RequestType type, const Json& message) {
  const int64_t id = whole_field(message, "id");
  // The worker's lines may stand before the app's in a foreign order: then fill in what was made
  // for them. A closed request of the same number is another session's.
  const auto known = request_by_id_.find(id);
  Request* request = known == request_by_id_.end() ? nullptr : known->second;
  const bool is_new = request == nullptr || !request->open() || request->type;
  if (is_new) {
    request = &add_request(id);
    rounds_.erase(id);
  }
  request->type = type;
  request->lab = text_field(message, "lab");
  const RunMode mode = type == RequestType::compare ? RunMode::compare : RunMode::measure;
  request->mode = OpenEnum<RunMode>(text_field(message, "mode", to_string(mode)));
  request->cache = OpenEnum<CacheMode>(text_field(message, "cache", to_string(CacheMode::hot)));
  request->table = text_field(message, "table");
  if (const auto budget = budget_from(message))
    request->budget = budget->is_empty() ? Rare<Budget>() : Rare<Budget>(*budget);
  else
    note("a budget that cannot be read: " + budget.error().sentence());
  request->rounds.reset();
  if (const int64_t rounds = whole_field(message, "rounds"); rounds > 0) request->rounds = rounds;
  request->limit_s = number_field(message, "limit_s");
  if (const Json* rule = object_field(message, "commands"))
    request->call_limit_s = number_field(*rule, "call_limit_s");
  request->device = static_cast<int>(std::clamp<int64_t>(whole_field(message, "device"), 0, 1023));
  if (const auto given = message.find("sustained"); given != message.end())
    request->sustained = *given != false;
  if (const Json* model = object_field(message, "model")) request->model = params_from_json(*model);
  const Json* kernels = list_field(message, "kernels");
  if (kernels == nullptr) return;
  request->kernels.reserve(kernels->size());
  for (const Json& entry : *kernels) {
    const std::string kernel = text_field(entry, "kernel");
    const int index = static_cast<int>(request->kernels.size());
    request->kernels.push_back(kernel);
    if (!has_series(type) || index >= kMostSeries) continue;
    Series* series = is_new ? nullptr : find_series(id, index);
    if (series == nullptr) series = add_series(id, index);
    if (series == nullptr) continue;
    const std::string before = std::exchange(series->kernel, kernel);
    list_under_kernel(series, &before);
    series->size_param = size_param(kernel);
    series->lab = request->lab;
    series->mode = request->mode;
    series->cache = request->cache;
    series->params = entry.is_object() && entry.contains("params")
                         ? params_from_json(entry["params"])
                         : Params{};
    all_params_.share(&series->params);
    series->dtype = text_field(params_to_json(series->params), "dtype");
    touch(series);
  }
}

// ---- lines of the worker -------------------------------------------------------------------------

Request& Run::request_of(int64_t id) {
  const auto known = request_by_id_.find(id);
  return known == request_by_id_.end() ? add_request(id) : *known->second;
}

Request& Run::add_request(int64_t id) {
  if (!has_room(requests_.size(), "a request")) return refused_request_ = Request{.id = id};
  Request& request = requests_.emplace_back();
  request.id = id;
  request_by_id_[id] = &request;
  return request;
}

/// Null where there is no room.
Series* Run::add_series(int64_t request, int index) {
  if (!has_room(series_.size(), "a series")) return nullptr;
  Series& series = series_.emplace_back();
  series.order = ++series_made_;
  series.request = request;
  series.index = index;
  series_by_id_.insert({{request, index}, &series});
  list_under_kernel(&series, nullptr);
  ++version_;
  return &series;
}

Series* Run::series_of(const Json& message) {
  const int64_t index = whole_field(message, "series", -1);
  if (index < 0 || index >= kMostSeries || !message.contains("request")) {
    note("a " + shortened(text_field(message, "type")) + " line names no series");
    return nullptr;
  }
  return series_of(whole_field(message, "request"), static_cast<int>(index));
}

Series* Run::series_of(int64_t request, int index) {
  Series* series = find_series(request, index);
  if (series == nullptr) {
    const Request& asked = request_of(request);
    if (asked.type && !has_series(*asked.type))
      return nullptr;  // a probe's estimates are no results
    series = add_series(request, index);
    if (series == nullptr) return nullptr;
    series->lab = asked.lab;
    series->mode = asked.mode;
    series->cache = asked.cache;
  }
  if (series->status == SeriesStatus::pending) {
    series->status = SeriesStatus::running;
    ++version_;
    touch(series);
  }
  return series;
}

bool Run::apply_hello(const Json&) {
  has_hello_ = true;
  fatal_.reset();
  // A learner's rungs are with the worker that built them, and this is another: a request that names one is refused.
  for (KernelInfo& info : catalogue_) {
    if (!is_edit(info.id)) continue;
    info.available = false;
    info.reason = "the worker that built it is gone: build it again";
  }
  return true;
}

bool Run::apply_kernel(const Json& message) {
  const Json* object = object_field(message, "kernel");
  if (object == nullptr) return false;
  KernelInfo info;
  from_json(*object, info);
  if (info.id.empty()) return false;
  const auto known = kernel_by_id_.find(info.id);
  if (known != kernel_by_id_.end()) {
    catalogue_[known->second] = std::move(info);
  } else if (has_room(catalogue_.size(), "a rung of the catalogue")) {
    kernel_by_id_[info.id] = catalogue_.size();
    catalogue_.push_back(std::move(info));
  }
  return true;
}

bool Run::apply_end(const Json&) {
  catalogue_complete_ = true;
  return true;
}

bool Run::apply_env(const Json& message) {
  const Json* object = object_field(message, "environment");
  if (object == nullptr) return false;
  Environment environment;
  from_json(*object, environment);
  if (text_field(message, "when") == "after") {
    quiet_after_ = environment.quiet;
  } else {
    environment_ = std::move(environment);
    quiet_after_.reset();
  }
  return true;
}

bool Run::apply_phase(const Json& message) {
  Progress progress;
  progress.request = whole_field(message, "request");
  progress.series =
      static_cast<int>(std::clamp<int64_t>(whole_field(message, "series", -1), -1, kMostSeries));
  progress.phase = text_field(message, "phase");
  progress.text = text_field(message, "text");
  progress.open = text_field(message, "open");
  progress.fraction = number_field(message, "progress");
  progress.median_ns = number_field(message, "median_ns");
  progress.left_s = number_field(message, "left_s");
  if (const Json* interval = object_field(message, "ci_ns")) {
    from_json(*interval, progress.ci_ns.emplace());
  }
  if (progress.series >= 0) series_of(message);
  progress_ = std::move(progress);
  return true;
}

/// A run that is cut short has no result: what its samples are of is known from here alone.
bool Run::apply_problem(const Json& message) {
  const Json* problem = object_field(message, "problem");
  return problem != nullptr && apply_outcome(message, *problem);
}

bool Run::apply_check(const Json& message) {
  const Json* check = object_field(message, "check");
  Series* series = check == nullptr ? nullptr : series_of(message);
  if (series == nullptr) return false;
  if (series->checks.size() >= kMostChecks) {
    refuse("a check beyond the " + std::to_string(kMostChecks) + " of a series");
    return true;
  }
  from_json(*check, series->checks.emplace_back());
  touch(series);
  return true;
}

bool Run::apply_timing(const Json& message) {
  if (message.contains("series")) series_of(message);
  return true;
}

template <class T>
bool Run::append(const Json& message, const char* name, const char* unusable, std::vector<T>* to) {
  const Json* list = list_field(message, name);
  if (list == nullptr) return false;
  for (size_t left_out = append_usable(*list, to); left_out > 0; --left_out) refuse(unusable);
  return !list->empty();
}

bool Run::apply_samples(const Json& message) {
  const std::string phase = text_field(message, "phase", "call");
  if (phase == "rounds") {
    std::vector<Round> some;
    const bool changed = append(message, "rounds", kUnusableRound, &some);
    Rounds& rounds = rounds_[whole_field(message, "request")];
    for (const Round& round : some) rounds.push_back(round);
    return changed;
  }
  Series* series = series_of(message);
  if (series == nullptr) return false;
  Samples* to = phase == "latency" ? &series->latency_samples : &series->samples;
  const bool is_first = to->empty();
  std::vector<Sample> some;
  const bool changed = append(message, "samples", kUnusableSample, &some);
  to->append(some);
  if (changed) took_samples(series, is_first);
  return changed;
}

/// A series' first sample changes what there is of it; those that follow change its figures only.
void Run::took_samples(Series* series, bool is_first) {
  touch(series);
  if (is_first) ++version_;
}

bool Run::apply_curve(const Json& message) {
  Series* series = series_of(message);
  if (series == nullptr) return false;
  touch(series);
  return append(message, "points", "a point of a training without a time or a value",
                &series->curve);
}

bool Run::apply_span(const Json& message) {
  Series* series = series_of(message);
  if (series == nullptr) return false;
  touch(series);
  return append(message, "spans", "a span that ends before it begins", &series->spans);
}

bool Run::apply_telemetry(const Json& message) {
  if (object_field(message, "values") == nullptr) return false;
  TelemetryPoint point;
  from_json(message, point);
  if (!std::isfinite(point.t_s)) return false;
  std::erase_if(point.values, [](const auto& entry) { return !std::isfinite(entry.second); });
  telemetry_.add(point);
  return true;
}

bool Run::apply_pong(const Json&) {
  return false;
}

}  // namespace ridge
