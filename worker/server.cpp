#include "worker/server.h"

#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "common/core/build_info.h"
#include "worker/work.h"

namespace ridge::worker {
namespace {

constexpr int64_t kMajorVersion = 1;

Error usage(std::string what, std::string hint) {
  return {ErrorCode::usage, std::move(what), "request line", std::move(hint)};
}

std::string text_of(const Json& line, const char* name) {
  const auto field = line.find(name);
  return field != line.end() && field->is_string() ? field->get<std::string>() : "";
}

std::optional<int64_t> whole_of(const Json& line, const char* name) {
  const auto field = line.find(name);
  if (field == line.end() || !field->is_number_integer()) return std::nullopt;
  return field->get<int64_t>();
}

/// A line that is not even an object of this protocol, or what is wrong with it.
std::optional<Error> malformed(const Result<Json>& parsed) {
  if (!parsed) return parsed.error();
  if (!parsed->is_object()) return usage("it is not a JSON object", "send one object a line");
  const auto version = whole_of(*parsed, "ridgepoint");
  if (version && *version != kMajorVersion) {
    return usage("protocol version " + std::to_string(*version) + " is not version 1",
                 "use a ridgepoint and a ridgepoint-worker of the same release");
  }
  return std::nullopt;
}

int64_t id_of(const Json& request) {
  return *whole_of(request, "id");
}

using Cancelled = std::function<bool()>;

Result<void> carry_out(Work& work, const Json& request, Cancelled cancelled) {
  RIDGE_TRY(const WorkRequest asked, work_request_from(request));
  return work.carry_out(asked, std::move(cancelled));
}

/// Who answers a request. `request` is its line, which has an id.
struct Handler {
  RequestType type;
  Result<void> (*answer)(Work& work, const Json& request, Cancelled cancelled);
};

constexpr Handler kHandlers[] = {
    {RequestType::list,
     [](Work& work, const Json& request, Cancelled) -> Result<void> {
       work.list(id_of(request));
       return {};
     }},
    {RequestType::source,
     [](Work& work, const Json& request, Cancelled) {
       return work.source(id_of(request), text_of(request, "kernel"));
     }},
    {RequestType::assembly,
     [](Work& work, const Json& request, Cancelled cancelled) {
       return work.assembly(id_of(request), text_of(request, "kernel"), cancelled);
     }},
    {RequestType::build,
     [](Work& work, const Json& request, Cancelled cancelled) {
       return work.build(id_of(request), text_of(request, "kernel"), text_of(request, "dtype"),
                         text_of(request, "text"), std::move(cancelled));
     }},
    {RequestType::probe, carry_out},
    {RequestType::run, carry_out},
    {RequestType::compare, carry_out},
    {RequestType::inspect, carry_out},
    {RequestType::serve, carry_out},
    {RequestType::count, carry_out},
};

/// Null for a line that is no request.
const Handler* handler_of(const Json& line) {
  const auto type = value_named<RequestType>(text_of(line, "type"));
  const auto found = std::find_if(std::begin(kHandlers), std::end(kHandlers),
                                  [&](const Handler& handler) { return handler.type == type; });
  return found == std::end(kHandlers) ? nullptr : found;
}

}  // namespace

Server::Server(Emitter* emitter, bool runs_commands)
    : emitter_(emitter), runs_commands_(runs_commands) {}

Server::~Server() = default;

void Server::refuse(std::optional<int64_t> request, const Error& error) {
  Json fields = {{"error", error}};
  if (request) fields["request"] = *request;
  emitter_->emit("error", std::move(fields));
  if (request) done(*request, RequestStatus::failed);
}

void Server::done(int64_t id, RequestStatus status) {
  emitter_->emit("done", {{"request", id}, {"status", status}});
}

// ---- the thread that reads ----------------------------------------------------------------------

void Server::take_line(const std::string& line) {
  if (line.size() > kLineBytes) {
    return refuse(std::nullopt, usage("a line of over 64 KiB was dropped", "send shorter lines"));
  }
  if (line.find_first_not_of(" \t\r") == std::string::npos) return;
  const auto parsed = parse_json(line, "request line");
  if (const auto error = malformed(parsed)) return refuse(std::nullopt, *error);
  const std::string name = text_of(*parsed, "type");
  const auto id = whole_of(*parsed, "id");
  if (handler_of(*parsed) != nullptr) {
    if (!id) return refuse(id, usage("a request of type " + name + " has no id", "give it one"));
    const std::lock_guard lock(mutex_);
    open_.insert(*id);
    queue_.emplace_back(*id, line);
    changed_.notify_all();
    return;
  }
  switch (value_named<RequestType>(name).value_or(RequestType::lost)) {
    case RequestType::ping:
      emitter_->emit("pong", {{"request", id.value_or(0)}});
      break;
    case RequestType::ack:
      emitter_->acknowledge(whole_of(*parsed, "seq").value_or(0));
      break;
    case RequestType::cancel:
      take_cancel(whole_of(*parsed, "target").value_or(-1));
      break;
    case RequestType::quit: {
      const std::lock_guard lock(mutex_);
      quit_ = true;
      changed_.notify_all();
      break;
    }
    case RequestType::predict:  // for the transcript's readers
    case RequestType::learner:
      break;
    default:
      refuse(id, usage("type " + (name.empty() ? "(none)" : name) + " is unknown",
                       "see docs/protocol.md for what a worker understands"));
  }
}

/// A cancel for a request that is finished already says nothing: its `done` is on the way. One that waits
/// ends at once: behind a probe of seconds the app would take its silence for a worker that is stuck.
void Server::take_cancel(int64_t target) {
  {
    const std::lock_guard lock(mutex_);
    const auto waiting = std::find_if(queue_.begin(), queue_.end(),
                                      [&](const auto& entry) { return entry.first == target; });
    if (waiting == queue_.end()) {
      if (open_.count(target) > 0) cancelled_.insert(target);
      return;
    }
    queue_.erase(waiting);
    open_.erase(target);
  }
  done(target, RequestStatus::cancelled);
}

// ---- the thread that works -------------------------------------------------------------------------------

bool Server::is_cancelled(int64_t id) {
  const std::lock_guard lock(mutex_);
  return cancelled_.count(id) > 0;
}

void Server::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !queue_.empty() || quit_; });
}

bool Server::has_quit() {
  const std::lock_guard lock(mutex_);
  return quit_;
}

std::optional<std::string> Server::next() {
  const std::lock_guard lock(mutex_);
  if (queue_.empty()) return std::nullopt;
  std::string request = std::move(queue_.front().second);
  queue_.pop_front();
  return request;
}

bool Server::serve(const Json& request) {
  const int64_t id = id_of(request);
  const auto cancelled_now = [this, id] { return is_cancelled(id); };
  const Result<void> outcome = cancelled_now()
                                   ? Result<void>(measure::cancelled_error())
                                   : handler_of(request)->answer(*work_, request, cancelled_now);
  const bool lost = !outcome && outcome.error().code == ErrorCode::worker;
  const bool cancelled = !outcome && outcome.error().code == ErrorCode::cancelled;
  {
    const std::lock_guard lock(mutex_);
    open_.erase(id);
    cancelled_.erase(id);
  }
  if (lost) {
    emitter_->emit("fatal", {{"error", outcome.error()}});
    return false;
  }
  if (outcome || cancelled) {
    done(id, cancelled ? RequestStatus::cancelled : RequestStatus::ok);
  } else {
    refuse(id, outcome.error());
  }
  return true;
}

void Server::serve_sources() {
  std::vector<Json> asked;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(queue_, [&](const auto& entry) {
      Json line = *parse_json(entry.second, "");
      const bool is_source = text_of(line, "type") == to_string(RequestType::source);
      if (is_source) asked.push_back(std::move(line));
      return is_source;
    });
  }
  for (const Json& request : asked) serve(request);
}

void Server::say_hello() {
  const BuildInfo build = build_info();
  Json capabilities = Json::array();
  for (const Handler& handler : kHandlers) capabilities.push_back(handler.type);
  emitter_->emit("hello", {{"version", build.version},
                           {"pid", getpid()},
                           {"build",
                            {{"commit", build.commit},
                             {"compiler", build.compiler},
                             {"type", build.build_type},
                             {"cuda", build.cuda}}},
                           {"capabilities", capabilities}});
}

/// After the hello, which an app waits for: looking for GPUs takes a while.
void Server::get_ready() {
  if (work_ != nullptr) return;
  work_ = std::make_unique<Work>(emitter_, runs_commands_);
  work_->set_between_rungs([this] { serve_sources(); });
}

bool Server::serve_waiting() {
  get_ready();
  while (const auto request = next()) {
    if (!serve(*parse_json(*request, ""))) return false;
  }
  return true;
}

int Server::run() {
  while (serve_waiting()) {
    if (has_quit()) return 0;
    wait();
  }
  return static_cast<int>(ErrorCode::worker);
}

}  // namespace ridge::worker
